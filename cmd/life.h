// What the verbs for named containers have in common: the way to their container, and what they say if it
// fails.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cmd/life_options.h"
#include "runtime/registry.h"

namespace ctr::cmd {

// Of --state-dir (empty: the usual one). One that was named and isn't there is an error.
Result<Registry> open_registry(const std::string& given, Registry::Access access);

// Reads the command line, opens the registry and lets BODY do the rest: it returns the exit code.
using Body = std::function<Result<int>(const LifeCall&, const Registry&)>;
int with_registry(const char* verb, const std::vector<std::string>& arguments, const Body& body);

// The same once for each name: one that fails doesn't keep the others from being done.
using EachBody = std::function<Status(const LifeCall&, const Registry&, const Entry&)>;
int for_each_name(const char* verb, const std::vector<std::string>& arguments, const EachBody& body);

}  // namespace ctr::cmd

// The ids that a user may hand out beside its own (subuid(5)), and the user namespaces that are mapped to
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/facts.h"

namespace ctr::subids {

// The first range in the text of /etc/subuid or subgid that a user has, by its name or number.
std::optional<IdRange> parse(const std::string& text, const std::string& name, uid_t uid);

// The caller's, from those files, into the facts. A file that isn't there has none.
void read(HostFacts& facts);

// OWN of the caller's namespace becomes AT inside; the other ids inside, from 0 on, are RANGE.
std::vector<IdMapping> map(uint32_t own, uint32_t at, const IdRange& range);

// What the caller can't do without privilege: newuidmap and newgidmap have that, and know the ranges.
Status write(HostPid process, const std::vector<IdMapping>& uids, const std::vector<IdMapping>& gids);

}  // namespace ctr::subids

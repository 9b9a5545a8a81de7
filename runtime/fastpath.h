// The fast path: instrumented copies of a container's images (pidns/image), put in their place by bind mounts
// that nobody outside of the container sees. They translate process numbers by themselves; what they don't,
// and what isn't instrumented, goes through the monitor as ever. So nothing here ever fails a launch.
#pragma once

#include <string>
#include <vector>

#include "pidns/image/cache.h"
#include "pidns/monitor/options.h"
#include "runtime/action.h"
#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr::fastpath {

// What makes copies, and its version, which is part of their names.
struct Instrumenter {
    pidns::ImageCache::Make make;
    uint64_t version = 0;
};

// Why an image has no copy that doesn't need one.
inline constexpr const char* no_calls = "no call in it can carry a process number";

// This program's.
Instrumenter instrumenter();

struct Prepared {
    std::vector<action::Placement> placements;
    std::vector<std::string> remarks;  // what could not be had, and why; for those who ask
    pidns::MakeCopy make_copy{};       // for programs that the container turns out to run
};

// Finds the images of the container's root and their copies, and makes copies that aren't there yet. Nothing,
// without a remark, where no fast path is wanted.
Prepared prepare(const Spec& spec, const HostFacts& facts, const Instrumenter& instrumenter);

// The same for printing, without copies: changes nothing, and doesn't know which images will do.
Prepared outline(const Spec& spec, const HostFacts& facts);

// Where copies may be kept, in the order of preference: for everybody in root's case; the caller's own cache
// directory; what lasts as long as the caller's login, where a home is missing or read-only. There is no
// other place: a copy that is made for one start alone takes longer than most commands.
std::vector<std::string> cache_directories(const HostFacts& facts);

}  // namespace ctr::fastpath

// What holds for every file that the instrumenter is given, whatever it is. Fails by abort(), which both
// fuzzers and tests see.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>

#include "pidns/image/elf.h"
#include "pidns/image/instrument.h"

namespace ctr::pidns::image {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "doesn't hold: %s\n", what);
    std::abort();
}

// Returns whether a copy was made.
inline bool check_instrument(Bytes image, Bytes guest) {
    const auto made = instrument(image, guest);
    const auto findings = examine(image);
    if (!made) {
        require(!made.error().message().empty(), "a refusal says why");
        return false;
    }
    require(findings && findings->sites.size() == made->sites.size(), "what is found is what is looked at");
    uint64_t last = 0;
    bool any = false;
    for (const Site& site : made->sites) {
        require(site.address >= last, "sites ascend");
        require((*site.why == 0) == (site.state == State::patched),
                "what is left says why, and nothing else does");
        any = any || site.state == State::patched;
        last = site.address;
    }
    require(any != made->bytes.empty(), "there is a copy if something is patched");
    if (made->bytes.empty()) return false;
    require(made->bytes.size() > image.size() + guest.size(), "a copy carries the guest");
    require(Elf::parse(made->bytes).has_value(), "a copy is an image");
    require(!instrument(made->bytes, guest), "a copy isn't copied again");
    return true;
}

}  // namespace ctr::pidns::image

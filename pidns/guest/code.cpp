#include "pidns/guest/code.h"

extern "C" {
extern const std::byte ctr_guest_begin[] __attribute__((visibility("hidden")));
extern const std::byte ctr_guest_end[] __attribute__((visibility("hidden")));
}

namespace ctr::pidns {

std::span<const std::byte> guest_code() {
    return {ctr_guest_begin, ctr_guest_end};
}

}  // namespace ctr::pidns

#include "pidns/guest/code.h"
#include "pidns/image/instrument.h"
#include "pidns/image/version.h"
#include "runtime/fastpath.h"

namespace ctr::fastpath {

namespace {

Result<std::vector<std::byte>> make_copy(std::span<const std::byte> image) {
    auto made = pidns::image::instrument(image, pidns::guest_code());
    if (!made) return std::unexpected(std::move(made).error());
    if (made->sites.empty()) return fail_input("instrument an image", no_calls);
    if (made->bytes.empty()) return fail_input("instrument an image", "there is nothing in it that could be");
    return std::move(made->bytes);
}

}  // namespace

Instrumenter instrumenter() {
    return {make_copy, pidns::image::instrumenter_version};
}

}  // namespace ctr::fastpath

// What a content is called in the cache of images.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ctr::pidns {

// SHA-256 in hexadecimal. Of these strength: roots from several hands share one cache, and none may pass its
// file off as another's.
std::string digest_of(std::span<const std::byte> bytes);

}  // namespace ctr::pidns

#include "pidns/image/digest.h"

#include <sha2.h>
#include <sys/types.h>

namespace ctr::pidns {

std::string digest_of(std::span<const std::byte> bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    char text[SHA256_DIGEST_STRING_LENGTH];
    SHA256End(&context, text);
    return text;
}

}  // namespace ctr::pidns

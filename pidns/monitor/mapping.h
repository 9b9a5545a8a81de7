// Mapped memory that unmaps itself.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>

namespace ctr::pidns {

struct Unmap {
    std::size_t bytes = 0;
    void operator()(void* memory) const { munmap(memory, bytes); }
};
using Mapping = std::unique_ptr<void, Unmap>;

// The first BYTES of a file, shared. Null and errno if that's not possible.
inline Mapping map_file(int fd, std::size_t bytes, int protection) {
    void* memory = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
    return Mapping(memory == MAP_FAILED ? nullptr : memory, Unmap{bytes});
}

}  // namespace ctr::pidns

#include "pidns/monitor/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace ctr::pidns {

ProcessMemory::ProcessMemory(HostPid thread) {
    std::array<char, 32> path;
    std::snprintf(path.data(), path.size(), "/proc/%d/mem", raw(thread));
    file_.reset(open(path.data(), O_RDWR | O_CLOEXEC));
}

bool ProcessMemory::read_bytes(uint64_t address, void* to, size_t size) const {
    return pread(file_.get(), to, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

bool ProcessMemory::write_bytes(uint64_t address, const void* from, size_t size) const {
    return pwrite(file_.get(), from, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

}  // namespace ctr::pidns

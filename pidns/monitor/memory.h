// Memory of another process, through /proc/PID/mem: the descriptor keeps meaning the same address space even
// when the number is used again, so a notification that is checked for validity *after* opening makes all
// accesses safe. Reads and writes ignore page protections within what ptrace may do: a number lying in
// read-only memory can be replaced for the duration of a call.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class ProcessMemory {
  public:
    // thread: of the process. Not open when it is gone or may not be looked into.
    explicit ProcessMemory(HostPid thread);

    explicit operator bool() const { return static_cast<bool>(file_); }

    template <class T>
    std::optional<T> read(uint64_t address) const {
        T value;
        if (!read_bytes(address, &value, sizeof value)) return {};
        return value;
    }

    template <class T>
    bool write(uint64_t address, const T& value) const {
        return write_bytes(address, &value, sizeof value);
    }

  private:
    bool read_bytes(uint64_t address, void* to, size_t size) const;
    bool write_bytes(uint64_t address, const void* from, size_t size) const;

    Fd file_;
};

}  // namespace ctr::pidns

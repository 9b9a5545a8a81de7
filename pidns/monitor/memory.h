// Memory of another process, through /proc/PID/mem: the descriptor keeps meaning the same address space even
// when the number is used again, so a notification that is checked for validity *after* opening makes all
// accesses safe. Reads and writes ignore page protections within what ptrace may do: a number lying in
// read-only memory can be replaced for the duration of a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// Text in the memory of a thread's process, up to `most` characters before the terminating zero; nothing if
// it isn't readable, or longer. Check the notification's validity afterwards.
std::optional<std::string> read_text(HostPid thread, uint64_t address, size_t most);

// The same for a value. errno says why not: EFAULT, the program itself couldn't read it.
bool read_bytes(HostPid thread, uint64_t address, void* to, size_t size);
template <class T>
std::optional<T> read_value(HostPid thread, uint64_t address) {
    T value;
    if (!read_bytes(thread, address, &value, sizeof value)) return {};
    return value;
}

inline constexpr uint64_t page_size = 4096;

// Those of the pages (their first addresses) that who touches them would have to wait for: one that isn't
// there yet may be served by the container itself (FUSE, userfaultfd), and wait for whom it keeps waiting.
// Asked without touching them. Nothing: the kernel can't be asked.
std::optional<std::vector<uint64_t>> absent_pages(HostPid thread, const std::vector<uint64_t>& pages);

// As read_bytes, but only of what is there: ENODATA else. Who drops a page in between can let us wait.
bool read_present_bytes(HostPid thread, uint64_t address, void* to, size_t size);

class ProcessMemory {
  public:
    // thread: of the process. False when it is gone. The file of a process that isn't dumpable belongs to
    // root, though who may trace it may look into it; then its memory is reached by its number, without what
    // is said above.
    enum class Access { read, read_and_write };
    explicit ProcessMemory(HostPid thread, Access access = Access::read_and_write);

    explicit operator bool() const { return file_ || by_number_; }

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

    // As pread().
    ssize_t read_some(uint64_t address, void* to, size_t size) const;
    std::optional<std::string> read_exactly(uint64_t address, size_t size) const;
    bool write_bytes(uint64_t address, const std::string& bytes) const;

  private:
    bool read_bytes(uint64_t address, void* to, size_t size) const;
    bool write_bytes(uint64_t address, const void* from, size_t size) const;

    HostPid thread_;
    Fd file_;
    bool by_number_ = false;
};

}  // namespace ctr::pidns

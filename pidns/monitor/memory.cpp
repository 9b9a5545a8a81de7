#include "pidns/monitor/memory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

namespace ctr::pidns {

// Page by page, because the text may end just before one that isn't there.
std::optional<std::string> read_text(HostPid thread, uint64_t address, size_t most) {
    constexpr uint64_t page = 4096;
    constexpr size_t usual = 256;  // nearly all paths are shorter
    const ProcessMemory memory(thread, ProcessMemory::Access::read);
    std::array<char, page> part;
    std::string text;
    while (text.size() <= most) {
        const uint64_t from = address + text.size();
        const size_t wanted = std::min<uint64_t>(page - from % page, text.empty() ? usual : page);
        const ssize_t got = memory.read_some(from, part.data(), wanted);
        if (got <= 0) return {};
        const std::string_view read(part.data(), static_cast<size_t>(got));
        const size_t end = read.find('\0');
        text += read.substr(0, end);
        if (end != std::string_view::npos) return text;
    }
    return {};
}

bool read_bytes(HostPid thread, uint64_t address, void* to, size_t size) {
    const ProcessMemory memory(thread, ProcessMemory::Access::read);
    if (memory.read_some(address, to, size) == static_cast<ssize_t>(size)) return true;
    errno = EFAULT;
    return false;
}

std::optional<std::vector<uint64_t>> absent_pages(HostPid thread, const std::vector<uint64_t>& pages) {
    std::vector<int> status(pages.size(), -ENOENT);
    if (syscall(SYS_move_pages, raw(thread), pages.size(), pages.data(), nullptr, status.data(), 0) != 0)
        return {};
    std::vector<uint64_t> found;
    for (size_t i = 0; i < pages.size(); ++i)
        if (status[i] == -ENOENT) found.push_back(pages[i]);
    return found;
}

bool read_present_bytes(HostPid thread, uint64_t address, void* to, size_t size) {
    std::vector<uint64_t> pages;
    for (uint64_t at = address; at - address < size; at = at / page_size * page_size + page_size)
        pages.push_back(at / page_size * page_size);
    // A kernel that can't say it (without CONFIG_MIGRATION) is asked for the bytes as they are.
    const auto absent = absent_pages(thread, pages);
    if (!absent || absent->empty()) return read_bytes(thread, address, to, size);
    errno = ENODATA;
    return false;
}

ProcessMemory::ProcessMemory(HostPid thread, Access access) : thread_(thread) {
    std::array<char, 32> path;
    std::snprintf(path.data(), path.size(), "/proc/%d/mem", raw(thread));
    file_.reset(open(path.data(), (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC));
    by_number_ = !file_ && errno == EACCES;
}

std::optional<std::string> ProcessMemory::read_exactly(uint64_t address, size_t size) const {
    std::string bytes(size, 0);
    if (!read_bytes(address, bytes.data(), size)) return {};
    return bytes;
}

bool ProcessMemory::write_bytes(uint64_t address, const std::string& bytes) const {
    return write_bytes(address, bytes.data(), bytes.size());
}

// Not process_vm_readv, where it can be helped: that waits for a page that the program itself is to serve
// (userfaultfd), for ever if it doesn't; the file's reads fail instead.
ssize_t ProcessMemory::read_some(uint64_t address, void* to, size_t size) const {
    if (!by_number_) return pread(file_.get(), to, size, static_cast<off_t>(address));
    const iovec here{to, size};
    const iovec there{reinterpret_cast<void*>(address), size};
    return process_vm_readv(raw(thread_), &here, 1, &there, 1, 0);
}

bool ProcessMemory::read_bytes(uint64_t address, void* to, size_t size) const {
    return read_some(address, to, size) == static_cast<ssize_t>(size);
}

bool ProcessMemory::write_bytes(uint64_t address, const void* from, size_t size) const {
    const auto wanted = static_cast<ssize_t>(size);
    if (!by_number_) return pwrite(file_.get(), from, size, static_cast<off_t>(address)) == wanted;
    const iovec here{const_cast<void*>(from), size};
    const iovec there{reinterpret_cast<void*>(address), size};
    return process_vm_writev(raw(thread_), &here, 1, &there, 1, 0) == wanted;
}

}  // namespace ctr::pidns

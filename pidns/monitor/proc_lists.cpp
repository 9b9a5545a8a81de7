// The lists of /proc: its processes, and a process's threads.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/proc_files.h"
#include "pidns/monitor/procfs.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

// Where the directory's position is behind all entries that aren't processes: TGID_OFFSET of fs/proc/base.c.
// From there on it is this plus a process's number.
constexpr off_t first_process = 256 + 2;

// What one call gives at most; a program may ask for more, and gets the rest with the next call.
constexpr size_t most = 65536;

struct Header {  // of struct linux_dirent64, which the name follows
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
};
constexpr size_t name_at = offsetof(Header, type) + 1;

struct Entry {
    Header header;
    std::string_view name;
};
std::vector<Entry> entries_of(std::span<const char> bytes) {
    std::vector<Entry> entries;
    for (size_t at = 0; at + name_at < bytes.size();) {
        Header header{};
        std::memcpy(&header, bytes.data() + at, name_at);
        entries.push_back({header, std::string_view(bytes.data() + at + name_at)});
        at += header.length;
    }
    return entries;
}

bool is_number(std::string_view name) {
    return !name.empty() && name[0] >= '0' && name[0] <= '9';
}

}  // namespace

class ProcFiles::Entries {
  public:
    Entries(size_t room, bool old_form) : room_(room), old_form_(old_form) {}

    // False if there is no room.
    bool append(const Header& header, std::string_view name) {
        constexpr size_t alignment = 8;
        // The old form has the type behind the name's end.
        const size_t before = old_form_ ? name_at - 1 : name_at;
        const size_t used = before + name.size() + 1 + (old_form_ ? 1 : 0);
        const size_t length = (used + alignment - 1) / alignment * alignment;
        full_ = full_ || bytes_.size() + length > room_;
        if (full_) return false;
        Header fields = header;
        fields.length = static_cast<uint16_t>(length);
        std::string entry(length, 0);
        std::memcpy(entry.data(), &fields, before);
        std::memcpy(entry.data() + before, name.data(), name.size());
        if (old_form_) entry.back() = static_cast<char>(header.type);
        bytes_ += entry;
        return true;
    }

    void fail(int error) { error_ = error; }
    const std::string& bytes() const { return bytes_; }
    long result() const {
        if (error_ != 0) return -error_;
        return full_ && bytes_.empty() ? -EINVAL : static_cast<long>(bytes_.size());
    }

  private:
    size_t room_;
    bool old_form_;
    bool full_ = false;
    int error_ = 0;
    std::string bytes_;
};

std::optional<ProcFiles::Listed> ProcFiles::list(const Trap& trap, const Caller& caller) {
    const auto fd = static_cast<int>(trap.arguments[0]);
    const std::string text = descriptor_link(trap.thread, fd);
    if (!paths_.may_be_proc(text)) return {};
    const auto place = paths_.place_of(caller, text);
    if (!place || !(place->is_root() || place->is_task_list()) || !listener_.valid(trap)) return {};
    Fd directory = copy_descriptor(caller.process, fd);
    const bool apart = !directory && !can_copy_descriptors();
    if (apart) {
        directory = open_again(caller.process, fd);
        lseek(directory.get(), position_of(caller.process, fd), SEEK_SET);
    }
    // Another thread may have put something else there meanwhile.
    if (!directory || descriptor_link(HostPid(getpid()), directory.get()) != text) return {};
    Entries entries(std::min<size_t>(static_cast<uint32_t>(trap.arguments[2]), most),
                    trap.number == SYS_getdents);
    if (place->is_root())
        list_processes(caller, directory.get(), entries);
    else
        list_threads(caller, process_of_thread(place->process()), directory.get(), entries);
    long result = entries.result();
    if (result > 0 && !ProcessMemory(trap.thread).write_bytes(trap.arguments[1], entries.bytes()))
        result = -EFAULT;
    Listed listed{result, {}};
    if (apart && result > 0) listed.position = lseek(directory.get(), 0, SEEK_CUR);
    return listed;
}

// First what the kernel lists before the processes, then the container's processes in their own order.
void ProcFiles::list_processes(const Caller& caller, int directory, Entries& to) const {
    off_t position = lseek(directory, 0, SEEK_CUR);
    bool full = false;
    while (position < first_process && !full) {
        std::array<char, 4096> part;
        const ssize_t got = sys::getdents64(directory, part.data(), part.size());
        if (got < 0) return to.fail(errno);
        bool at_processes = got == 0;
        for (const Entry& entry : entries_of({part.data(), static_cast<size_t>(got)})) {
            at_processes = is_number(entry.name);
            full = !at_processes && !to.append(entry.header, entry.name);
            if (at_processes || full) break;
            position = entry.header.next;
        }
        if (at_processes) position = std::max(position, first_process);
    }
    if (!full) {
        std::vector<std::pair<int, int>> processes;  // number, host's
        numbers_.each_process([&](HostPid host) {
            const int number = translator_.outward(raw(host), caller.space);
            if (number != 0 && number >= position - first_process && !nested_.is_remains(host))
                processes.emplace_back(number, raw(host));
        });
        std::sort(processes.begin(), processes.end());
        const Fd here(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
        for (const auto& [number, host] : processes) {
            struct stat facts {};
            if (fstatat(here.get(), std::to_string(host).c_str(), &facts, 0) != 0) continue;  // reaped
            const off_t next = first_process + number + 1;
            if (!to.append({facts.st_ino, next, 0, DT_DIR}, std::to_string(number))) break;
            position = next;
        }
    }
    lseek(directory, position, SEEK_SET);
}

// Only the first thread's number is another; it may be longer. (The list is also found below the number of
// any other thread.)
void ProcFiles::list_threads(const Caller& caller, HostPid process, int directory, Entries& to) const {
    const std::string leader = std::to_string(raw(process));
    const std::string number = std::to_string(translator_.outward(raw(process), caller.space));
    off_t position = lseek(directory, 0, SEEK_CUR);
    for (bool full = false; !full;) {
        std::array<char, 4096> part;
        const ssize_t got = sys::getdents64(directory, part.data(), part.size());
        if (got < 0) to.fail(errno);
        if (got <= 0) break;
        for (const Entry& entry : entries_of({part.data(), static_cast<size_t>(got)})) {
            full = !to.append(entry.header, entry.name == leader ? std::string_view(number) : entry.name);
            if (full) break;
            position = entry.header.next;
        }
    }
    lseek(directory, position, SEEK_SET);
}

}  // namespace ctr::pidns

#include "pidns/monitor/procfs.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "runtime/base/fd.h"

namespace ctr::pidns {

namespace {

// A file of "Name:\tvalue" lines below /proc/PID; what is used here lies within the first page.
class FactFile {
  public:
    FactFile(HostPid process, const char* name) {
        std::array<char, 64> path;
        std::snprintf(path.data(), path.size(), "/proc/%d/%s", raw(process), name);
        const Fd file(open(path.data(), O_RDONLY | O_CLOEXEC));
        if (!file) return;
        const ssize_t got = read(file.get(), text_.data(), text_.size());
        if (got > 0) size_ = static_cast<size_t>(got);
    }

    std::optional<uint64_t> field(std::string_view name, int base) const {
        const std::string_view text(text_.data(), size_);
        const size_t start =
            text.find(name);  // name: "\nTgid:\t", which no command name can fake: it's escaped
        if (start == std::string_view::npos) return {};
        const char* digits = text.data() + start + name.size();
        uint64_t value = 0;
        if (std::from_chars(digits, text.data() + text.size(), value, base).ec != std::errc{}) return {};
        return value;
    }

  private:
    std::array<char, 4096> text_;
    size_t size_ = 0;
};

// A number that isn't one, such as the -1 of a pidfd whose process was reaped, reads as none.
HostPid number_in(const FactFile& file, std::string_view name) {
    return HostPid(static_cast<int>(file.field(name, 10).value_or(0)));
}

}  // namespace

HostPid process_of_thread(HostPid thread) {
    return number_in(FactFile(thread, "status"), "\nTgid:\t");
}

HostPid parent_of(HostPid process) {
    return number_in(FactFile(process, "status"), "\nPPid:\t");
}

bool has_capability(HostPid thread, int capability) {
    return ((FactFile(thread, "status").field("\nCapEff:\t", 16).value_or(0) >> capability) & 1) != 0;
}

HostPid process_of_pidfd(HostPid owner, int fd) {
    std::array<char, 32> name;
    std::snprintf(name.data(), name.size(), "fdinfo/%d", fd);
    return number_in(FactFile(owner, name.data()), "\nPid:\t");
}

std::optional<SignalSets> signal_sets(HostPid process) {
    const FactFile file(process, "status");
    const auto blocked = file.field("\nSigBlk:\t", 16);
    const auto ignored = file.field("\nSigIgn:\t", 16);
    const auto caught = file.field("\nSigCgt:\t", 16);
    if (!blocked || !ignored || !caught) return {};
    return SignalSets{*blocked, *ignored, *caught};
}

}  // namespace ctr::pidns

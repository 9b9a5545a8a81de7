// A file of lines "Name:\tvalue" below the host's /proc/PID, read whole. Empty: there is none.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class FactFile {
  public:
    FactFile(HostPid process, const char* name) {
        std::array<char, 64> path;
        std::snprintf(path.data(), path.size(), "/proc/%d/%s", raw(process), name);
        const Fd file(open(path.data(), O_RDONLY | O_CLOEXEC));
        if (!file) return;
        std::array<char, 4096> part;
        for (ssize_t got = 0; (got = read(file.get(), part.data(), part.size())) > 0;)
            text_.append(part.data(), static_cast<size_t>(got));
    }

    const std::string& text() const { return text_; }

    std::string line(std::string_view name) const {
        const std::string_view text(text_);
        const size_t start = text.find(name);
        if (start == std::string_view::npos) return {};
        const size_t begin = start + name.size();
        return std::string(text.substr(begin, text.find('\n', begin) - begin));
    }

    // name: "\nTgid:\t", which no command name can fake: it's escaped.
    std::optional<uint64_t> field(std::string_view name, int base) const {
        const std::string_view text(text_);
        const size_t start = text.find(name);
        if (start == std::string_view::npos) return {};
        const char* digits = text.data() + start + name.size();
        uint64_t value = 0;
        if (std::from_chars(digits, text.data() + text.size(), value, base).ec != std::errc{}) return {};
        return value;
    }

    // A number that isn't one, such as the -1 of a pidfd whose process was reaped, reads as none.
    HostPid process(std::string_view name) const {
        return HostPid(static_cast<int>(field(name, 10).value_or(0)));
    }

  private:
    std::string text_;
};

}  // namespace ctr::pidns

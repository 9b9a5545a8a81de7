// The kernel's small files, read whole and written by one write, and the directories of such files. Errors
// carry the file's full path, the errno and, where the errno says so, what it means for such files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::cgroup {

// Reads the whole of a file. STEP is what the caller is doing, for errors.
Result<std::string> read_file(const std::string& path, std::string_view step);

// Refuses a descriptor whose file system isn't of the given kind (a *_MAGIC of linux/magic.h), so that
// nothing is read or written through a directory that only looks like sysfs or cgroupfs (CVE-2019-19921,
// CVE-2025-52881).
Status check_file_system(int fd, const std::string& path, unsigned long magic);

// A directory of control files, held open: what happens to its path later doesn't matter.
class Directory {
  public:
    static Result<Directory> open(const std::string& path, std::string_view step);

    // Creates NAME in this directory, mode 0755, and opens it. It must not exist yet.
    Result<Directory> create(const std::string& name, std::string_view step) const;

    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

    bool has(const std::string& file) const;
    Result<std::string> read(const std::string& file, std::string_view step) const;

    // By one write, because the kernel takes each write to a control file as one command. Never creates the
    // file and never follows a symbolic link at its end.
    Status write(const std::string& file, std::string_view text, std::string_view step) const;

  private:
    Directory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

    std::string path_;  // as it was when opened; for messages and for who cleans up later
    Fd fd_;             // O_PATH
};

// Calls the function with each line, without its newline.
template <class Function>
void for_each_line(std::string_view text, Function function) {
    while (!text.empty()) {
        const size_t end = text.find('\n');
        function(text.substr(0, end));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

// Takes the text up to the separator (or all of it) off the front, with the separator.
std::string_view take_until(std::string_view& text, char separator);

// Whether WORD is one of the words of a list, such as "cpu io memory" or "rw,blkio".
bool has_word(std::string_view list, std::string_view word, char separator);

// A decimal number, whole and nothing else; false if it isn't one or doesn't fit.
bool parse_number(std::string_view text, unsigned long& number);

}  // namespace ctr::cgroup

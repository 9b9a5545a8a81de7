// The directory of the cache of images: files that nobody but we or root can have put there, and records,
// which are short texts.
//
// A record is a symbolic link that leads nowhere: its text is written and read by one call each, and is there
// whole or not at all. Files are written under another name and renamed into place when they are complete and
// on the disk. So any number of processes may write at once, and each may be killed at any step; what such a
// one leaves behind is removed later.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::pidns {

class CacheDirectory {
  public:
    // The first of the given directories that can be had: one that is there or can be made (with its parent),
    // belongs to us or to root, can be written to by nobody else, and whose files may be executed. Paths are
    // absolute.
    static Result<CacheDirectory> open(const std::vector<std::string>& paths);

    const std::string& path() const { return path_; }
    std::string path_of(const std::string& name) const { return path_ + "/" + name; }

    // Empty: there is none.
    std::string record(const std::string& name) const;
    // Seconds since it was written; a clock that was put back makes it negative.
    long age(const std::string& record) const;
    Status set_record(const std::string& name, const std::string& text) const;

    // A regular file of this size, open for reading, that only we or root can have written. Absent: there is
    // none. Notes that it is in use.
    Fd file(const std::string& name, off_t size) const;

    // MODIFIED: what the file says of its last change. Returns it open for reading.
    Result<Fd> set_file(const std::string& name, std::span<const std::byte> bytes,
                        const timespec& modified) const;

    // Removes the files that weren't used for longest, the oldest records, and what killed writers have left.
    void trim(size_t files, size_t records) const;

  private:
    CacheDirectory(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

    std::string path_;
    Fd fd_;
};

}  // namespace ctr::pidns

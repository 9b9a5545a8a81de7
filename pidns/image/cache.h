// Instrumented copies of images, each made once and then found without reading the image again.
//
//   an image's file (device, inode, size, times) --record--> its content --record--> the copy, or why there
//   is none
//
// The first record is what a warm start reads: two short texts, one open, one fstat. Content, named by its
// digest, is computed only where a file is seen for the first time, so that roots which hold the same library
// share a copy (and its pages in memory). Both names hold the version of the code that instruments, so that
// another version finds nothing of this one's; what isn't used any more goes when there are too many.
//
// What is trusted, and what is verified at each use: the directory and the file in it belong to us or root
// and nobody else can write to them, so nobody else wrote what is there; the file is a regular one of the
// size that it had when it was complete. Its bytes aren't read: they were on the disk before it got its name,
// and who could change them later could as well change the user's programs. A record whose file is gone, or
// isn't as it should be, counts as none.
//
// An image that can't be instrumented is recorded with the reason. So is a failure of the machine (no
// disassembler, no space), for a minute, so that it isn't paid for at every start.
//
// Nothing is changed here but the directory. Any number of processes may use it at once.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pidns/image/cache_directory.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::pidns {

class ImageCache {
  public:
    // The instrumented form of an image. An error that names a call is the machine's, any other the image's.
    using Make = std::function<Result<std::vector<std::byte>>(std::span<const std::byte> image)>;

    struct Options {
        uint64_t version = 0;  // of MAKE, and of all that goes into what it makes
        size_t files = 64;     // that are kept
        long settled = 2;      // seconds since an image's last change, below which its times say nothing: it
                               // may be changed once more without another time
    };

    // Directories in the order of preference; see CacheDirectory.
    static Result<ImageCache> open(const std::vector<std::string>& directories, Make make, Options options);

    struct Copy {
        std::string path;
        Fd file;  // verified; what is opened by the path later must be the same
    };

    // The copy for an image that is open, be it with O_PATH. Makes it where there is none. Set-user-id
    // programs, those with file capabilities and those that not everybody may read have none: a copy has the
    // rights of an ordinary file.
    Result<Copy> copy_of(const Fd& image) const;

    // The same where it is there already, and known by the image's identity.
    std::optional<Copy> known_copy_of(const Fd& image) const;

    // Paths of programs that were found to run without a copy and have got one since; the latest first.
    std::vector<std::string> programs() const;
    void add_program(const std::string& path) const;

    // The whole of an image that may have a copy. An error without a call is that it may not.
    static Result<std::vector<std::byte>> read(const Fd& image);

  private:
    ImageCache(CacheDirectory directory, Make make, Options options)
        : directory_(std::move(directory)), make_(std::move(make)), options_(options) {}

    // Nothing: it must be made.
    std::optional<Result<Copy>> recorded(const std::string& content) const;
    Result<Copy> examine(const Fd& image, const struct stat& status, const std::string& identity) const;
    Result<Copy> make(std::span<const std::byte> image, const struct stat& status,
                      const std::string& content) const;
    Result<Copy> store(std::span<const std::byte> image, const struct stat& status,
                       const std::string& content) const;

    CacheDirectory directory_;
    Make make_;
    Options options_;
};

}  // namespace ctr::pidns

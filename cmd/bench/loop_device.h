// Block devices over files that nobody else sees.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::bench {

// A loop device over an unlinked file of the given size. It detaches itself when its last user closes it, so
// that nothing is left even after a SIGKILL. Needs root.
class LoopDevice {
  public:
    enum class Layout {
        whole,          // nothing on it
        one_partition,  // a partition over all but the first MiB: path() + "p1"
    };
    // DIRECTORY: where the file is.
    static Result<LoopDevice> attach(const std::string& directory, uint64_t bytes,
                                     Layout layout = Layout::whole);

    const std::string& path() const { return path_; }  // "/dev/loop3"
    unsigned major_number() const { return major_; }
    unsigned minor_number() const { return minor_; }
    std::string number() const { return std::to_string(major_) + ":" + std::to_string(minor_); }

  private:
    LoopDevice(Fd fd, std::string path, unsigned major_number, unsigned minor_number);

    Fd fd_;
    std::string path_;
    unsigned major_;
    unsigned minor_;
};

}  // namespace ctr::bench

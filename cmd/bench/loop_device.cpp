#include "cmd/bench/loop_device.h"

#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ctr::bench {
namespace {

constexpr uint64_t partition_start = 1024 * 1024;

Result<Fd> unlinked_file(const std::string& directory, uint64_t bytes) {
    const std::string step = "make a file for a loop device";
    std::string name = directory + "/ctr-disk-XXXXXX";
    Fd file(mkostemp(name.data(), O_CLOEXEC));
    if (!file) return fail_call(step, "mkostemp " + name);
    unlink(name.c_str());
    if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return fail_call(step, "ftruncate " + name);
    return file;
}

// Told to the kernel directly, because not every kernel reads partition tables of every kind.
Status add_partition(int device, uint64_t bytes) {
    blkpg_partition partition{};
    partition.start = static_cast<long long>(partition_start);
    partition.length = static_cast<long long>(bytes - partition_start);
    partition.pno = 1;
    blkpg_ioctl_arg argument{};
    argument.op = BLKPG_ADD_PARTITION;
    argument.datalen = sizeof partition;
    argument.data = &partition;
    if (ioctl(device, BLKPG, &argument) == 0) return {};
    return fail_call("add a partition to a loop device", "BLKPG");
}

// One free device, as the kernel knows at the moment; somebody else may configure it first (EBUSY).
Result<std::pair<Fd, std::string>> configure_free_device(const loop_config& config) {
    const std::string step = "attach a loop device";
    const Fd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control) return fail_call(step, "open /dev/loop-control");
    constexpr int attempts = 64;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
        if (number < 0) return fail_call(step, "LOOP_CTL_GET_FREE");
        std::string path = "/dev/loop" + std::to_string(number);
        Fd device(open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!device) return fail_call(step, "open " + path);
        if (ioctl(device.get(), LOOP_CONFIGURE, &config) == 0)
            return std::pair(std::move(device), std::move(path));
        if (errno != EBUSY) return fail_call(step, "LOOP_CONFIGURE " + path);
    }
    return fail_call(step, "LOOP_CONFIGURE", EBUSY);
}

}  // namespace

LoopDevice::LoopDevice(Fd fd, std::string path, unsigned major_number, unsigned minor_number)
    : fd_(std::move(fd)), path_(std::move(path)), major_(major_number), minor_(minor_number) {}

Result<LoopDevice> LoopDevice::attach(const std::string& directory, uint64_t bytes, Layout layout) {
    const Result<Fd> file = unlinked_file(directory, bytes);
    if (!file) return std::unexpected(file.error());
    loop_config config{};
    config.fd = static_cast<uint32_t>(file->get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    // With this flag partitions go when the device is detached.
    if (layout == Layout::one_partition) config.info.lo_flags |= LO_FLAGS_PARTSCAN;
    auto configured = configure_free_device(config);
    if (!configured) return std::unexpected(configured.error());
    auto& [device, path] = *configured;
    if (layout == Layout::one_partition) {
        if (Status status = add_partition(device.get(), bytes); !status)
            return std::unexpected(status.error());
    }
    struct stat facts;
    if (fstat(device.get(), &facts) != 0) return fail_call("attach a loop device", "fstat " + path);
    return LoopDevice(std::move(device), std::move(path), major(facts.st_rdev), minor(facts.st_rdev));
}

}  // namespace ctr::bench

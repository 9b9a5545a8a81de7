#include "cmd/bench/io.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "cmd/bench/digest.h"
#include "cmd/bench/programs.h"
#include "cmd/bench/raw_device.h"
#include "cmd/bench/scripts.h"
#include "cmd/table.h"

namespace ctr::bench {

namespace {

constexpr uint64_t written_part = 6;  // of the device: one sixth at most

// Field 49 of fio's terse output, which follows the version: operations per second.
std::string fio_pattern() {
    std::string pattern = "^3;";
    for (int field = 2; field < 49; ++field) pattern += "[^;]*;";
    return pattern + "([0-9.]+);";
}

Status check_room(const std::string& directory, uint64_t bytes) {
    struct statvfs facts {};
    const std::string step = "make two devices in " + directory;
    if (statvfs(directory.c_str(), &facts) != 0) return fail_call(step, "statvfs");
    const uint64_t room = facts.f_bavail * facts.f_frsize;
    const uint64_t needed = 2 * bytes / written_part;
    if (room >= needed) return {};
    constexpr uint64_t mib = 1024 * 1024;
    return fail_input(
        step,
        std::to_string(needed / mib) + " MiB are needed, and " + std::to_string(room / mib) + " MiB are free",
        "--files DIRECTORY on a larger file system, or --size BYTES");
}

Workload mkfs_on(const TwoDevices& devices) {
    return {.name = mkfs_title,
            .what = "mkfs.ext2 -b 1024 -i 2048, which writes about an eighth of the device",
            .command = {"sh", "-c", mkfs_both, "mkfs", devices.first(), devices.second()}};
}

Workload fio_on(const TwoDevices& devices, bool quick) {
    return {.name = fio_title,
            .what = "blocks of 4 KiB, past the page cache, one at a time",
            .command = {"fio", "--name=random", "--filename=" + devices.first() + ":" + devices.second(),
                        "--rw=randwrite", "--bs=4k", "--direct=1", "--ioengine=psync", "--time_based",
                        quick ? "--runtime=1" : "--runtime=10", "--output-format=terse", "--terse-version=3"},
            .figures = {{{"writes", "per s", Better::higher}, fio_pattern()}}};
}

}  // namespace

Result<TwoDevices> TwoDevices::get(const IoOptions& options) {
    TwoDevices devices;
    if (geteuid() != 0)
        return fail_call("get two block devices", "", EPERM,
                         "an ordinary user has none to write to, and may attach none", "run it as root");
    if (!options.devices.empty()) {
        std::set<uint64_t> numbers;
        for (const std::string& path : options.devices) {
            const auto found =
                RawDevice::examine(path, options.force ? Contents::may_be_lost : Contents::must_be_empty);
            if (!found) return std::unexpected(found.error());
            numbers.insert(found->number);
        }
        if (options.devices.size() != 2 || numbers.size() != 2)
            return fail_input("get two block devices", "two different ones are needed",
                              "--device A --device B");
        devices.first_ = options.devices[0];
        devices.second_ = options.devices[1];
        return devices;
    }
    if (auto room = check_room(options.directory, options.bytes); !room) return std::unexpected(room.error());
    for (int i = 0; i < 2; ++i) {
        auto loop = LoopDevice::attach(options.directory, options.bytes);
        if (!loop) return std::unexpected(std::move(loop).error());
        devices.loops_.push_back(*std::move(loop));
    }
    devices.first_ = devices.loops_[0].path();
    devices.second_ = devices.loops_[1].path();
    return devices;
}

std::vector<Configuration> io_configurations(const TwoDevices& devices) {
    // Far above what any device does, and above what would wrap in 32 bits.
    constexpr const char* rate = ":400gb";
    const auto limited = [&](const char* who) {
        return Words{"--io-throttle",      who,
                     "--device-write-bps", devices.first() + rate,
                     "--device-write-bps", devices.second() + rate};
    };
    return {{.name = "no cgroup"},
            {.name = "a cgroup", .kind = "unnumbered", .options = {"--pids-limit", "100000"}},
            {.name = "limit, the kernel's", .kind = "unnumbered", .options = limited("kernel")},
            {.name = "limit, ctr's", .kind = "unnumbered", .options = limited("user")}};
}

Status measure_io(Session& session, const IoOptions& options, bool quick, const Plan& pace) {
    if (auto there = need_program("mkfs.ext2", "e2fsprogs"); !there) return there;
    const auto devices = TwoDevices::get(options);
    if (!devices) return std::unexpected(devices.error());
    const std::vector<Configuration> configurations = io_configurations(*devices);
    if (auto run = session.run(mkfs_on(*devices), configurations, pace); !run)
        return std::unexpected(run.error());
    if (session.interrupted()) return {};
    if (auto there = need_program("fio", "fio"); !there) {
        session.skip(fio_title, there.error().message());
        return {};
    }
    if (auto run = session.run(fio_on(*devices, quick), configurations, pace); !run)
        return std::unexpected(run.error());
    return {};
}

std::string io_digest(const Report& report) {
    std::string text;
    for (const auto& [title, metric] : {std::pair(mkfs_title, "wall"), std::pair(fio_title, "writes")}) {
        const Recording* recording = find_recording(report, title);
        if (recording == nullptr) continue;
        const auto index = find_metric(*recording, metric);
        if (!index) continue;
        text += std::string(title) + "\n" + spread_table(*recording, *index) + "\n";
    }
    if (text.empty()) return text;
    return text + "the same in 2009 (io-throttle, version 13)\n" +
           cmd::aligned({{"mkfs, s", "min", "avg", "max", "sdev", "spread", "overhead"},
                         {"without", "80.196", "80.585", "81.030", "0.215", "0.834", "-"},
                         {"with", "80.402", "80.836", "81.623", "0.327", "1.221", "0.3 %"}});
}

}  // namespace ctr::bench

#include "cmd/bench/device_options.h"

#include "cgroup/rate.h"

namespace ctr::bench {

Result<IoOptions> take_devices(const cmd::Given& given, bool quick) {
    constexpr uint64_t least = 64ULL << 20;
    IoOptions options;
    options.devices = given.of("device");
    // In memory, where nothing but the work of the processors is in the times; disks have moods.
    options.directory = "/dev/shm";
    options.bytes = quick ? quick_bytes : full_bytes;
    Status statuses[] = {
        given.take("files", options.directory,
                   [](const std::string& text) { return Result<std::string>(text); }),
        given.take("size", options.bytes,
                   [](const std::string& text) { return cgroup::parse_bytes("size", text, "2g, 512m"); }),
        given.take_flag("force", options.force),
    };
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    if (options.bytes < least)
        return fail_input("read --size", "less than 64 MiB is no file system to measure with");
    if (!options.devices.empty() && (!given.of("files").empty() || !given.of("size").empty()))
        return fail_input("read the arguments",
                          "--files and --size are of loop devices, --device names others", "either of them");
    return options;
}

}  // namespace ctr::bench

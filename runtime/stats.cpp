#include "runtime/stats.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cgroup/control_file.h"
#include "runtime/contact.h"
#include "runtime/listing.h"

namespace ctr {

namespace {

constexpr const char* step = "read what the container uses";
constexpr uint64_t microseconds = 1'000'000;

std::string proc_file(HostPid process, const char* name) {
    const auto text = cgroup::read_file("/proc/" + std::to_string(raw(process)) + "/" + name, step);
    return text ? *text : std::string();
}

// The word of /proc/PID/stat that proc(5) gives this number; the name, which is the second, may hold
// anything.
std::optional<uint64_t> stat_field(std::string_view text, int number) {
    const size_t end = text.rfind(')');
    if (end == std::string_view::npos || end + 2 > text.size()) return {};
    text.remove_prefix(end + 2);
    std::string_view word;
    for (int at = 3; at <= number; ++at) word = cgroup::take_until(text, ' ');
    unsigned long value = 0;
    if (!cgroup::parse_number(word, value)) return {};
    return value;
}

std::vector<HostPid> processes_of(HostPid init) {
    std::vector<HostPid> found;
    if (const auto listing = list_processes({.all = false, .containers = {init}}))
        for (const ListedProcess& listed : listing->processes) found.push_back(listed.process.here);
    return found;
}

// What has ended meanwhile counts as nothing.
void add_times(const std::vector<HostPid>& processes, Stats& stats) {
    const auto per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
    uint64_t ticks = 0;
    for (const HostPid process : processes) ticks += ticks_in_stat(proc_file(process, "stat")).value_or(0);
    stats.cpu = ticks * microseconds / per_second;
    stats.cpu_counted = Counted::in_processes;
}

void add_threads(const std::vector<HostPid>& processes, Stats& stats) {
    for (const HostPid process : processes)
        stats.pids += threads_in_stat(proc_file(process, "stat")).value_or(0);
    stats.pids_counted = Counted::in_processes;
}

// The proportionate sizes of all of them, or the resident ones: not some of each.
void add_memory(const std::vector<HostPid>& processes, Stats& stats) {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    bool all_proportionate = true;
    uint64_t proportionate = 0;
    uint64_t resident = 0;
    for (const HostPid process : processes) {
        constexpr int resident_pages = 24;
        const auto pages = stat_field(proc_file(process, "stat"), resident_pages).value_or(0);
        if (pages == 0) continue;  // it has ended
        resident += pages * page;
        const auto share = labelled_number(proc_file(process, "smaps_rollup"), "Pss:");
        all_proportionate = all_proportionate && share;
        proportionate += share.value_or(0) * 1024;
    }
    stats.memory = all_proportionate ? proportionate : resident;
    stats.memory_counted = all_proportionate ? Counted::as_proportionate : Counted::as_resident;
}

void add_io(const std::vector<HostPid>& processes, Stats& stats) {
    for (const HostPid process : processes) {
        const std::string text = proc_file(process, "io");
        const auto read = labelled_number(text, "read_bytes:");
        if (!read) continue;
        stats.io.read_bytes += *read;
        stats.io.write_bytes += labelled_number(text, "write_bytes:").value_or(0);
        stats.io_counted = Counted::in_processes;
    }
}

void take_counted(const cgroup::Usage& usage, Stats& stats) {
    const auto take = [](const std::optional<uint64_t>& from, uint64_t& to, Counted& counted) {
        if (!from) return;
        to = *from;
        counted = Counted::by_cgroup;
    };
    take(usage.cpu, stats.cpu, stats.cpu_counted);
    take(usage.memory, stats.memory, stats.memory_counted);
    take(usage.pids, stats.pids, stats.pids_counted);
    stats.memory_limit = usage.memory_limit;
    stats.pids_limit = usage.pids_limit;
    if (!usage.io) return;
    stats.io_counted = Counted::by_cgroup;
    stats.devices = *usage.io;
    stats.io.read_operations = stats.io.write_operations = 0;
    for (const cgroup::DeviceUsage& device : stats.devices) {
        stats.io.read_bytes += device.counters.read_bytes;
        stats.io.write_bytes += device.counters.write_bytes;
        *stats.io.read_operations += device.counters.read_operations;
        *stats.io.write_operations += device.counters.write_operations;
    }
}

// What ctr itself has kept from writing; a device that the cgroup doesn't count is one more.
void take_throttled(const std::vector<cgroup::ThrottleCounters>& all, Stats& stats) {
    for (const cgroup::ThrottleCounters& counters : all) {
        auto found = std::ranges::find(stats.devices, counters.device, &cgroup::DeviceUsage::device);
        if (found == stats.devices.end())
            found = stats.devices.insert(found, cgroup::DeviceUsage{counters.device, {}, {}});
        const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(counters.time);
        found->throttled = cgroup::Throttled{counters.throttled, static_cast<uint64_t>(waited.count())};
    }
}

}  // namespace

const char* word_for(Counted counted) {
    switch (counted) {
        case Counted::by_cgroup: return "cgroup";
        case Counted::in_processes: return "processes";
        case Counted::as_proportionate: return "pss";
        case Counted::as_resident: return "rss";
        case Counted::nowhere: break;
    }
    return "none";
}

std::optional<uint64_t> ticks_in_stat(std::string_view text) {
    uint64_t sum = 0;
    for (const int field : {14, 15, 16, 17}) {
        const auto ticks = stat_field(text, field);
        if (!ticks) return {};
        sum += *ticks;
    }
    return sum;
}

std::optional<uint64_t> threads_in_stat(std::string_view text) {
    return stat_field(text, 20);
}

std::optional<uint64_t> labelled_number(std::string_view text, std::string_view label) {
    std::optional<uint64_t> found;
    cgroup::for_each_line(text, [&](std::string_view line) {
        if (!line.starts_with(label)) return;
        line.remove_prefix(label.size());
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        unsigned long number = 0;
        if (cgroup::parse_number(cgroup::take_until(line, ' '), number)) found = number;
    });
    return found;
}

Result<Stats> read_stats(const Entry& entry) {
    const auto contact = Contact::make(entry);
    if (!contact) return std::unexpected(contact.error());
    const auto state = entry.read();
    if (!state) return std::unexpected(state.error());
    Stats stats;
    stats.name = entry.name();
    stats.init = contact->init();
    take_counted(cgroup::read_usage(state->cgroups), stats);
    if (const auto throttled = contact->throttled()) take_throttled(*throttled, stats);
    struct Kind {
        Counted counted;
        void (*add)(const std::vector<HostPid>&, Stats&);
    };
    const std::array kinds{Kind{stats.cpu_counted, add_times}, Kind{stats.memory_counted, add_memory},
                           Kind{stats.pids_counted, add_threads}, Kind{stats.io_counted, add_io}};
    std::optional<std::vector<HostPid>> processes;
    for (const Kind& kind : kinds) {
        if (kind.counted != Counted::nowhere) continue;
        if (!processes) processes = processes_of(stats.init);
        kind.add(*processes, stats);
    }
    stats.taken = std::chrono::steady_clock::now();
    return stats;
}

double cpu_percent(const Stats& before, const Stats& after) {
    const double passed = std::chrono::duration<double, std::micro>(after.taken - before.taken).count();
    if (passed <= 0 || after.cpu <= before.cpu) return 0;
    return 100 * static_cast<double>(after.cpu - before.cpu) / passed;
}

}  // namespace ctr

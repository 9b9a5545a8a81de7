// What was found then.
#include "cmd/bench/seeds.h"

namespace ctr::bench {

namespace {

constexpr const char* list = "multi:list";
constexpr const char* flat = "flat";
constexpr const char* hash = "multi";
constexpr const char* kernel = "kernel";

constexpr const char* models_note =
    "Then: in the first namespace, kernels with namespaces against kernels without, units of UnixBench. "
    "Here: the command inside of a container, against the same outside.";

Seed pid_models() {
    return {"models",
            "Pid namespace models (2007)",
            models_note,
            {
                {"list multilevel", "spawn", "lps", "579.1", "570.7", "1.5 %", list, "lps"},
                {"list multilevel", "execl", "lps", "618.3", "610.8", "1.3 %", list, "lps"},
                {"list multilevel", "shell", "lpm", "1623.2", "1600.2", "1.4 %", list, "lpm"},
                {"flat", "spawn", "lps", "580.6", "580.8", "0 %", flat, "lps"},
                {"flat", "execl", "lps", "616.0", "615.1", "0.1 %", flat, "lps"},
                {"flat", "shell", "lpm", "1633.8", "1632.2", "<0.1 %", flat, "lpm"},
                {"hash multilevel", "spawn", "lps", "580.6", "576.9", "0.6 %", hash, "lps"},
                {"hash multilevel", "execl", "lps", "616.0", "611.0", "0.8 %", hash, "lps"},
                {"hash multilevel", "shell", "lpm", "1633.8", "1618.8", "0.9 %", hash, "lpm"},
                {"today's kernel", "spawn", "lps", "-", "-", "-", kernel, "lps"},
                {"today's kernel", "execl", "lps", "-", "-", "-", kernel, "lps"},
                {"today's kernel", "shell", "lpm", "-", "-", "-", kernel, "lpm"},
            },
            15};
}

Seed ps() {
    return {
        "ps",
        "ps -xaf among many processes (2007)",
        "Then: 1000 runs, about 500 processes, system time. Here: in a container, against the kernel's pid "
        "namespace, in which ps sees the same; system time is that of ps, and what ctr's monitor does for it "
        "is in "
        "the time elapsed.",
        {{"list multilevel", "ps", "s system", "3.052", "3.107", "1.8 %", list, "system time"},
         {"list multilevel", "ps", "s elapsed", "-", "-", "-", list, "elapsed"},
         {"flat", "ps", "s system", "3.050", "3.054", "0.1 %", flat, "system time"},
         {"flat", "ps", "s elapsed", "-", "-", "-", flat, "elapsed"},
         {"hash multilevel", "ps", "s system", "3.050", "3.065", "0.5 %", hash, "system time"},
         {"hash multilevel", "ps", "s elapsed", "-", "-", "-", hash, "elapsed"}},
        15,
        Against::kernel};
}

Seed threads() {
    return {"threads",
            "NPTL perf (2007): perf -s 1000000 -t 1 -r 0 -T --sync-join",
            "Then: in the first namespace. Here: inside of a container.",
            {{"list multilevel", "nptl_perf", "s", "13.79", "14.06", "2.0 %", list, "perf"},
             {"flat", "nptl_perf", "s", "13.79", "13.80", "0.0 %", flat, "perf"},
             {"hash multilevel", "nptl_perf", "s", "13.79", "14.28", "3.5 %", hash, "perf"},
             {"today's kernel", "nptl_perf", "s", "-", "-", "-", kernel, "perf"}},
            15};
}

Seed inside() {
    return {"inside",
            "Inside of a namespace (2007)",
            "Then and here: in a new namespace, against outside.",
            {{"flat", "nptl_perf", "s", "-", "-", "6.8 %", flat, "perf"},
             {"flat", "getpid", "lps", "-", "-", "0.07 %", flat, "lps"},
             {"hash multilevel", "nptl_perf", "s", "-", "-", "10.6 %", hash, "perf"},
             {"hash multilevel", "getpid", "lps", "-", "-", "1.07 %", hash, "lps"},
             {"today's kernel", "nptl_perf", "s", "-", "-", "-", kernel, "perf"},
             {"today's kernel", "getpid", "lps", "-", "-", "-", kernel, "lps"}},
            15};
}

Seed nsproxy() {
    Seed seed = {
        "sets",
        "A uts namespace, and namespaces shared as a set (nsproxy, 2006)",
        "Then: kernels without nsproxy against one with it, 15 runs, 95 % intervals (reaim: deviation). "
        "Here: "
        "outside, against a uts namespace of its own, and against the namespaces of another process.",
        {},
        15,
        Against::outside_in_sets};
    struct Then {
        const char* workload;
        const char* unit;
        const char* without;
        const char* with;
        const char* slowdown;  // of the means
        const char* metric;
    };
    constexpr Then all[] = {{"kernbench", "s", "69.06 +- 0.22", "68.90 +- 0.21", "-0.2 %", "build"},
                            {"dbench", "MB/s", "388.4 +- 21.0", "386.0 +- 26.6", "0.6 %", "throughput"},
                            {"tbench", "MB/s", "389.4 +- 10.95", "391.6 +- 8.00", "-0.6 %", "throughput"},
                            {"reaim-1", "jpm", "110160 (5729)", "115600 (5512)", "-4.9 %", "jpm"},
                            {"reaim-3", "jpm", "246986 (9376)", "246986 (9376)", "0.0 %", "jpm"},
                            {"reaim-5", "jpm", "262204 (11139)", "272309 (8030)", "-3.9 %", "jpm"},
                            {"reaim-7", "jpm", "288660 (6881)", "290020 (7288)", "-0.5 %", "jpm"},
                            {"reaim-9", "jpm", "300632 (4352)", "298592 (5558)", "0.7 %", "jpm"}};
    for (const char* subject : {"uts", "shared"})
        for (const Then& then : all)
            seed.findings.push_back({subject == std::string("uts") ? "own uts" : "shared set", then.workload,
                                     then.unit, then.without, then.with, then.slowdown, subject,
                                     then.metric});
    return seed;
}

Seed mkfs() {
    return {"mkfs", "mkfs, with and without a limit (2009)", "", {}, 30, Against::limits};
}

}  // namespace

const std::vector<Seed>& seeds() {
    static const std::vector<Seed> all = {pid_models(), ps(), threads(), inside(), nsproxy(), mkfs()};
    return all;
}

}  // namespace ctr::bench

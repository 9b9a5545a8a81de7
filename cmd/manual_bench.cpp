// What is said of ctr bench.
#include "cmd/bench_options.h"
#include "cmd/manual_parts.h"

namespace ctr::cmd {

std::vector<Manual> manuals_of_measuring() {
    return {
        {"bench",
         "measure what a container costs",
         "run|compare|seeds|io|scaling|list [--] [COMMAND [ARGUMENT...]|FILE FILE]",
         "ctr bench run runs a command outside and inside of containers, again and again, and says how much "
         "longer it takes there, and how sure that is. In each round every configuration has its turn, in an "
         "order drawn anew; what is compared are the times of the same round. The second instance of the "
         "reference (host again) shows how far apart equal things are: a difference that isn't larger is "
         "none "
         "that could be measured, and where that is much, it is said to be too noisy, in place of a "
         "number.\n\n"
         "The command's own time is measured inside, from its start to its end; what the container's start "
         "takes, "
         "and what ctr's processes use beside the command, are told apart from that. A command that fails "
         "has "
         "no figures, but a reason.\n\n"
         "ctr bench compare shows two reports of it (--json) beside each other, also of two machines, and "
         "says "
         "what differs between these.\n\n"
         "ctr bench seeds measures again what was measured when pid namespaces, io-throttle and nsproxy were "
         "discussed, and prints those tables with what is found here beside what was found then. ctr bench "
         "io is "
         "the test of io-throttle alone: two file systems made in parallel, without a cgroup, in one, and "
         "with a "
         "limit that is never reached. ctr bench scaling shows how the cost grows with depth, with processes "
         "and "
         "with containers. ctr bench list names the workloads that come with ctr, and what they lack.",
         {"run compare seeds io scaling list", "<command>"},
         &bench_options(),
         {{"Configurations",
           "[NAME=]KIND[@DEPTH][,+NS|,-NS]...[ OPTION...], where NAME is what reports call it.",
           {{"host", "outside of any container"},
            {"host,+uts", "outside, with a namespace of the kernel: uts, ipc, net, cgroup, time, mnt, pid"},
            {"flat, multi, multi:list, kernel",
             "in a container, by its --pidns (multi:list: --pid-lookup=list)"},
            {"unnumbered", "in a container with --pidns=host"},
            {"flat@8", "in eight containers, one in the other"},
            {"flat,-uts,+net", "without and with one of the namespaces uts, ipc, net, cgroup, time, user"},
            {"limited=flat -m 512m", "with any options of ctr run"}}},
          {"Figures",
           "",
           {{"wall, user, system, cpu", "of the command and what it has waited for; cpu is user and system"},
            {"memory", "of its largest process, and at least what ctr itself takes"},
            {"start", "until the command is about to be executed, with some 1 ms of the measurement's own"},
            {"ctr cpu", "what ctr's processes used: start, numbering, end; with the measurement's own"}}}},
         {{"a command outside, and under each numbering", "ctr bench run -- make -j2"},
          {"one minute, two configurations, and a report to look at",
           "ctr bench run --time 60 -c flat -c kernel --html report.html -- ./job"},
          {"what limits cost, in a workload that comes with ctr",
           "ctr bench run --workload spawn -c flat -c 'limited=flat -m 512m --cpus 2'"},
          {"a number that the program prints itself",
           "ctr bench run --figure 'lps:higher=: ([0-9.]+) lps' -- ./spawn"},
          {"the tables of 2006 to 2009, in some minutes, and what is found here",
           "ctr bench seeds --quick --html seeds.html"},
          {"what a limit costs on two disks whose contents don't matter",
           "ctr bench io --device /dev/sdx --device /dev/sdy"},
          {"how the cost grows with the containers at once", "ctr bench scaling --along parallel"},
          {"before and after a change",
           "ctr bench run --json before.json -- ./job\nctr bench run --json after.json -- ./job\n"
           "ctr bench compare before.json after.json"}},
         "0; 1 if a command failed, 130 if it was interrupted (what was measured until then is printed); 125 "
         "if "
         "ctr failed.",
         "run stats"}};
}

}  // namespace ctr::cmd

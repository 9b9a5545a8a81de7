// Texts of real kernels, as the host prints them: 6.18 if nothing else is said. The cast, for whoever
// translates them: process 4942 with a thread 4990, its children 4984, 4985 and 4986, its parent and group
// 4893, its session 2402.
#pragma once

#include <string_view>

#include "pidns/surface/contents.h"

namespace ctr::pidns::samples {

constexpr std::string_view stat =
    "4942 (python3) S 4893 4893 2402 34816 4893 4194304 3534 6583 1 0 2 2 3 0 20 0 2 0 1284518 94248960 3645 "
    "18446744073709551615 93863531393024 93863531393365 140722613605408 0 0 0 0 16781312 2 1 0 0 17 1 0 0 0 "
    "0 0 "
    "93863531404720 93863531405336 93864074661888 140722613606343 140722613606398 140722613606398 "
    "140722613608399 0\n";

constexpr std::string_view thread_stat =
    "4990 (python3) R 4893 4893 2402 0 -1 4194368 14 6583 0 0 0 0 3 0 20 0 2 0 1284559 94248960 3645 "
    "18446744073709551615 93863531393024 93863531393365 140722613605408 0 0 0 0 16781312 2 0 0 0 -1 1 0 0 0 "
    "0 0 "
    "93863531404720 93863531405336 93864074661888 140722613606343 140722613606398 140722613606398 "
    "140722613608399 0\n";

// Without memory, so without addresses.
constexpr std::string_view kernel_thread_stat =
    "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 25 0 0 18446744073709551615 0 0 0 0 0 0 0 "
    "2147483647 "
    "0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

// Of a thread, shortened only where nothing but more of the same comes.
constexpr std::string_view status =
    "Name:\tpython3\nUmask:\t0022\nState:\tR (running)\nTgid:\t4942\nNgid:\t0\nPid:\t4990\nPPid:\t4893\n"
    "TracerPid:\t4984\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t256\nGroups:\t "
    "\nNStgid:\t4942\nNSpid:\t4990\n"
    "NSpgid:\t4893\nNSsid:\t2402\nKthread:\t0\nVmPeak:\t  157560 kB\nVmSize:\t   92040 kB\nCoreDumping:\t0\n"
    "THP_enabled:\t1\nuntag_mask:\t0xffffffffffffffff\nThreads:\t2\nSigQ:\t7/"
    "96365\nSigPnd:\t0000000000000000\n"
    "CapBnd:\t000001fffeffffff\nNoNewPrivs:\t0\nSeccomp:\t0\nSpeculation_Store_Bypass:\tvulnerable\n"
    "Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed:\t00000000,00000001\nMems_allowed_list:\t0\n"
    "voluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t3\n";

// 5.10, built without pid namespaces; the name is ") S (a\nPid:\t1".
constexpr std::string_view old_status =
    "Name:\t) S (a\\nPid:\t1\nUmask:\t0022\nState:\tS "
    "(sleeping)\nTgid:\t4942\nNgid:\t0\nPid:\t4942\nPPid:\t4893\n"
    "TracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t64\nGroups:\t \nVmPeak:\t    2316 kB\n"
    "Threads:\t1\nSpeculation_Store_Bypass:\tthread vulnerable\nCpus_allowed:\t3\n"
    "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n";

constexpr std::string_view children = "4984 4985 4986 ";

constexpr std::string_view sched =
    "cat (4942, #threads: 2)\n"
    "-------------------------------------------------------------------\n"
    "se.exec_start                                :      12846062.969856\n"
    "se.nr_migrations                             :                    0\n"
    "clock-delta                                  :                   70\n"
    "mm->numa_scan_seq                            :                    0\n"
    "numa_preferred_nid                           :                   -1\n"
    "current_node=0, numa_group_id=4942\n"
    "numa_faults node=0 task_private=0 task_shared=0 group_private=0 group_shared=0\n";

constexpr std::string_view pidfd_info =
    "pos:\t0\nflags:\t02000002\nmnt_id:\t4\nino:\t6209408\nPid:\t4984\nNSpid:\t4984\n";
constexpr std::string_view reaped_pidfd_info =
    "pos:\t0\nflags:\t02000002\nmnt_id:\t4\nino:\t6209408\nPid:\t-1\nNSpid:\t-1\n";
constexpr std::string_view lock_info =
    "pos:\t0\nflags:\t02100001\nmnt_id:\t27\nino:\t10952768\n"
    "lock:\t1: FLOCK  ADVISORY  WRITE 4942 fe:00:10952768 0 EOF\n"
    "lock:\t2: OFDLCK ADVISORY  WRITE -1 fe:00:10952768 0 9\n";

// The clocks: realtime, processor time of 4984, of the thread 4990, of the caller and of its thread, of a
// descriptor.
constexpr std::string_view timers =
    "ID: 5\nsignal: 10/0000000000001234\nnotify: signal/tid.4990\nClockID: 0\n"
    "ID: 4\nsignal: 10/0000000000001234\nnotify: signal/pid.4942\nClockID: -39878\n"
    "ID: 3\nsignal: 0/0000000000000000\nnotify: none/pid.4942\nClockID: -39922\n"
    "ID: 2\nsignal: 10/0000000000001234\nnotify: thread/pid.4942\nClockID: -6\n"
    "ID: 1\nsignal: 10/0000000000001234\nnotify: signal/pid.4942\nClockID: -2\n"
    "ID: 0\nsignal: 10/0000000000001234\nnotify: signal/pid.4942\nClockID: -29\n";

// The sixth argument says that the numbers are the host's. A wait, one for a group, for no number; the time
// of a process; one that the monitor hasn't seen yet; no call.
constexpr std::string_view waiting =
    "61 0x1378 0x7ffc7d5b17ac 0x0 0x0 0x0 0x6d616769 0x7ffc7d5b1798 0x7f5e92c6abd3\n";
constexpr std::string_view waiting_for_group =
    "61 0xffffffffffffecb2 0x0 0x0 0x0 0x0 0x6d616769 0x7ffc7d5b1798 0x7f5e92c6abd3\n";
constexpr std::string_view waiting_by_kind =
    "247 0x1 0x134e 0x0 0x4 0x0 0x6d616769 0x7ffc7d5b1798 0x7f5e92c6abd3\n";
constexpr std::string_view asking = "61 0x137a 0x0 0x0 0x0 0x0 0x1 0x7ffc7d5b1798 0x7f5e92c6abd3\n";
constexpr std::string_view in_no_call = "-1 0x7ffc7d5b1798 0x7f5e92c6abd3\n";
constexpr std::string_view running = "running\n";

constexpr std::string_view loadavg = "1.07 1.49 1.60 2/139 4990\n";

constexpr std::string_view locks =
    "1: LEASE  ACTIVE    READ 4942 fe:00:10952857 0 EOF\n"
    "2: OFDLCK ADVISORY  WRITE -1 fe:00:10952847 0 9\n"
    "3: POSIX  ADVISORY  WRITE 4942 fe:00:10952807 0 EOF\n"
    "3: -> POSIX  ADVISORY  WRITE 4985 fe:00:10952807 0 EOF\n"
    "3:  -> POSIX  ADVISORY  WRITE 4984 fe:00:10952807 0 EOF\n"
    "4: FLOCK  ADVISORY  WRITE 4893 fe:00:10952768 0 EOF\n"
    "4: -> FLOCK  ADVISORY  WRITE 4986 fe:00:10952768 0 EOF\n"
    "5: POSIX  *NOINODE* READ 4942 <none>:0 0 EOF\n";

constexpr std::string_view shm =
    "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime "
    "     "
    "dtime      ctime                   rss                  swap\n"
    "         0         20   600                  4096  4942  4984      1     0     0     0     0 1796075461 "
    "         "
    "0 1796075461                     0                     0\n"
    "-559038737         21  1600                  4096 123456  4942      1     0     0     0     0 "
    "1796075461          "
    "0 1796075461                     0                     0\n";

constexpr std::string_view msg =
    "       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid  cgid      stime      "
    "rtime      "
    "ctime\n"
    "         0          0   600           8          1  4942     0     0     0     0     0 1796075461       "
    "   0 "
    "1796075461\n";

constexpr std::string_view pid_max = "32768\n";
constexpr std::string_view ns_last_pid = "4990\n";
constexpr std::string_view pid_list = "4893\n4942\n4984\n";

struct Sample {
    Content content;
    std::string_view text;
};

constexpr Sample all[] = {
    {Content::stat, stat},
    {Content::stat, thread_stat},
    {Content::stat, kernel_thread_stat},
    {Content::status, status},
    {Content::status, old_status},
    {Content::children, children},
    {Content::sched, sched},
    {Content::fdinfo, pidfd_info},
    {Content::fdinfo, reaped_pidfd_info},
    {Content::fdinfo, lock_info},
    {Content::timers, timers},
    {Content::call, waiting},
    {Content::call, waiting_for_group},
    {Content::call, waiting_by_kind},
    {Content::call, asking},
    {Content::call, in_no_call},
    {Content::call, running},
    {Content::loadavg, loadavg},
    {Content::locks, locks},
    {Content::shm, shm},
    {Content::msg, msg},
    {Content::pid_max, pid_max},
    {Content::ns_last_pid, ns_last_pid},
    {Content::pid_list, pid_list},
    {Content::pid_list_v2, pid_list},
};

}  // namespace ctr::pidns::samples

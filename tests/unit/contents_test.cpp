// The texts of /proc, as they are and as the reader's kernel would have printed them.
#include "pidns/surface/contents.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/contents_samples.h"
#include "tests/support/table_view.h"

namespace ctr::pidns {
namespace {

using test::TableView;

// How the samples' cast is seen: 4986 isn't.
TableView cast() {
    constexpr int outer = 1;
    constexpr int inner = 2;
    TableView view;
    view.processes = {
        {2402, {{outer, 1}}},
        {4893, {{outer, 12}}},
        {4942, {{outer, 345678}, {inner, 1}}},
        {4984, {{outer, 20}, {inner, 2}}},
        {4985, {{outer, 21}, {inner, 3}}},
    };
    view.leader_of = {{4990, 4942}, {4991, 4986}};
    view.pid_max = 4'194'304;
    view.last_number = 345678;
    return view;
}

std::string translated(Content content, std::string_view text, const View& view = cast()) {
    std::string to(room_for(text.size()), '#');
    const auto size = translate(content, text, view, to);
    return size ? to.substr(0, *size) : "(nothing)";
}

// With each of the first text's occurrences, which must be there, replaced.
std::string with(std::string_view text, const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string result(text);
    for (const auto& [from, to] : changes) {
        size_t at = result.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        for (; at != std::string::npos; at = result.find(from, at + to.size()))
            result.replace(at, from.size(), to);
    }
    return result;
}

TEST(Contents, AreKnownByTheirPath) {
    const std::vector<std::pair<const char*, Content>> paths{
        {"1/stat", Content::stat},
        {"4942/status", Content::status},
        {"4942/sched", Content::sched},
        {"4942/timers", Content::timers},
        {"4942/syscall", Content::call},
        {"4942/task/4990/syscall", Content::call},
        {"4942/fdinfo/0", Content::fdinfo},
        {"4942/task/4990/stat", Content::stat},
        {"4942/task/4990/status", Content::status},
        {"4942/task/4990/sched", Content::sched},
        {"4942/task/4990/children", Content::children},
        {"4942/task/4990/fdinfo/12", Content::fdinfo},
        {"loadavg", Content::loadavg},
        {"locks", Content::locks},
        {"sysvipc/shm", Content::shm},
        {"sysvipc/msg", Content::msg},
        {"sys/kernel/pid_max", Content::pid_max},
        {"sys/kernel/ns_last_pid", Content::ns_last_pid},
    };
    for (const auto& [path, content] : paths) EXPECT_EQ(content_of(path), content) << path;
    for (const char* path : {"",
                             "/",
                             "stat",
                             "/4942/stat",
                             "4942",
                             "4942/",
                             "4942/stat/",
                             "4942//stat",
                             "4942/statm",
                             "04942/stat",
                             "0/stat",
                             "-1/stat",
                             "99999999999/stat",
                             "x/stat",
                             "#/stat",
                             "4942/children",
                             "4942/task/4990/timers",
                             "4942/fdinfo",
                             "4942/fdinfo/",
                             "4942/fdinfo/1/2",
                             "4942/task/x/stat",
                             "loadavg/",
                             "locks2",
                             "sysvipc/sem",
                             "sys/kernel",
                             "sys/kernel/pid_maximum"})
        EXPECT_EQ(content_of(path), Content::none) << path;
}

TEST(Contents, OfOtherFilesPass) {
    EXPECT_EQ(translated(Content::none, "4942 anything\0 at all"), "4942 anything\0 at all");
}

TEST(ContentsOfStat, HaveParentGroupSessionAndForegroundGroup) {
    EXPECT_EQ(translated(Content::stat, samples::stat),
              with(samples::stat, {{"4942 (python3) S 4893 4893 2402 34816 4893 ",
                                    "345678 (python3) S 12 12 1 34816 12 "}}));
}

TEST(ContentsOfStat, OfAThreadHaveItsOwnNumber) {
    EXPECT_EQ(translated(Content::stat, samples::thread_stat),
              with(samples::thread_stat, {{"R 4893 4893 2402 0 -1 ", "R 12 12 1 0 -1 "}}));
}

TEST(ContentsOfStat, HaveZeroForWhoCannotBeSeen) {
    TableView view = cast();
    view.processes.erase(4893);
    view.processes.erase(2402);
    EXPECT_EQ(translated(Content::stat, samples::stat, view),
              with(samples::stat,
                   {{"4942 (python3) S 4893 4893 2402 34816 4893 ", "345678 (python3) S 0 0 0 34816 0 "}}));
}

// The kernel's own words for a process that is just being reaped.
TEST(ContentsOfStat, KeepWhatIsNobody) {
    const std::string dying = with(samples::stat, {{"S 4893 4893 2402 34816 4893 ", "X 0 -1 -1 0 -1 "}});
    EXPECT_EQ(translated(Content::stat, dying), with(dying, {{"4942 (", "345678 ("}}));
}

TEST(ContentsOfStat, TakeAnyName) {
    for (const std::string name : {"", ")", "(", ") S 1 1 1 0 -1 (", "a) (b", "x\ny", ")\n4984 (x) R 1", " ",
                                   "\t", "\xff\x01", "4942"}) {
        const std::string text = with(samples::stat, {{"(python3)", "(" + name + ")"}});
        EXPECT_EQ(translated(Content::stat, text),
                  with(text, {{") S 4893 4893 2402 34816 4893 ", ") S 12 12 1 34816 12 "},
                              {"4942 (" + name + ") S 12", "345678 (" + name + ") S 12"}}));
    }
}

TEST(ContentsOfStat, ShowNoAddressesToWhoMayNotInspect) {
    TableView view = cast();
    view.inspects = false;
    EXPECT_EQ(
        translated(Content::stat, samples::stat, view),
        "345678 (python3) S 12 12 1 34816 12 4194304 3534 6583 1 0 2 2 3 0 20 0 2 0 1284518 94248960 3645 "
        "18446744073709551615 1 1 0 0 0 0 0 16781312 2 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    // It has no code; the 1 says that it sleeps, which is for who may inspect it as well.
    view.processes[2] = {{1, 7}};
    EXPECT_EQ(translated(Content::stat, samples::kernel_thread_stat, view),
              with(samples::kernel_thread_stat,
                   {{"2 (kthreadd)", "7 (kthreadd)"}, {" 2147483647 0 1 ", " 2147483647 0 0 "}}));
}

TEST(ContentsOfStatus, HaveANumberForEachNamespaceOfTheProcess) {
    // A thread keeps its number on every level; group and session have none where they can't be seen.
    EXPECT_EQ(translated(Content::status, samples::status),
              with(samples::status, {{"Tgid:\t4942\n", "Tgid:\t345678\n"},
                                     {"PPid:\t4893\n", "PPid:\t12\n"},
                                     {"TracerPid:\t4984\n", "TracerPid:\t20\n"},
                                     {"NStgid:\t4942\n", "NStgid:\t345678\t1\n"},
                                     {"NSpid:\t4990\n", "NSpid:\t4990\t4990\n"},
                                     {"NSpgid:\t4893\n", "NSpgid:\t12\t0\n"},
                                     {"NSsid:\t2402\n", "NSsid:\t1\t0\n"}}));
}

TEST(ContentsOfStatus, OfALeaderHaveItsNumbers) {
    const std::string leader =
        with(samples::status, {{"\t4990\n", "\t4942\n"}, {"NSpgid:\t4893", "NSpgid:\t4942"}});
    const std::string text = translated(Content::status, leader);
    EXPECT_NE(text.find("\nTgid:\t345678\nNgid:\t0\nPid:\t345678\nPPid:\t12\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nNStgid:\t345678\t1\nNSpid:\t345678\t1\nNSpgid:\t345678\t1\nNSsid:\t1\t0\n"),
              std::string::npos)
        << text;
}

// A group led from a namespace below, or beside, has no number in those of its member; one from above isn't
// repeated.
TEST(ContentsOfStatus, AskForGroupsInTheNamespacesOfTheMember) {
    TableView view = cast();
    view.processes[4893] = {{1, 12}, {3, 1}};
    EXPECT_NE(translated(Content::status, samples::status, view).find("\nNSpgid:\t12\t0\n"),
              std::string::npos);
    view.processes[4942] = {{1, 345678}};
    EXPECT_NE(translated(Content::status, samples::status, view).find("\nNSpgid:\t12\n"), std::string::npos);
}

TEST(ContentsOfStatus, HaveZeroesForNobody) {
    const std::string text =
        with(samples::status, {{"NSpgid:\t4893", "NSpgid:\t0"}, {"PPid:\t4893", "PPid:\t0"}});
    const std::string result = translated(Content::status, text);
    EXPECT_NE(result.find("\nNSpgid:\t0\t0\n"), std::string::npos) << result;
    EXPECT_NE(result.find("\nPPid:\t0\n"), std::string::npos) << result;
    const std::string unseen = translated(Content::status, samples::status, TableView());
    EXPECT_NE(unseen.find("\nTgid:\t0\nNgid:\t0\nPid:\t0\nPPid:\t0\nTracerPid:\t0\n"), std::string::npos)
        << unseen;
    EXPECT_NE(unseen.find("\nNStgid:\t0\nNSpid:\t0\nNSpgid:\t0\nNSsid:\t0\n"), std::string::npos) << unseen;
}

// A namespace that the host's kernel made below (none is made inside the layer) isn't the reader's business.
TEST(ContentsOfStatus, ReplaceTheLevelsOfTheHost) {
    const std::string text = with(samples::status, {{"NStgid:\t4942\n", "NStgid:\t4942\t17\t1\n"}});
    EXPECT_EQ(translated(Content::status, text), translated(Content::status, samples::status));
}

TEST(ContentsOfStatus, ReachTheDeepestLevel) {
    TableView view = cast();
    std::string all = "NStgid:";
    view.processes[4942].clear();
    for (int level = 0; level <= 32; ++level) {
        view.processes[4942].push_back({level, 4'194'000 + level});
        all += "\t" + std::to_string(4'194'000 + level);
    }
    EXPECT_NE(translated(Content::status, samples::status, view).find("\n" + all + "\n"), std::string::npos);
}

TEST(ContentsOfStatus, OfAnOldKernelHaveNoLevels) {
    EXPECT_EQ(translated(Content::status, samples::old_status),
              with(samples::old_status, {{"Tgid:\t4942", "Tgid:\t345678"},
                                         {"\nPid:\t4942", "\nPid:\t345678"},
                                         {"PPid:\t4893", "PPid:\t12"}}));
}

TEST(ContentsOfChildren, LeaveOutWhoCannotBeSeen) {
    EXPECT_EQ(translated(Content::children, samples::children), "20 21 ");
    EXPECT_EQ(translated(Content::children, "4986 "), "");
    EXPECT_EQ(translated(Content::children, ""), "");
    EXPECT_EQ(translated(Content::children, "4984 4985"), "(nothing)");
}

TEST(ContentsOfSched, HaveTheNumberBehindAnyName) {
    for (const std::string name :
         {"cat", "", ") S (a\nPid:\t1", " (1, #threads:", " (1, #threads: ", "(4942", "a (4984"}) {
        const std::string text = with(samples::sched, {{"cat", name}});
        EXPECT_EQ(translated(Content::sched, text),
                  with(text, {{" (4942, #threads: 2)", " (345678, #threads: 2)"},
                              {"numa_group_id=4942", "numa_group_id=345678"}}));
    }
}

TEST(ContentsOfFdinfo, OfAPidfdHaveANumberForEachNamespace) {
    EXPECT_EQ(translated(Content::fdinfo, samples::pidfd_info),
              with(samples::pidfd_info, {{"\nPid:\t4984\nNSpid:\t4984\n", "\nPid:\t20\nNSpid:\t20\t2\n"}}));
    const std::string of_thread = with(samples::pidfd_info, {{"4984", "4990"}});
    EXPECT_EQ(translated(Content::fdinfo, of_thread),
              with(of_thread, {{"NSpid:\t4990", "NSpid:\t4990\t4990"}}));
    const std::string unseen = with(samples::pidfd_info, {{"4984", "4986"}});
    EXPECT_EQ(translated(Content::fdinfo, unseen), with(unseen, {{"4986", "0"}}));
}

TEST(ContentsOfFdinfo, OfTheReapedPass) {
    EXPECT_EQ(translated(Content::fdinfo, samples::reaped_pidfd_info), samples::reaped_pidfd_info);
}

TEST(ContentsOfFdinfo, HaveTheOwnersOfLocks) {
    EXPECT_EQ(translated(Content::fdinfo, samples::lock_info),
              with(samples::lock_info, {{"WRITE 4942", "WRITE 345678"}}));
    // Unlike in /proc/locks, one that can't be seen stays.
    EXPECT_EQ(translated(Content::fdinfo, samples::lock_info, TableView()),
              with(samples::lock_info, {{"WRITE 4942", "WRITE 0"}}));
}

TEST(ContentsOfTimers, HaveWhoIsNotifiedAndWhoseTimeIsMeasured) {
    EXPECT_EQ(translated(Content::timers, samples::timers),
              with(samples::timers, {{"pid.4942", "pid.345678"}, {"ClockID: -39878\n", "ClockID: -166\n"}}));
    EXPECT_EQ(translated(Content::timers, samples::timers, TableView()),
              with(samples::timers, {{"pid.4942", "pid.0"},
                                     {"tid.4990", "tid.0"},
                                     {"ClockID: -39878\n", "ClockID: -6\n"},
                                     {"ClockID: -39922\n", "ClockID: -2\n"}}));
}

TEST(ContentsOfCalls, HaveWhomTheyAreAbout) {
    EXPECT_EQ(translated(Content::call, samples::waiting), with(samples::waiting, {{" 0x1378 ", " 0x14 "}}));
    EXPECT_EQ(translated(Content::call, samples::waiting, TableView()),
              with(samples::waiting, {{" 0x1378 ", " 0x0 "}}));
    EXPECT_EQ(translated(Content::call, samples::waiting_for_group),
              with(samples::waiting_for_group, {{"0xffffffffffffecb2", "0xfffffffffffab9b2"}}));
    EXPECT_EQ(translated(Content::call, samples::waiting_by_kind),
              with(samples::waiting_by_kind, {{" 0x134e ", " 0x5464e "}}));
    for (const std::string_view text : {samples::asking, samples::in_no_call, samples::running})
        EXPECT_EQ(translated(Content::call, text), text);
    for (const char* text : {"61 0x137a\n", "61 0x13", "61 0x137a 0x0 0x0 0x0 0x0 0x6d616769 0x1\n", "61\n",
                             "runnin", "running", "61 137a 0 0 0 0 0 0 0\n"})
        EXPECT_EQ(translated(Content::call, text), "(nothing)") << text;
}

TEST(ContentsOfLocks, LeaveOutThoseOfWhoCannotBeSeenAndTheirWaiters) {
    TableView view = cast();
    view.processes.erase(4985);
    EXPECT_EQ(translated(Content::locks, samples::locks, view),
              with(samples::locks, {{"READ 4942", "READ 345678"},
                                    {"WRITE 4942", "WRITE 345678"},
                                    {"WRITE 4985", "WRITE 0"},
                                    {"WRITE 4984", "WRITE 20"},
                                    {"WRITE 4893", "WRITE 12"},
                                    {"WRITE 4986", "WRITE 0"}}));
    view.processes.erase(4942);
    EXPECT_EQ(translated(Content::locks, samples::locks, view),
              "2: OFDLCK ADVISORY  WRITE -1 fe:00:10952847 0 9\n"
              "4: FLOCK  ADVISORY  WRITE 12 fe:00:10952768 0 EOF\n"
              "4: -> FLOCK  ADVISORY  WRITE 0 fe:00:10952768 0 EOF\n");
    EXPECT_EQ(translated(Content::locks, "1: POSIX  ADVISORY  WRITE 4986 fe:00:1 0 EOF\n"), "");
}

TEST(ContentsOfIpc, KeepTheirColumns) {
    EXPECT_EQ(translated(Content::shm, samples::shm),
              with(samples::shm, {{"4096  4942  4984  ", "4096 345678    20  "},
                                  {"4096 123456  4942  ", "4096     0 345678  "}}));
    EXPECT_EQ(translated(Content::msg, samples::msg),
              with(samples::msg, {{" 1  4942     0 ", " 1 345678     0 "}}));
    EXPECT_EQ(translated(Content::shm, with(samples::shm, {{" 4984  ", "4984  "}})), "(nothing)");
}

TEST(ContentsOfTheSystem, AreTheLayersOwn) {
    EXPECT_EQ(translated(Content::loadavg, samples::loadavg), "1.07 1.49 1.60 2/139 345678\n");
    EXPECT_EQ(translated(Content::pid_max, samples::pid_max), "4194304\n");
    EXPECT_EQ(translated(Content::ns_last_pid, samples::ns_last_pid), "345678\n");
}

TEST(ContentsOfMemberLists, HaveZeroOrNothingForWhoCannotBeSeen) {
    const std::string_view members = "4893\n4986\n4990\n4991\n4942\n";
    EXPECT_EQ(translated(Content::pid_list, members), "12\n4990\n345678\n");
    EXPECT_EQ(translated(Content::pid_list_v2, members), "12\n0\n4990\n0\n345678\n");
    EXPECT_EQ(translated(Content::pid_list_v2, "0\n"), "0\n");
}

TEST(Contents, ThatAreEmptyStayEmpty) {
    for (const auto& [content, text] : samples::all) EXPECT_EQ(translated(content, ""), "") << text;
}

// Wherever a text ends but at the end of a line (or of a child), a number may be cut in two.
TEST(Contents, ThatAreCutAreNotTranslated) {
    for (const auto& [content, text] : samples::all) {
        const bool one_line = content == Content::stat || content == Content::loadavg ||
                              content == Content::pid_max || content == Content::ns_last_pid;
        const char end = content == Content::children ? ' ' : '\n';
        for (size_t size = 1; size < text.size(); ++size) {
            const bool whole = !one_line && text[size - 1] == end;
            EXPECT_EQ(translated(content, text.substr(0, size)) != "(nothing)", whole)
                << text.substr(0, size);
        }
    }
}

TEST(Contents, NeedRoomForAll) {
    for (const auto& [content, text] : samples::all) {
        const std::string whole = translated(content, text);
        std::string to(whole.size(), '#');
        EXPECT_EQ(translate(content, text, cast(), to), whole.size());
        EXPECT_EQ(to, whole);
        for (size_t size = 0; size < whole.size(); ++size) {
            std::string small(whole.size() + 1, '#');
            EXPECT_FALSE(translate(content, text, cast(), std::span(small.data(), size)));
            EXPECT_EQ(small.substr(size), std::string(whole.size() + 1 - size, '#'));
        }
    }
}

// What no kernel prints isn't taken for the number that it resembles.
TEST(Contents, HaveNumbersAsTheKernelPrintsThem) {
    for (const char* number : {"04942", "+4942", " 4942", "4942 ", "-0", "00", "4942x", "0x10", "2147483648",
                               "99999999999999999999", "4942\r", "-", ""}) {
        EXPECT_EQ(translated(Content::pid_list, std::string(number) + "\n"), "(nothing)") << number;
        EXPECT_EQ(translated(Content::status, std::string("Tgid:\t") + number + "\n"), "(nothing)") << number;
        EXPECT_EQ(
            translated(Content::stat, with(samples::stat, {{"4893 2402", std::string(number) + " 2402"}})),
            "(nothing)")
            << number;
    }
    EXPECT_EQ(translated(Content::pid_list_v2, "2147483647\n"), "0\n");
    EXPECT_EQ(translated(Content::pid_list, "-1\n"), "(nothing)");
}

TEST(Contents, OfAnotherFileAreNotTranslated) {
    for (const auto content : {Content::stat, Content::sched, Content::loadavg, Content::locks})
        for (const auto& [other, text] : samples::all)
            EXPECT_EQ(translated(content, text) == "(nothing)", other != content) << text;
}

}  // namespace
}  // namespace ctr::pidns

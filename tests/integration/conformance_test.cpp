// The same program, natively and in every mode, must print the same lines: tests/conformance. The kernel's
// own pid namespace is the oracle, so it is first compared with the host; what then differs in the flat mode
// is the layer's fault, or a difference that is known, explained and listed here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "pidns/surface/calls.h"
#include "tests/integration/confinement.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

constexpr int repetitions = 3;

using Lines = std::map<std::string, std::string>;  // case -> facts

Lines parse(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const size_t colon = line.find(':');
        lines[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 1);
    }
    return lines;
}

// The facts as the flat mode has them. Each is listed in the README's known gaps.
const Lines& known_differences() {
    static const Lines known{
        // Only thread-group leaders are renumbered; what the kernel itself writes into a program's memory,
        // and the id
        // that the C library keeps from it, stay the kernel's: locks hold them and the kernel compares them.
        {"identity_set_tid_address", " leader=stranger"},
        {"clone_child_settid",
         " created=yes exit-7 getpid=child getppid=self gettid=child child-tid=stranger"},
        {"clone_both_settid",
         " created=yes exit-7 getpid=child getppid=self gettid=child parent-tid=child child-tid=stranger"},
        {"clone3_child_settid",
         " created=yes exit-7 getpid=child getppid=self gettid=child child-tid=stranger"},
        // Reads of these sizes are nearly always a file's.
        {"arrival_signalfd_usual_reads",
         " eight=128 own: signo=10 code=0 pid=stranger status=0 int=0 readv=128 own: signo=10 code=0 "
         "pid=stranger status=0 int=0"},
        // A translated file lies in memory: it can be mapped, and ends where a process has ended.
        {"content_kept_open",
         " first: ppid=middle end=0 seek=ok then: ppid=self pread: pid=child stopped=yes preadv=yes "
         "preadv2=yes pid=child gone=ESRCH by-preadv=ESRCH seek=ok "
         "read=read parent's-file-in-child: Pid=self"},
        {"content_other_ways",
         " fstat=ok regular=yes no-size=yes readable=yes own-uid=yes close-on-exec=1 access-mode=0 "
         "mmap=mapped "
         "sendfile=sent pid=child ppid=self pgrp=self session=self tpgid=-1 dup-shares=yes"},
        // A file of a message queue.
        {"queue_tells", " notifies=stranger"},
    };
    return known;
}

// A group's number is free some time after nobody belongs to it any more, though a terminal may still name
// it.
const Lines& passing_differences() {
    static const Lines passing{{"terminal_dead_foreground", " ctty=ok get=0 set-again=ESRCH take-back=ok"}};
    return passing;
}

// What differs, in words; empty if nothing does.
std::string differences(const Lines& expected, const Lines& actual, const Lines& known = {}) {
    std::ostringstream text;
    for (const auto& [name, facts] : expected) {
        const auto found = actual.find(name);
        const auto note = known.find(name);
        const std::string& wanted = note == known.end() ? facts : note->second;
        const auto passing = passing_differences().find(name);
        if (passing != passing_differences().end() && found != actual.end() &&
            found->second == passing->second)
            continue;
        if (found == actual.end())
            text << name << " is missing\n";
        else if (found->second != wanted)
            text << name << "\n  expected" << wanted << "\n  but got " << found->second << "\n";
    }
    for (const auto& [name, facts] : actual)
        if (!expected.contains(name)) text << name << " is unexpected:" << facts << "\n";
    return text.str();
}

// What differs each time. Threads keep the kernel's numbers (a known gap), and one of these may by chance be
// the number that a process of the case bears, or bore: then a name is wrong, once. It is printed.
template <class Run>
std::string lasting_differences(const Lines& expected, Run run, const Lines& known = {}) {
    const Lines first = run();
    const std::string once = differences(expected, first, known);
    if (once.empty()) return {};
    Lines second = run();
    for (const auto& [name, facts] : first)
        if (differences({{name, expected.contains(name) ? expected.at(name) : ""}}, {{name, facts}}, known)
                .empty())
            second[name] = facts;
    const std::string again = differences(expected, second, known);
    if (again.empty()) std::cout << "differed once:\n" << once;
    return again;
}

class Conformance : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        program_ = victim(std::string("conformance-") + GetParam());
        if (!available(program_)) GTEST_SKIP() << "not built, its compiler is missing: " << program_;
    }

    // Below a shell, so that the program is process 1 nowhere.
    Lines natively() const { return checked(run({"sh", "-c", script, program_})); }
    // mode: the options that choose the numbering; "multi in multi" is a container within a container.
    using Mode = std::vector<std::string>;
    // With the host's /proc as it is: one with parts hidden keeps the kernel from mounting a new one inside.
    Lines inside(const Mode& mode) const {
        return checked(
            ctr_run(with(mode, {"--system-paths=host", "--", "sh", "-c", script, program_}), patiently));
    }
    // A container's cgroups are read-only; one that has the right to may change that for itself.
    Lines with_cgroups(const Mode& mode) const {
        Arguments options{"--cap-add=SYS_ADMIN"};
        options.insert(options.end(), mode.begin(), mode.end());
        return checked(ctr_run(with(options, {"--", "sh", "-c", cgroup_script, program_})));
    }
    Lines cgroups_natively() const { return checked(run({"sh", "-c", "\"$0\" cgroups; exit $?", program_})); }
    Lines as_init(const Mode& mode) const { return checked(ctr_run(with(mode, {"--", program_, "pid1"}))); }

    static std::vector<Mode> numbered_modes() {
        // A sanitized ctr's leak check "does not work under ptrace", and the outer one's monitor is a tracer.
        const std::string no_leak_check = "ASAN_OPTIONS=detect_leaks=0";
        return {{"--pidns=flat"},
                {"--pidns=flat", "--pid-fastpath=off"},
                {"--pidns=multi"},
                {"--pidns=multi", "--pid-fastpath=off"},
                {"--pidns=multi", "--pid-lookup=list"},
                {"--pidns=flat", "--", "env", no_leak_check, ctr_binary(), "run", "--pidns=flat"},
                {"--pidns=multi", "--", "env", no_leak_check, ctr_binary(), "run", "--pidns=multi"}};
    }

    static constexpr const char* script = "\"$0\"; exit $?";

    static Lines checked(const Outcome& outcome) {
        EXPECT_EQ(outcome.code, 0) << outcome;
        return parse(outcome.out);
    }

    std::string program_;

  private:
    // A layer that is wrong makes cases wait in vain, some seconds each; the list of what differs shall be
    // whole.
    static inline const RunOptions patiently{
        .input = {}, .env = {}, .cwd = {}, .identity = {}, .timeout_seconds = 300};
    static constexpr const char* cgroup_script =
        "for at in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,bind,rw $at; done 2>/dev/null; "
        "\"$0\" cgroups; exit $?";

    static Arguments with(Arguments options, const Arguments& command) {
        options.insert(options.end(), command.begin(), command.end());
        return options;
    }
};

TEST_P(Conformance, TheKernelsNamespaceAgreesWithTheHost) {
    const Lines native = natively();
    ASSERT_GT(native.size(), 100u);
    for (int i = 0; i < repetitions; ++i)
        ASSERT_EQ(differences(native, inside({"--pidns=kernel"})), "") << "repetition " << i;
}

TEST_P(Conformance, TheHostModeAgreesWithTheHost) {
    const Lines native = natively();
    ASSERT_GT(native.size(), 100u);
    for (int i = 0; i < repetitions; ++i)
        ASSERT_EQ(differences(native, inside({"--pidns=host"})), "") << "repetition " << i;
}

TEST_P(Conformance, OurNumberingAgreesWithTheKernelsNamespace) {
    const Lines kernel = inside({"--pidns=kernel"});
    ASSERT_GT(kernel.size(), 100u);
    for (const Mode& mode : numbered_modes())
        for (int i = 0; i < repetitions; ++i)
            ASSERT_EQ(lasting_differences(
                          kernel, [&] { return inside(mode); }, known_differences()),
                      "")
                << testing::PrintToString(mode) << " repetition " << i;
}

// Without namespaces, copies in place of libraries, and what the monitor would rather use.
TEST_P(Conformance, OurNumberingAgreesWithTheHostWhereThereIsNoPrivilegeAtAll) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to confine a user";
    const Confinement confinement;
    const std::string program = confinement.copy(program_);
    RunOptions patient = Confinement::options();
    patient.timeout_seconds = 300;
    Arguments natively = confinement.as_in_docker();
    natively.insert(natively.end(), {"sh", "-c", script, program});
    const Lines native = checked(run(natively, patient));
    ASSERT_GT(native.size(), 100u);
    Lines known = known_differences();
    std::erase_if(known, [&](const auto& difference) {  // of clone3, which the filter hides
        return contains(native.at(difference.first), "failed=ENOSYS");
    });
    // What is closed to its user would be closed to the monitor.
    known["prctl_closed"] = " close=EPERM dumpable=value found=2 read=2 stat=child parent=yes open=ok";
    for (const char* mode : {"--pidns=flat", "--pidns=multi"}) {
        const Arguments argv =
            confinement.command(confinement.as_in_docker(), {mode, "--", "sh", "-c", script, program});
        ASSERT_EQ(lasting_differences(
                      native, [&] { return checked(run(argv, patient)); }, known),
                  "")
            << mode;
    }
}

TEST_P(Conformance, CgroupsAgreeWithTheHost) {
    if (geteuid() != 0) GTEST_SKIP() << "writing to cgroups inside takes root";
    const Lines native = cgroups_natively();
    ASSERT_FALSE(native.empty());
    if (native.begin()->second == " skipped") GTEST_SKIP() << "no cgroup lets this user make one of its own";
    for (int i = 0; i < repetitions; ++i)
        for (const Mode& mode : {Mode{"--pidns=kernel"}, {"--pidns=flat"}, {"--pidns=multi"}})
            ASSERT_EQ(differences(native, with_cgroups(mode)), "")
                << testing::PrintToString(mode) << " repetition " << i;
}

TEST_P(Conformance, ProcessOneAgreesWithTheKernelsNamespace) {
    const Lines kernel = as_init({"--pidns=kernel"});
    ASSERT_GT(kernel.size(), 8u);
    for (const Mode& mode : numbered_modes())
        for (int i = 0; i < repetitions; ++i)
            ASSERT_EQ(differences(kernel, as_init(mode)), "")
                << testing::PrintToString(mode) << " repetition " << i;
}

INSTANTIATE_TEST_SUITE_P(Builds, Conformance, testing::Values("glibc", "glibc-static", "musl-static"),
                         [](const auto& build) {
                             std::string name = build.param;
                             for (char& letter : name)
                                 if (letter == '-') letter = '_';
                             return name;
                         });

// A row of the surface that no case asks about would be a claim that nobody checks. The cases may ask about
// more.
TEST(ConformanceCoverage, EveryRowOfTheSurfaceHasACase) {
    // No kernel knows the layer's question about itself; the modes that nest ask it. What the layer refuses
    // where the kernel may allow it is in the README's gaps.
    const std::set<std::string> ours{"prctl layer_question", "prctl layer_attach",
                                     "prctl layer_reaped",   "prctl layer_quiet",
                                     "userfaultfd",          "ioctl USERFAULTFD_IOC_NEW"};
    const std::string program = victim("conformance-glibc");
    const Outcome outcome = run({program, "--covers"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    const Lines cases = parse(outcome.out);
    for (const pidns::Call& row : pidns::calls())
        EXPECT_TRUE(cases.contains(row.name) || ours.contains(row.name))
            << row.name << " (" << row.group << ") is in no case's list in tests/conformance";
}

// The comparison itself: it must be able to fail.
TEST(ConformanceComparison, TellsWhatDiffersEachTime) {
    const Lines expected{{"fork", " getpid=child"}, {"wait", " child"}};
    int runs = 0;
    const auto once = [&] {
        return ++runs == 1 ? Lines{{"fork", " getpid=stranger"}, {"wait", " child"}} : expected;
    };
    EXPECT_EQ(lasting_differences(expected, once), "");
    EXPECT_EQ(runs, 2);
    const auto always = [] { return Lines{{"fork", " getpid=stranger"}, {"wait", " child"}}; };
    EXPECT_NE(lasting_differences(expected, always), "");
    const auto missing = [] { return Lines{{"fork", " getpid=child"}}; };
    EXPECT_NE(lasting_differences(expected, missing), "");
}

TEST(ConformanceComparison, TellsWhatDiffers) {
    const Lines expected{{"fork", " getpid=child"}, {"wait", " child"}};
    EXPECT_EQ(differences(expected, expected), "");
    EXPECT_NE(differences(expected, {{"fork", " getpid=child"}}), "");
    EXPECT_NE(differences(expected, {{"fork", " getpid=stranger"}, {"wait", " child"}}), "");
    EXPECT_NE(differences(expected, {{"fork", " getpid=child"}, {"wait", " child"}, {"more", ""}}), "");
    EXPECT_EQ(differences(expected, {{"fork", " known"}, {"wait", " child"}}, {{"fork", " known"}}), "");
    EXPECT_NE(differences(expected, expected, {{"fork", " known"}}), "")
        << "a difference that is gone must be unlisted";
}

}  // namespace
}  // namespace ctr::test

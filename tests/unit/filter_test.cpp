#include "pidns/surface/filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pidns/surface/calls.h"
#include "pidns/surface/mark.h"
#include "tests/support/bpf.h"

namespace ctr::pidns {
namespace {

class FilterTest : public testing::Test {
  protected:
    uint32_t verdict(long number, std::initializer_list<uint64_t> arguments, uint64_t sixth = 0,
                     uint32_t arch = AUDIT_ARCH_X86_64) const {
        return run(number, arguments, sixth, arch).verdict;
    }

    test::FilterRun run(long number, std::initializer_list<uint64_t> arguments, uint64_t sixth = 0,
                        uint32_t arch = AUDIT_ARCH_X86_64) const {
        seccomp_data call{};
        call.nr = static_cast<int>(number);
        call.arch = arch;
        std::ranges::copy(arguments, call.args);
        call.args[5] = sixth;
        return test::run_filter(program_, call);
    }

    std::span<const sock_filter> program_ = filter();
};

constexpr uint32_t notify = SECCOMP_RET_USER_NOTIF;
constexpr uint32_t allow = SECCOMP_RET_ALLOW;

// Arguments that meet the row's condition.
std::vector<uint64_t> trapping(const Call& row) {
    std::vector<uint64_t> arguments(6, 0);
    for (const Condition& condition : {row.when, row.and_when})
        if (condition.mask != 0)
            arguments[condition.argument] = condition.differs ? condition.value + 1 : condition.value;
    return arguments;
}

TEST_F(FilterTest, EveryRowTrapsWithoutTheMarkAndPassesWithIt) {
    for (const Call& row : calls()) {
        const auto a = trapping(row);
        EXPECT_EQ(verdict(row.number, {a[0], a[1], a[2], a[3], a[4]}), notify) << row.name;
        if (row.all_used)
            EXPECT_EQ(verdict(row.number, {upper_mark | 7, a[1], a[2], a[3], a[4]}, 5), allow) << row.name;
        else
            EXPECT_EQ(verdict(row.number, {a[0], a[1], a[2], a[3], a[4]}, mark), allow) << row.name;
        EXPECT_EQ(find_call(row.number, a.data()), &row) << row.name;
    }
}

constexpr long watched[] = {SYS_write, SYS_splice, SYS_read};

TEST_F(FilterTest, WhatIsWatchedTrapsMarkedOrNotAndAllElseIsAsItWas) {
    const auto program = filter_with(watched);
    program_ = program;
    EXPECT_EQ(verdict(SYS_write, {}), notify);
    EXPECT_EQ(verdict(SYS_write, {}, mark), notify);
    EXPECT_EQ(verdict(SYS_splice, {}), notify);
    // Of the surface: its own rows decide.
    EXPECT_EQ(verdict(SYS_read, {0, 0, 4096}), allow);
    EXPECT_EQ(verdict(SYS_writev, {}), allow);
    EXPECT_EQ(verdict(SYS_getpid, {}), notify);
    EXPECT_EQ(verdict(SYS_getpid, {}, mark), allow);
    EXPECT_EQ(verdict(SYS_write, {}, 0, AUDIT_ARCH_I386), notify);
}

TEST_F(FilterTest, WithoutNumbersOnlyWhatIsWatchedTraps) {
    constexpr long absent[] = {SYS_io_uring_setup};
    const auto program = filter_of(watched, absent);
    program_ = program;
    EXPECT_EQ(verdict(SYS_write, {}), notify);
    EXPECT_EQ(verdict(SYS_read, {}, mark), notify);
    EXPECT_EQ(verdict(SYS_io_uring_setup, {}), uint32_t{SECCOMP_RET_ERRNO | ENOSYS});
    for (const Call& row : calls())
        if (row.number != SYS_read && row.number != SYS_io_uring_setup) {
            EXPECT_EQ(verdict(row.number, {}), allow) << row.name;
        }
    EXPECT_EQ(verdict(SYS_write, {}, 0, AUDIT_ARCH_I386), allow);
    EXPECT_EQ(verdict(0x40000000 | SYS_write, {}), allow);
}

TEST_F(FilterTest, HalfAMarkIsNone) {
    EXPECT_EQ(verdict(SYS_getpid, {}, mark & 0xffff), notify);
    EXPECT_EQ(verdict(SYS_getpid, {}, mark & ~uint64_t{0xffff}), notify);
    EXPECT_EQ(verdict(SYS_getpid, {}, mark | uint64_t{1} << 32), notify);
}

TEST_F(FilterTest, CallsWithSixArgumentsCarryTheMarkInTheUpperHalfOfTheFirst) {
    EXPECT_EQ(verdict(SYS_process_vm_readv, {7}), notify);
    EXPECT_EQ(verdict(SYS_process_vm_readv, {7}, mark), notify);
    EXPECT_EQ(verdict(SYS_process_vm_readv, {upper_mark | 7}), allow);
    EXPECT_EQ(verdict(SYS_process_vm_readv, {upper_mark + (uint64_t{1} << 32)}), notify);
    EXPECT_EQ(verdict(SYS_process_vm_readv, {~uint64_t{0}}), notify);
}

TEST_F(FilterTest, DescriptorsAreReadUntouchedUnlessTheyMayBeSignals) {
    for (const uint64_t signals : {1U, 2U, 3U, 5U, 6U, 7U, 10U, 16U})
        EXPECT_EQ(verdict(SYS_read, {0, 0, 128 * signals}), notify) << signals;
    for (const uint64_t size : {0U, 127U, 512U, 1024U, 4096U, 8192U})
        EXPECT_EQ(verdict(SYS_read, {0, 0, size}), allow) << size;
    EXPECT_EQ(verdict(SYS_readv, {0, 0, 1}), notify);
    EXPECT_EQ(verdict(SYS_readv, {0, 0, 2}), allow);
    EXPECT_EQ(verdict(SYS_lseek, {3, 0, SEEK_END}), allow);
    EXPECT_EQ(verdict(SYS_lseek, {3, 0, SEEK_SET}), notify);
    EXPECT_EQ(verdict(SYS_lseek, {3, 4096, SEEK_SET}), allow);
}

TEST_F(FilterTest, ThreadsAreCreatedUntouched) {
    EXPECT_EQ(verdict(SYS_clone, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}), allow);
    EXPECT_EQ(verdict(SYS_clone, {CLONE_VM | CLONE_VFORK}), notify);
}

TEST_F(FilterTest, OtherRequestsOfIoctlPass) {
    EXPECT_EQ(verdict(SYS_ioctl, {0, TCGETS, 0}), allow);
    EXPECT_EQ(verdict(SYS_ioctl, {0, TIOCSPGRP | (uint64_t{7} << 32), 0}), notify)
        << "the kernel sees the low half";
}

TEST_F(FilterTest, CallsOutsideTheSurfacePass) {
    for (const long number : {SYS_read, SYS_write, SYS_close, SYS_exit_group, SYS_futex, SYS_mmap})
        EXPECT_EQ(verdict(number, {}), allow) << number;
}

// Then the kernel doesn't run it for them (its seccomp_is_const_allow).
TEST_F(FilterTest, NoArgumentIsLookedAtForCallsOutsideTheSurface) {
    std::set<long> surface;
    for (const Call& row : calls()) surface.insert(row.number);
    for (long number = 0; number < 512; ++number) {
        if (surface.contains(number)) continue;
        const auto without_look = run(number, {});
        EXPECT_EQ(without_look.verdict, allow) << number;
        EXPECT_FALSE(without_look.looks_closer) << number;
    }
}

TEST_F(FilterTest, FrequentCallsAreFoundSoon) {
    constexpr unsigned soon = 16;
    for (const long number : {SYS_openat, SYS_newfstatat, SYS_fstat, SYS_stat, SYS_open, SYS_wait4})
        EXPECT_LE(run(number, {}, mark).instructions, soon) << number;
    EXPECT_LT(run(SYS_read, {0, 0, 4096}).instructions, 2 * soon);
}

TEST_F(FilterTest, NoCallNeedsManyInstructions) {
    constexpr unsigned many = 64;
    for (long number = 0; number < 512; ++number)
        EXPECT_LT(run(number, {~uint64_t{0}, 0x1234, 0x5678, 0, 1}).instructions, many) << number;
}

TEST_F(FilterTest, UnsharingOtherNamespacesPasses) {
    EXPECT_EQ(verdict(SYS_unshare, {CLONE_NEWNS | CLONE_NEWUSER}), allow);
    EXPECT_EQ(verdict(SYS_unshare, {CLONE_NEWNS | CLONE_NEWPID}), notify);
}

TEST_F(FilterTest, ForeignArchitecturesAreNoticed) {
    EXPECT_EQ(verdict(20, {}, 0, AUDIT_ARCH_I386), notify);
    EXPECT_EQ(verdict(0x40000000 + SYS_getpid, {}), notify) << "x32";
}

TEST(CallsTest, RowsAreComplete) {
    std::set<std::string> names;
    for (const Call& row : calls()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_NE(row.group, nullptr) << row.name;
    }
}

}  // namespace
}  // namespace ctr::pidns

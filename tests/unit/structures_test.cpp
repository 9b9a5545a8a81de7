// The layouts of structures.cpp are numbers; here they are held against the headers of the C library.
#include "pidns/surface/structures.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include <cstddef>
#include <vector>

namespace ctr::pidns {
namespace {

std::vector<size_t> offsets(Structure structure) {
    std::vector<size_t> found;
    for (const Field& field : fields_of(structure)) found.push_back(field.offset);
    return found;
}
using Offsets = std::vector<size_t>;

const Field& only_field(Structure structure) {
    const Fields fields = fields_of(structure);
    EXPECT_EQ(fields.end() - fields.begin(), 1);
    return *fields.begin();
}

TEST(Structures, HaveTheirNumbersWhereTheCLibraryHasThem) {
    EXPECT_EQ(offsets(Structure::number), Offsets{0});
    EXPECT_EQ(offsets(Structure::owner), Offsets{0});
    EXPECT_EQ(offsets(Structure::flock), Offsets{offsetof(struct flock, l_pid)});
    EXPECT_EQ(offsets(Structure::owner_ex), Offsets{offsetof(f_owner_ex, pid)});
    EXPECT_EQ(offsets(Structure::credentials), Offsets{offsetof(ucred, pid)});
    EXPECT_EQ(offsets(Structure::capability_header), Offsets{offsetof(__user_cap_header_struct, pid)});
    EXPECT_EQ(offsets(Structure::sigevent), Offsets{offsetof(sigevent, _sigev_un._tid)});
    EXPECT_EQ(offsets(Structure::shm_state),
              (Offsets{offsetof(shmid_ds, shm_cpid), offsetof(shmid_ds, shm_lpid)}));
    EXPECT_EQ(offsets(Structure::msg_state),
              (Offsets{offsetof(msqid_ds, msg_lspid), offsetof(msqid_ds, msg_lrpid)}));
}

TEST(Structures, HaveGuardsAndSelectorsWhereTheCLibraryHasThem) {
    const Field& lock = only_field(Structure::flock);
    EXPECT_EQ(lock.guard.offset, offsetof(struct flock, l_type));
    EXPECT_EQ(lock.guard.size, sizeof(flock::l_type));
    EXPECT_EQ(lock.guard.value, F_UNLCK);
    EXPECT_TRUE(lock.guard.differs);

    EXPECT_EQ(only_field(Structure::owner_ex).selector, offsetof(f_owner_ex, type));

    const Field& event = only_field(Structure::sigevent);
    EXPECT_EQ(event.guard.offset, offsetof(sigevent, sigev_notify));
    EXPECT_EQ(event.guard.size, sizeof(sigevent::sigev_notify));
    EXPECT_EQ(event.guard.value, SIGEV_THREAD_ID);
    EXPECT_FALSE(event.guard.differs);
}

TEST(Structures, HaveFieldsOfThirtyTwoBits) {
    EXPECT_EQ(sizeof(flock::l_pid), 4u);
    EXPECT_EQ(sizeof(f_owner_ex::pid), 4u);
    EXPECT_EQ(sizeof(ucred::pid), 4u);
    EXPECT_EQ(sizeof(shmid_ds::shm_cpid), 4u);
    EXPECT_EQ(sizeof(msqid_ds::msg_lspid), 4u);
    EXPECT_EQ(sizeof(siginfo_t::si_signo), 4u);
    EXPECT_EQ(sizeof(siginfo_t{}.si_pid), 4u);
}

TEST(Structures, WithoutARowHaveNoFields) {
    for (const Structure structure :
         {Structure::none, Structure::siginfo, Structure::siginfo_array, Structure::last})
        EXPECT_EQ(offsets(structure), Offsets{});
}

TEST(SignalInfo, NamesASenderWhereTheKernelHasWrittenIt) {
    for (const int code : {SI_USER, SI_TKILL, SI_MESGQ}) {
        EXPECT_TRUE(has_kernel_pid(SIGUSR1, code)) << code;
        EXPECT_TRUE(has_kernel_pid(SIGCHLD, code)) << code;
    }
    for (const int code : {CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED})
        EXPECT_TRUE(has_kernel_pid(SIGCHLD, code)) << code;
}

// si_pid overlays a timer's number, an address, a band, a system call; or the sender has said what it is.
TEST(SignalInfo, NamesNobodyElsewhere) {
    for (const int code : {int{SI_QUEUE}, int{SI_TIMER}, int{SI_ASYNCIO}, int{SI_SIGIO}, int{SI_KERNEL},
                           int{SI_ASYNCNL}, -7, 7}) {
        EXPECT_FALSE(has_kernel_pid(SIGUSR1, code)) << code;
        EXPECT_FALSE(has_kernel_pid(SIGCHLD, code)) << code;
    }
    EXPECT_FALSE(has_kernel_pid(SIGSEGV, SEGV_MAPERR));
    EXPECT_FALSE(has_kernel_pid(SIGBUS, BUS_ADRERR));
    EXPECT_FALSE(has_kernel_pid(SIGILL, ILL_ILLOPC));
    EXPECT_FALSE(has_kernel_pid(SIGFPE, FPE_INTDIV));
    EXPECT_FALSE(has_kernel_pid(SIGTRAP, TRAP_TRACE));
    EXPECT_FALSE(has_kernel_pid(SIGIO, POLL_IN));
    EXPECT_FALSE(has_kernel_pid(SIGRTMIN, POLL_HUP));
}

// A child's exit signal can be any. Signals that have codes of their own mean those.
TEST(SignalInfo, NamesAChildThatEndsWithAnotherSignal) {
    constexpr int child = 4711;
    for (const int signal : {SIGUSR1, SIGTERM, SIGIO, SIGRTMIN, SIGRTMAX})
        for (const int code : {CLD_EXITED, CLD_KILLED, CLD_DUMPED})
            EXPECT_TRUE(ends_child(signal, code, child, 0)) << signal << ' ' << code;
    for (const int signal : {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGCHLD, 0, 65})
        EXPECT_FALSE(ends_child(signal, CLD_EXITED, child, 0)) << signal;
    for (const int code : {int{CLD_TRAPPED}, int{CLD_CONTINUED}, int{SI_USER}, int{SI_QUEUE}, int{SI_KERNEL}})
        EXPECT_FALSE(ends_child(SIGUSR1, code, child, 0)) << code;
}

TEST(SignalInfo, NamesAProcessByEither) {
    EXPECT_TRUE(names_process(SIGUSR1, SI_USER, 4711, 0));
    EXPECT_TRUE(names_process(SIGCHLD, CLD_EXITED, 4711, 0));
    EXPECT_TRUE(names_process(SIGUSR1, CLD_EXITED, 4711, 0));
    EXPECT_FALSE(names_process(SIGUSR1, SI_USER, 0, 0)) << "from outside, or from the kernel";
    EXPECT_FALSE(names_process(SIGUSR1, SI_QUEUE, 4711, 0));
    EXPECT_FALSE(names_process(SIGUSR1, POLL_IN, POLLIN | POLLRDNORM, 0));
}

// POLL_IN, POLL_OUT and POLL_MSG have the values of CLD_EXITED and its neighbours.
TEST(SignalInfo, TellsABandFromAChild) {
    const auto is_child = [](int code, uint64_t band) {
        return ends_child(SIGUSR1, code, static_cast<int>(band), static_cast<uint32_t>(band >> 32));
    };
    EXPECT_FALSE(is_child(POLL_IN, POLLIN | POLLRDNORM));
    EXPECT_FALSE(is_child(POLL_OUT, POLLOUT | POLLWRNORM | POLLWRBAND));
    EXPECT_FALSE(is_child(POLL_MSG, POLLIN | POLLRDNORM | POLLMSG));
    EXPECT_TRUE(is_child(POLL_IN, POLLOUT | POLLWRNORM | POLLWRBAND)) << "no band of this code";
    EXPECT_TRUE(ends_child(SIGUSR1, CLD_EXITED, POLLIN | POLLRDNORM, 1000)) << "a band has no uid";
}

}  // namespace
}  // namespace ctr::pidns

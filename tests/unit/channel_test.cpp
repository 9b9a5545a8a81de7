#include "runtime/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace ctr::channel {
namespace {

using Kind = Event::Kind;

struct Ends {
    ParentEnd parent;
    ChildEnd child;
};

Ends make_ends() {
    auto ends = make();
    EXPECT_TRUE(ends);
    return {std::move(ends->first), std::move(ends->second)};
}

TEST(Channel, GoArrives) {
    const Ends ends = make_ends();
    ASSERT_TRUE(ends.parent.go());
    EXPECT_TRUE(ends.child.wait_for_go());
}

TEST(Channel, ADeadParentIsNotAGo) {
    Ends ends = make_ends();
    EXPECT_FALSE(ends.child.parent_is_gone());
    ends.parent.close();
    EXPECT_TRUE(ends.child.parent_is_gone());
    EXPECT_FALSE(ends.child.wait_for_go());
}

TEST(Channel, ADeadChildIsAnErrorAndNotASignal) {
    Ends ends = make_ends();
    ends.child.close();
    const auto sent = ends.parent.go();  // SIGPIPE would end the test
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().err, EPIPE);
}

TEST(Channel, AFailureArrivesWhole) {
    const Ends ends = make_ends();
    Failure failure{.step = 7, .error = EPERM, .exit_code = 126};
    std::strcpy(failure.call, "mount");
    std::memset(failure.text, 'x', sizeof failure.text);  // not even terminated
    ends.child.failed(failure);
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, Kind::failed);
    EXPECT_EQ(event->failure.step, 7U);
    EXPECT_EQ(event->failure.error, EPERM);
    EXPECT_EQ(event->failure.exit_code, 126);
    EXPECT_STREQ(event->failure.call, "mount");
    EXPECT_EQ(std::strlen(event->failure.text), sizeof failure.text - 1);
}

TEST(Channel, ANoteIsNoFailure) {
    const Ends ends = make_ends();
    ends.child.noted({.step = 3, .error = ESTALE});
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, Kind::noted);
    EXPECT_EQ(event->failure.step, 3U);
    EXPECT_EQ(event->failure.error, ESTALE);
}

TEST(Channel, ExecutingBringsTheListenerClosedOnExec) {
    const Ends ends = make_ends();
    const Fd sent(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(ends.child.executing(sent.get()), 0);
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, Kind::executing);
    ASSERT_TRUE(event->descriptor);
    struct stat one {};
    struct stat other {};
    ASSERT_EQ(fstat(sent.get(), &one), 0);
    ASSERT_EQ(fstat(event->descriptor.get(), &other), 0);
    EXPECT_EQ(one.st_rdev, other.st_rdev);
    EXPECT_NE(fcntl(event->descriptor.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Channel, ExecutingNeedsNoListener) {
    const Ends ends = make_ends();
    ASSERT_EQ(ends.child.executing(-1), 0);
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, Kind::executing);
    EXPECT_FALSE(event->descriptor);
}

// An init's child sends it on the descriptor that it has inherited.
TEST(Channel, TheKernelSaysWhoIsExecuting) {
    const Ends ends = make_ends();
    const pid_t child = fork();
    if (child == 0) _exit(ends.child.executing(-1) == 0 ? 0 : 1);
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->sender, HostPid(child));
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(Channel, MessagesKeepTheirOrderAndEndWithClosed) {
    Ends ends = make_ends();
    ASSERT_EQ(ends.child.executing(-1), 0);
    ends.child.failed({.step = 1});
    ends.child.close();
    EXPECT_EQ(ends.parent.receive()->kind, Kind::executing);
    EXPECT_EQ(ends.parent.receive()->kind, Kind::failed);
    EXPECT_EQ(ends.parent.receive()->kind, Kind::closed);
}

TEST(Channel, AChildThatDiesBeforeItReadsGoHasClosedTheChannel) {
    Ends ends = make_ends();
    ASSERT_TRUE(ends.parent.go());
    ends.child.close();
    const auto event = ends.parent.receive();
    ASSERT_TRUE(event) << event.error().message();
    EXPECT_EQ(event->kind, Kind::closed);
}

TEST(Channel, BothEndsCloseOnExec) {
    const Ends ends = make_ends();
    EXPECT_NE(fcntl(ends.child.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
}  // namespace ctr::channel

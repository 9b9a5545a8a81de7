// How the command of an init ended is believed only if a command can end so.
#include "runtime/command_end.h"

#include <gtest/gtest.h>

#include <climits>
#include <csignal>

namespace ctr {
namespace {

TEST(CommandEnd, IsAnExitOrASignalOrNothing) {
    const auto end = CommandEnd::make();
    ASSERT_TRUE(end) << end.error().message();
    EXPECT_FALSE(end->status()) << "nothing has been written";
    constexpr int stopped = SIGSTOP << 8 | 0x7f;
    constexpr int no_signal = 100;
    for (const int written : {stopped, 0xffff, no_signal, INT_MAX, -1}) {
        *end->word() = written;
        EXPECT_FALSE(end->status()) << written;
    }
    for (const int written : {0, 7 << 8, 255 << 8, SIGKILL, SIGSEGV | 0x80}) {
        *end->word() = written;
        EXPECT_EQ(end->status(), written);
    }
}

}  // namespace
}  // namespace ctr

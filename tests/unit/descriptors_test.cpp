#include "pidns/monitor/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace ctr::pidns {
namespace {

HostPid self() {
    return HostPid(getpid());
}

std::string read_all(const Fd& file) {
    std::string text(64, 0);
    const ssize_t got = read(file.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
}

TEST(Descriptors, AFileThatIsOpenedAgainHasAPositionOfItsOwn) {
    const Fd file(memfd_create("test", MFD_CLOEXEC));
    ASSERT_EQ(write(file.get(), "text", 4), 4);
    const Fd again = open_again(self(), file.get());
    ASSERT_TRUE(again);
    EXPECT_EQ(read_all(again), "text");
    ASSERT_EQ(lseek(again.get(), 1, SEEK_SET), 1);
    EXPECT_EQ(position_of(self(), file.get()), 4);
    EXPECT_EQ(position_of(self(), again.get()), 1);
    const Fd copy = copy_descriptor(self(), file.get());
    ASSERT_EQ(static_cast<bool>(copy), can_copy_descriptors());
    if (!copy) GTEST_SKIP() << "a filter refuses copies of descriptors";
    EXPECT_EQ(lseek(copy.get(), 0, SEEK_CUR), 4);
}

TEST(Descriptors, ItIsOpenedForTheSame) {
    const Fd file(open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
    const Fd again = open_again(self(), file.get());
    ASSERT_TRUE(again);
    EXPECT_EQ(fcntl(again.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
    const Fd writable(memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(fcntl(open_again(self(), writable.get()).get(), F_GETFL) & O_ACCMODE, O_RDWR);
}

// An open that somebody else may hold up isn't made.
TEST(Descriptors, OnlyFilesOfTheKernelsOwnFileSystemsAreOpenedAgain) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Fd reader(ends[0]);
    const Fd writer(ends[1]);
    EXPECT_FALSE(open_again(self(), reader.get()));
    EXPECT_FALSE(open_again(self(), 987654));
    EXPECT_EQ(position_of(self(), 987654), 0);
}

}  // namespace
}  // namespace ctr::pidns

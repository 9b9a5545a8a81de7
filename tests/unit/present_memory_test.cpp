// Memory that is looked at only where nobody has to wait for it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pidns/monitor/memory.h"

namespace ctr::pidns {
namespace {

TEST(PresentMemory, IsReadAndWhatIsAbsentIsNot) {
    void* const mapped =
        mmap(nullptr, 3 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const auto self = HostPid(getpid());
    const auto address = reinterpret_cast<uint64_t>(mapped);
    if (!absent_pages(self, {address})) GTEST_SKIP() << "this kernel doesn't say which pages are there";
    char* const bytes = static_cast<char*>(mapped);
    std::memset(bytes, 'x', 2 * page_size);
    std::string read(page_size, 0);
    EXPECT_TRUE(read_present_bytes(self, address + 7, read.data(), read.size()));
    EXPECT_EQ(read, std::string(page_size, 'x'));
    EXPECT_EQ(absent_pages(self, {address, address + 2 * page_size}),
              std::vector<uint64_t>{address + 2 * page_size});
    errno = 0;
    EXPECT_FALSE(read_present_bytes(self, address + page_size + 1, read.data(), read.size()));
    EXPECT_EQ(errno, ENODATA);
    EXPECT_TRUE(read_present_bytes(self, address + page_size, read.data(), read.size())) << "to its end";
    ASSERT_EQ(munmap(mapped, 3 * page_size), 0);
    EXPECT_FALSE(read_present_bytes(self, address, read.data(), 1)) << "nothing is there at all";
}

}  // namespace
}  // namespace ctr::pidns

// What the names of files in memory say that stand for texts of /proc.
#include <gtest/gtest.h>

#include <string>

#include "pidns/surface/memory_name.h"

namespace ctr::pidns {
namespace {

// "BIRTH PLACE", or "-".
std::string read(std::string_view link) {
    const auto name = memory_name_of(link);
    return name ? std::string(name->birth) + " " + std::string(name->place) : "-";
}

TEST(MemoryName, SaysWhoseAndWhich) {
    EXPECT_EQ(read("/memfd:ctr:123:4711/stat (deleted)"), "123 4711/stat");
    EXPECT_EQ(read("/memfd:ctr:@5:4711/task/12/status"), "@5 4711/task/12/status");
    EXPECT_EQ(read("/memfd:ctr::loadavg (deleted)"), " loadavg");
    EXPECT_EQ(read("/memfd:ctr:: (deleted)"), " ");
    EXPECT_EQ(read("/memfd:ctr:1:a:b (deleted)"), "1 a:b");
}

TEST(MemoryName, OthersAreNone) {
    for (const char* link :
         {"", "/", "/memfd:", "/memfd:ctr", "/memfd:ctr:", "/memfd:ctr:1", "/memfd:ctr-numbers (deleted)",
          "memfd:ctr:1:2", "/tmp/memfd:ctr:1:2", "/memfd:out (deleted)"})
        EXPECT_EQ(read(link), "-") << link;
}

TEST(MemoryName, AnEntrysBirthIsNoTime) {
    EXPECT_EQ(EntryBirth(0).text(), "@0");
    EXPECT_EQ(EntryBirth(8388607).text(), "@8388607");
    EXPECT_EQ(EntryBirth(0xffffffff).text(), "@-1");
    EXPECT_EQ(EntryBirth(0x80000000).text(), "@-2147483648");
}

}  // namespace
}  // namespace ctr::pidns

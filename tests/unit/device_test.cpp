#include "cgroup/device.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/process.h"

namespace ctr::cgroup {
namespace {

// A host with disks and file systems that the real one needn't have.
class FindDevice : public testing::Test {
  protected:
    FindDevice() {
        add_disk("8:0", "pci0000:00/ata1/block/sda");
        add_disk("8:1", "pci0000:00/ata1/block/sda/sda1");
        write("sys/devices/pci0000:00/ata1/block/sda/sda1/partition", "1\n");
        add_disk("253:3", "virtual/block/dm-3");
        add_disk("7:0", "virtual/block/loop0");
        add_disk("259:1", "pci0000:00/nvme/nvme0/nvme0n1");
        add_disk("259:2", "pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p1");
        write("sys/devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p1/partition", "1\n");
        write("proc/filesystems",
              "nodev\tsysfs\nnodev\ttmpfs\nnodev\toverlay\n\text4\n\tbtrfs\nnodev\tfuse\nnodev\tnfs4\n");
        write(
            "proc/self/mountinfo",
            "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
            "31 21 0:40 / /tmp rw - tmpfs tmpfs rw,size=1k\n"
            "32 21 0:41 / /lie rw - tmpfs /dev/sda rw\n"
            "33 21 0:42 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/data/up,workdir=/data/work\n"
            "34 21 0:43 /@home /home rw - btrfs /nonexistent/sdb rw,subvol=/@home\n"
            "35 21 0:44 / /remote rw - nfs4 server:/export rw\n"
            "36 21 0:45 / /with\\040blank rw - fuse /dev/fuse rw\n");
    }

    void write(const std::string& name, const std::string& text) {
        const std::filesystem::path file = scratch_.path() + "/" + name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    void add_disk(const std::string& number, const std::string& directory) {
        write("sys/devices/" + directory + "/dev", number + "\n");
        std::filesystem::create_directories(scratch_.path() + "/sys/dev/block");
        std::filesystem::create_symlink("../../devices/" + directory,
                                        scratch_.path() + "/sys/dev/block/" + number);
    }

    Host host() const { return {scratch_.path() + "/proc", scratch_.path() + "/sys", false}; }

    static FileFacts node(DeviceNumber number) {
        return {.mode = S_IFBLK | 0600, .device = {0, 6}, .node = number};
    }
    static FileFacts file_on(DeviceNumber number) { return {.mode = S_IFREG | 0600, .device = number}; }
    static FileFacts file_in_mount(uint64_t id) {
        return {.mode = S_IFDIR | 0700, .device = {0, 99}, .mount = id};
    }

    void expect_refused(const FileFacts& facts, const std::vector<std::string>& words) const {
        const Result<BlockDevice> device = find_device("/some/path", facts, host());
        ASSERT_FALSE(device) << device->describe();
        const std::string message = device.error().message();
        EXPECT_NE(message.find("\"/some/path\""), std::string::npos) << message;
        for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
        EXPECT_FALSE(device.error().hint.empty()) << message;
    }

    test::ScratchDirectory scratch_;
};

TEST_F(FindDevice, AWholeDiskIsItself) {
    const Result<BlockDevice> device = find_device("/dev/sda", node({8, 0}), host());
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->number, (DeviceNumber{8, 0}));
    EXPECT_EQ(device->name, "sda");
    EXPECT_EQ(device->partition, "");
    EXPECT_EQ(device->found, BlockDevice::Found::node);
    EXPECT_EQ(device->describe(), "/dev/sda is sda (8:0)");
}

TEST_F(FindDevice, APartitionCountsAgainstItsDisk) {
    const Result<BlockDevice> device = find_device("/dev/sda1", node({8, 1}), host());
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->number, (DeviceNumber{8, 0}));
    EXPECT_EQ(device->name, "sda");
    EXPECT_EQ(device->partition, "sda1");
    EXPECT_EQ(device->partition_number, (DeviceNumber{8, 1}));
    EXPECT_EQ(device->describe(), "/dev/sda1 is sda1 (8:1), a partition of sda (8:0)");
}

TEST_F(FindDevice, APartitionWithTheDisksMajorNumberElsewhereIsFoundToo) {
    const Result<BlockDevice> device = find_device("/srv", file_on({259, 2}), host());
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->number, (DeviceNumber{259, 1}));
    EXPECT_EQ(device->describe(), "/srv is on nvme0n1p1 (259:2), a partition of nvme0n1 (259:1)");
}

TEST_F(FindDevice, DeviceMapperAndLoopAreDisksOfTheirOwn) {
    EXPECT_EQ(find_device("/dev/mapper/x", node({253, 3}), host()).value().name, "dm-3");
    const BlockDevice loop = find_device("/mnt/loop/file", file_on({7, 0}), host()).value();
    EXPECT_EQ(loop.describe(), "/mnt/loop/file is on loop0 (7:0)");
    EXPECT_EQ(loop.found, BlockDevice::Found::holder);
}

TEST_F(FindDevice, ADeviceThatTheKernelDoesNotKnowIsRefused) {
    expect_refused(node({9, 9}), {"ENOENT", "9:9", "no block device"});
}

TEST_F(FindDevice, ACharacterDeviceIsRefused) {
    expect_refused({.mode = S_IFCHR | 0666, .device = {0, 6}, .node = {1, 3}}, {"character device"});
}

TEST_F(FindDevice, FileSystemsWithoutADeviceAreRefusedByName) {
    expect_refused(file_in_mount(31), {"tmpfs", "/tmp"});
    expect_refused(file_in_mount(35), {"nfs4", "/remote"});
    expect_refused(file_in_mount(36), {"fuse", "/with blank"});
}

TEST_F(FindDevice, TheSourceOfATmpfsIsNotBelieved) {
    expect_refused(file_in_mount(32), {"tmpfs", "/lie"});
}

TEST_F(FindDevice, AnOverlayIsRefusedWithTheDirectoryOfItsUpperLayer) {
    expect_refused(file_in_mount(33), {"overlay", "/merged", "/data/up:"});
}

TEST_F(FindDevice, ABtrfsWhoseSourceIsNoDeviceHereIsRefused) {
    expect_refused(file_in_mount(34), {"btrfs", "\"/nonexistent/sdb\""});
}

TEST_F(FindDevice, AMountThatCannotBeSeenIsRefused) {
    expect_refused(file_in_mount(77), {"mount", "can't be seen"});
}

TEST_F(FindDevice, ABtrfsIsFoundThroughTheSourceOfItsMount) {
    const std::string node_path = scratch_.path() + "/sdb";
    if (mknod(node_path.c_str(), S_IFBLK | 0600, makedev(8, 0)) != 0)
        GTEST_SKIP() << "creating a device node needs root";
    write("proc/self/mountinfo", "34 21 0:43 /@home /home rw - btrfs " + node_path + " rw\n");
    const Result<BlockDevice> device = find_device("/home/x", file_in_mount(34), host());
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->number, (DeviceNumber{8, 0}));
    EXPECT_EQ(device->describe(),
              "/home/x is on sda (8:0), the device that its file system was mounted from");
}

TEST_F(FindDevice, ASysfsThatIsNoneIsNotBelieved) {
    Host lie = host();
    lie.genuine = true;
    EXPECT_FALSE(find_device("/dev/sda", node({8, 0}), lie));
}

TEST(FindDeviceHere, BadPathsAreRefusedAndQuoted) {
    for (const std::string& bad :
         {std::string(), std::string("/no/such/device"), std::string("/dev/null\0/x", 11)}) {
        const Result<BlockDevice> device = find_device(bad);
        ASSERT_FALSE(device);
        EXPECT_NE(device.error().message().find('"' + bad + '"'), std::string::npos)
            << device.error().message();
    }
    EXPECT_NE(find_device("/dev/null").error().message().find("character device"), std::string::npos);
    EXPECT_NE(find_device("/proc/self/status").error().message().find("proc"), std::string::npos);
}

}  // namespace
}  // namespace ctr::cgroup

// The cache of instrumented images, with an instrumenter that only marks what it was given.
#include "pidns/image/cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/process.h"

namespace ctr::pidns {
namespace {

namespace fs = std::filesystem;
using test::ScratchDirectory;

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

std::string text_of(const Fd& file) {
    std::string text(1 << 20, 0);
    const ssize_t n = pread(file.get(), text.data(), text.size(), 0);
    text.resize(n < 0 ? 0 : static_cast<size_t>(n));
    return text;
}

std::string text_of(const Result<ImageCache::Copy>& copy) {
    return copy ? text_of(copy->file) : "error: " + copy.error().why;
}

Fd open_file(const std::string& path) {
    return Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

class Cache : public testing::Test {
  protected:
    // What a file holds decides what becomes of it.
    Result<std::vector<std::byte>> instrument(std::span<const std::byte> image) {
        ++made_;
        std::string text(reinterpret_cast<const char*>(image.data()), image.size());
        if (text.starts_with("odd")) return fail_input("instrument", "there is no call in it");
        if (text.starts_with("unlucky")) return fail_call("instrument", "dlopen", ENOENT, "nothing decodes");
        return bytes_of("instrumented " + text);
    }

    ImageCache cache(uint64_t version = 1, size_t files = 64, long settled = 0) {
        auto made = ImageCache::open({directory()}, [this](auto image) { return instrument(image); },
                                     {version, files, settled});
        if (!made) throw std::runtime_error(made.error().message());
        return std::move(*made);
    }
    std::string refusal() const {
        const auto opened = ImageCache::open({directory()}, {}, {});
        return opened ? "" : opened.error().message();
    }

    std::string directory() const { return scratch_.path() + "/cache/ctr"; }

    // An image as libraries are: everybody may read it.
    std::string image(const std::string& text, const std::string& name = "image", mode_t mode = 0755) const {
        const std::string path = scratch_.path() + "/" + name;
        std::ofstream(path) << text;
        chmod(path.c_str(), mode);
        return path;
    }

    std::vector<std::string> entries(const std::string& ending = "") const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(directory()))
            if (entry.path().string().ends_with(ending)) names.push_back(entry.path().string());
        return names;
    }
    std::string only_copy() const {
        const auto copies = entries(".image");
        EXPECT_EQ(copies.size(), 1u);
        return copies.empty() ? "" : copies.front();
    }

    ScratchDirectory scratch_;
    int made_ = 0;
};

TEST_F(Cache, AnImageIsInstrumentedOnceAndThenFound) {
    const Fd original = open_file(image("libc"));
    EXPECT_EQ(text_of(cache().copy_of(original)), "instrumented libc");
    const auto again = cache().copy_of(original);
    ASSERT_TRUE(again);
    EXPECT_EQ(text_of(again->file), "instrumented libc");
    EXPECT_EQ(again->path, only_copy());
    EXPECT_EQ(made_, 1);
}

// How many of a file's pages are in memory, and how many it has.
std::pair<size_t, size_t> pages_in_memory(const std::string& path) {
    constexpr size_t page = 4096;
    const Fd file = open_file(path);
    const size_t size = fs::file_size(path), count = (size + page - 1) / page;
    void* const at = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    std::vector<unsigned char> pages(count);
    if (at == MAP_FAILED || mincore(at, size, pages.data()) != 0) return {};
    munmap(at, size);
    return {std::ranges::count_if(pages, [](unsigned char is_there) { return (is_there & 1) != 0; }), count};
}

TEST_F(Cache, ACopyThatIsNotInMemoryIsReadAsAWhole) {
    constexpr size_t large = size_t{1} << 20;
    const Fd original = open_file(image(std::string(large, 'x')));
    ASSERT_TRUE(cache().copy_of(original));
    const std::string copy = only_copy();
    const Fd file = open_file(copy);
    posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (pages_in_memory(copy).first != 0) GTEST_SKIP() << "this file system keeps its files in memory";
    ASSERT_TRUE(cache().copy_of(original));
    const auto [there, all] = pages_in_memory(copy);
    EXPECT_EQ(there, all);
}

TEST_F(Cache, ACopyLooksLikeItsImageToThoseWhoUseIt) {
    const std::string path = image("libc");
    const timespec times[] = {{1000, 0}, {1234567, 89}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    const mode_t before = umask(077);
    const auto copy = cache().copy_of(open_file(path));
    umask(before);
    ASSERT_TRUE(copy);
    struct stat status {};
    ASSERT_EQ(fstat(copy->file.get(), &status), 0);
    EXPECT_EQ(status.st_mode, mode_t{S_IFREG | 0755});
    EXPECT_EQ(status.st_mtim.tv_sec, 1234567);
    EXPECT_EQ(status.st_mtim.tv_nsec, 89);
}

TEST_F(Cache, WhatIsKnownIsFoundAndNothingElseIsMade) {
    const Fd original = open_file(image("program"));
    EXPECT_FALSE(cache().known_copy_of(original));
    const Fd odd = open_file(image("odd", "odd"));
    EXPECT_FALSE(cache().copy_of(odd));
    EXPECT_FALSE(cache().known_copy_of(odd));
    ASSERT_TRUE(cache().copy_of(original));
    const auto known = cache().known_copy_of(original);
    ASSERT_TRUE(known);
    EXPECT_EQ(text_of(known->file), "instrumented program");
    EXPECT_FALSE(cache(2).known_copy_of(original));
    fs::remove(only_copy());
    EXPECT_FALSE(cache().known_copy_of(original));
    EXPECT_EQ(made_, 2);
}

TEST_F(Cache, TheLatestProgramsAreNoted) {
    using Paths = std::vector<std::string>;
    EXPECT_EQ(cache().programs(), Paths{});
    for (const char* path : {"/usr/bin/a", "/usr/bin/b c", "/usr/bin/a", "/usr/bin/two\nlines"})
        cache().add_program(path);
    EXPECT_EQ(cache().programs(), (Paths{"/usr/bin/b c", "/usr/bin/a"}));
    EXPECT_EQ(cache(2).programs(), cache().programs());
    for (int i = 0; i < 100; ++i) cache().add_program("/usr/bin/" + std::to_string(i));
    EXPECT_EQ(cache().programs().size(), 16u);
    EXPECT_EQ(cache().programs().front(), "/usr/bin/99");
    for (int i = 0; i < 20; ++i) cache().add_program("/" + std::to_string(i) + std::string(1000, 'x'));
    EXPECT_EQ(cache().programs().size(), 4u);
}

TEST_F(Cache, TheDirectoryIsMadeForUsAlone) {
    cache();
    struct stat status {};
    ASSERT_EQ(stat(directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode, mode_t{S_IFDIR | 0700});
    EXPECT_EQ(status.st_uid, geteuid());
}

TEST_F(Cache, FilesOfOneContentShareACopy) {
    EXPECT_TRUE(cache().copy_of(open_file(image("libc", "one"))));
    EXPECT_TRUE(cache().copy_of(open_file(image("libc", "other"))));
    EXPECT_EQ(made_, 1);
    only_copy();
}

TEST_F(Cache, AChangedImageIsAnotherOne) {
    const std::string path = image("libc");
    EXPECT_EQ(text_of(cache().copy_of(open_file(path))), "instrumented libc");
    usleep(20000);  // longer than a tick of the clock by which files are dated
    image("LIBC");  // in place, of the same size
    EXPECT_EQ(text_of(cache().copy_of(open_file(path))), "instrumented LIBC");
    EXPECT_EQ(made_, 2);
}

// Its times would say nothing of a second change within the same tick of the clock.
TEST_F(Cache, TheTimesOfAnImageThatWasJustWrittenAreNotReliedOn) {
    EXPECT_TRUE(cache(1, 64, 1000).copy_of(open_file(image("libc"))));
    EXPECT_EQ(entries().size(), 2u);  // the copy and its content's record
    EXPECT_TRUE(cache(1, 64, 0).copy_of(open_file(image("libc"))));
    EXPECT_EQ(entries().size(), 3u);
    EXPECT_EQ(made_, 1);
}

TEST_F(Cache, AnotherVersionFindsNothingOfThisOne) {
    const Fd original = open_file(image("libc"));
    EXPECT_TRUE(cache(1).copy_of(original));
    EXPECT_TRUE(cache(2).copy_of(original));
    EXPECT_EQ(made_, 2);
    EXPECT_EQ(entries(".image").size(), 2u);
    EXPECT_TRUE(cache(1).copy_of(original));
    EXPECT_EQ(made_, 2);
}

TEST_F(Cache, ThatAnImageCannotBeInstrumentedIsRememberedWithTheReason) {
    const Fd original = open_file(image("odd one"));
    for (int i = 0; i < 3; ++i) {
        const auto copy = cache().copy_of(original);
        ASSERT_FALSE(copy);
        EXPECT_EQ(copy.error().why, "there is no call in it");
    }
    // ... for every file of this content
    EXPECT_FALSE(cache().copy_of(open_file(image("odd one", "other"))));
    EXPECT_EQ(made_, 1);
}

TEST_F(Cache, AFailureOfTheMachineIsRememberedForAWhile) {
    const Fd original = open_file(image("unlucky"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(text_of(cache().copy_of(original)), "error: nothing decodes");
    EXPECT_EQ(made_, 1);
    const timespec long_ago[] = {{1000, 0}, {1000, 0}};
    for (const std::string& entry : entries())
        ASSERT_EQ(utimensat(AT_FDCWD, entry.c_str(), long_ago, AT_SYMLINK_NOFOLLOW), 0);
    EXPECT_FALSE(cache().copy_of(original));
    EXPECT_EQ(made_, 2);
}

TEST_F(Cache, ImagesWithRightsOfTheirOwnHaveNoCopy) {
    for (const mode_t mode : {04755U, 02755U, 0700U, 0711U, 0750U, 0600U}) {
        const auto copy = cache().copy_of(open_file(image("libc", "image" + std::to_string(mode), mode)));
        EXPECT_FALSE(copy) << std::oct << mode;
    }
    EXPECT_TRUE(cache().copy_of(open_file(image("libc", "plain", 0644))));
    EXPECT_EQ(made_, 1);
    EXPECT_FALSE(cache().copy_of(open_file(scratch_.path())));
}

TEST_F(Cache, ProgramsWithCapabilitiesHaveNoCopy) {
    const std::string path = image("ping");
    if (test::run({"setcap", "cap_net_raw=ep", path}).code != 0) GTEST_SKIP() << "no file capabilities here";
    const auto copy = cache().copy_of(open_file(path));
    ASSERT_FALSE(copy);
    EXPECT_EQ(copy.error().why, "it has file capabilities");
}

// What somebody, or a crash, has made of the only copy.
class Spoiled : public Cache, public testing::WithParamInterface<void (*)(const std::string& copy)> {};

TEST_P(Spoiled, ACopyIsMadeAnew) {
    const Fd original = open_file(image("libc"));
    EXPECT_TRUE(cache().copy_of(original));
    GetParam()(only_copy());
    EXPECT_EQ(text_of(cache().copy_of(original)), "instrumented libc");
    EXPECT_EQ(made_, 2);
    EXPECT_EQ(text_of(cache().copy_of(original)), "instrumented libc");
    EXPECT_EQ(made_, 2);
}

void remove_it(const std::string& copy) {
    fs::remove(copy);
}
void truncate_it(const std::string& copy) {
    fs::resize_file(copy, 3);
}
void lengthen_it(const std::string& copy) {
    std::ofstream(copy, std::ios::app) << "more";
}
void let_others_write(const std::string& copy) {
    ASSERT_EQ(chmod(copy.c_str(), 0757), 0);
}
void link_it_elsewhere(const std::string& copy) {
    fs::rename(copy, copy + ".hidden");
    fs::create_symlink(copy + ".hidden", copy);
}
void make_it_a_pipe(const std::string& copy) {
    fs::remove(copy);
    ASSERT_EQ(mkfifo(copy.c_str(), 0755), 0);
}
void forget_its_size(const std::string& copy) {
    const std::string record = copy.substr(0, copy.size() - std::string(".image").size());
    fs::remove(record);
    fs::create_symlink("=17e3;rm", record);
}
void lose_its_record(const std::string& copy) {
    fs::remove(copy.substr(0, copy.size() - std::string(".image").size()));
}

INSTANTIATE_TEST_SUITE_P(Image, Spoiled,
                         testing::Values(remove_it, truncate_it, lengthen_it, let_others_write,
                                         link_it_elsewhere, make_it_a_pipe, forget_its_size,
                                         lose_its_record));

TEST_F(Cache, ACopyOfSomebodyElseIsNotUsed) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    const Fd original = open_file(image("libc"));
    EXPECT_TRUE(cache().copy_of(original));
    ASSERT_EQ(chown(only_copy().c_str(), 4711, 0), 0);
    EXPECT_EQ(text_of(cache().copy_of(original)), "instrumented libc");
    EXPECT_EQ(made_, 2);
    struct stat status {};
    ASSERT_EQ(stat(only_copy().c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 0u);
}

TEST_F(Cache, ADirectoryThatOthersMayWriteToIsRefused) {
    cache();
    for (const mode_t mode : {0770U, 0707U, 01777U}) {
        ASSERT_EQ(chmod(directory().c_str(), mode), 0);
        EXPECT_NE(refusal().find("others may write to it"), std::string::npos) << refusal();
    }
    ASSERT_EQ(chmod(directory().c_str(), 0755), 0);
    EXPECT_EQ(refusal(), "");
}

TEST_F(Cache, ADirectoryOfSomebodyElseIsRefused) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    cache();
    ASSERT_EQ(chown(directory().c_str(), 4711, 4711), 0);
    EXPECT_NE(refusal().find("belongs to somebody else"), std::string::npos) << refusal();
}

TEST_F(Cache, ALinkInTheDirectorysPlaceIsRefused) {
    fs::create_directories(scratch_.path() + "/elsewhere");
    fs::create_directories(scratch_.path() + "/cache");
    fs::create_symlink(scratch_.path() + "/elsewhere", directory());
    EXPECT_NE(refusal().find("ENOTDIR"), std::string::npos) << refusal();
    fs::remove(directory());
    std::ofstream(directory()) << "a file";
    EXPECT_NE(refusal().find("ENOTDIR"), std::string::npos) << refusal();
}

TEST_F(Cache, ADirectoryWhoseFilesCannotBeExecutedIsRefused) {
    if (test::run({"unshare", "-m", "true"}).code != 0) GTEST_SKIP() << "needs root";
    const std::string script =
        "mount -t tmpfs -o noexec,mode=755 none /mnt && exec \"$0\" "
        "--gtest_also_run_disabled_tests --gtest_filter=Cache.DISABLED_OnNoexec";
    const auto outcome =
        test::run({"unshare", "-m", "sh", "-c", script, fs::read_symlink("/proc/self/exe").string()});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_NE(outcome.out.find("1 test from"), std::string::npos) << outcome;
}

TEST_F(Cache, DISABLED_OnNoexec) {
    const auto opened = ImageCache::open({"/mnt/ctr"}, {}, {});
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message().find("noexec"), std::string::npos) << opened.error().message();
}

TEST_F(Cache, TheFirstDirectoryThatCanBeHadIsTaken) {
    const auto opened = ImageCache::open({"", "relative", "/proc/none/such", directory()}, {}, {});
    EXPECT_TRUE(opened);
    EXPECT_TRUE(fs::exists(directory()));
    const auto none = ImageCache::open({}, {}, {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().why, "there is no directory for them");
}

TEST_F(Cache, TheLeastRecentlyUsedGoWhenThereAreTooMany) {
    const ImageCache small = cache(1, 3);
    for (int i = 0; i < 3; ++i) {
        const auto copy = small.copy_of(open_file(image("image" + std::to_string(i))));
        ASSERT_TRUE(copy);
        const timespec times[] = {{1000 + i, 0}, {0, UTIME_OMIT}};
        ASSERT_EQ(utimensat(AT_FDCWD, copy->path.c_str(), times, 0), 0);
    }
    EXPECT_TRUE(small.copy_of(open_file(image("image0"))));  // used once more
    EXPECT_TRUE(small.copy_of(open_file(image("image3"))));
    EXPECT_EQ(made_, 4);
    EXPECT_EQ(entries(".image").size(), 3u);
    EXPECT_TRUE(small.copy_of(open_file(image("image0"))));
    EXPECT_EQ(made_, 4);
    EXPECT_EQ(text_of(small.copy_of(open_file(image("image1")))), "instrumented image1");
    EXPECT_EQ(made_, 5);
}

TEST_F(Cache, RecordsDoNotPileUp) {
    const ImageCache small = cache(1, 1);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(small.copy_of(open_file(image("odd" + std::to_string(i)))));
    EXPECT_LE(entries().size(), 20u);
}

TEST_F(Cache, WhatAKilledWriterLeavesIsRemovedWhenItIsOld) {
    const ImageCache one = cache();
    std::ofstream(directory() + "/.new-1") << "half an ima";
    fs::create_symlink("=17", directory() + "/.new-2");
    fs::create_symlink("=17", directory() + "/.new-3");
    const timespec long_ago[] = {{1000, 0}, {1000, 0}};
    for (const char* name : {"/.new-1", "/.new-2"})
        ASSERT_EQ(utimensat(AT_FDCWD, (directory() + name).c_str(), long_ago, AT_SYMLINK_NOFOLLOW), 0);
    EXPECT_EQ(text_of(one.copy_of(open_file(image("libc")))), "instrumented libc");
    EXPECT_EQ(entries("/.new-1").size() + entries("/.new-2").size(), 0u);
    EXPECT_EQ(entries("/.new-3").size(), 1u);  // it may still be being written
}

TEST_F(Cache, AWriterMayBeKilledAtAnyMoment) {
    const std::string large(200000, 'x');
    const std::string expected = "instrumented " + large;
    cache();  // its directory is there
    for (int i = 0; i < 150; ++i) {
        const std::string number = std::to_string(10 + i % 20);
        const Fd original = open_file(image(large + number));
        const pid_t writer = fork();
        if (writer == 0) {
            (void)cache().copy_of(original);
            _exit(0);
        }
        usleep(static_cast<useconds_t>(i * 7 % 1500));
        kill(writer, SIGKILL);
        waitpid(writer, nullptr, 0);
        for (const std::string& copy : entries(".image"))
            ASSERT_EQ(fs::file_size(copy), (expected + number).size());
        ASSERT_EQ(text_of(cache().copy_of(original)), expected + number);
    }
}

TEST_F(Cache, ManyMayWriteAtOnce) {
    constexpr int writers = 8;
    constexpr int images = 12;
    std::vector<Fd> originals;
    for (int i = 0; i < images; ++i)
        originals.push_back(open_file(image(std::string(50000, 'x') + std::to_string(i), std::to_string(i))));
    std::vector<pid_t> children;
    for (int writer = 0; writer < writers; ++writer) {
        const pid_t child = fork();
        if (child == 0) {
            int wrong = 0;
            for (int round = 0; round < 20; ++round)
                for (int i = 0; i < images; ++i) {
                    // Few are kept, so that others remove what one has just found.
                    const auto copy = cache(1, 4).copy_of(originals[static_cast<size_t>(i)]);
                    if (text_of(copy) != "instrumented " + std::string(50000, 'x') + std::to_string(i))
                        ++wrong;
                }
            _exit(wrong);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_TRUE(std::ranges::none_of(
        entries(), [](const std::string& name) { return name.find("/.new-") != std::string::npos; }));
}

}  // namespace
}  // namespace ctr::pidns

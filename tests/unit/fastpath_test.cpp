// Which images are found in a root, and what becomes of them; with an instrumenter that only marks what it
// was given.
#include "runtime/fastpath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/images.h"
#include "tests/support/process.h"

namespace ctr::fastpath {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class Fastpath : public testing::Test {
  protected:
    Fastpath() {
        fs::create_directories(root("/usr/lib/x86_64-linux-gnu"));
        fs::create_directories(root("/usr/lib64"));
        fs::create_directory_symlink("usr/lib", root("/lib"));
        fs::create_directory_symlink("/usr/lib64", root("/lib64"));
        spec_.command = {"/none"};
        spec_.rootfs = root("");
        facts_.uid = 1000;  // whose caches don't begin with that of the machine
        facts_.fsgsbase = true;
        facts_.env = {"XDG_CACHE_HOME=" + scratch_.path() + "/cache"};
    }

    std::string root(const std::string& path) const { return scratch_.path() + "/root" + path; }
    void add(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(root(path)).parent_path());
        std::ofstream(root(path)) << text;
        fs::permissions(root(path), fs::perms(0755));
    }
    // Programs of this machine, of which it matters what their first page says.
    void add_program(const std::string& path, const std::string& from) const {
        std::ifstream file(from, std::ios::binary);
        add(path, std::string(std::istreambuf_iterator<char>(file), {}));
    }

    Texts found() const {
        Texts paths;
        for (const images::Image& image : images::find(spec_, facts_)) paths.push_back(image.path);
        return paths;
    }

    Prepared prepared() {
        const auto make = [this](std::span<const std::byte> image) -> Result<std::vector<std::byte>> {
            ++made_;
            std::vector<std::byte> copy(image.begin(), image.end());
            if (!copy.empty() && copy.front() == std::byte{'!'}) return fail_input("instrument", "it is odd");
            copy.push_back(std::byte{'+'});
            return copy;
        };
        return prepare(spec_, facts_, {make, 1});
    }
    bool has_cache() const { return fs::exists(scratch_.path() + "/cache"); }

    test::ScratchDirectory scratch_;
    Spec spec_;
    HostFacts facts_;
    int made_ = 0;
};

TEST_F(Fastpath, LibrariesAreFoundAtTheirUsualPlacesAndOnce) {
    EXPECT_EQ(found(), Texts{});
    add("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    add("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "ld");
    fs::create_symlink("/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", root("/usr/lib64/ld-linux-x86-64.so.2"));
    EXPECT_EQ(found(),
              (Texts{"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"}));
}

TEST_F(Fastpath, AnImageHasTheNameOfTheFileThatALinkLeadsTo) {
    add("/usr/lib/x86_64-linux-gnu/libc-2.31.so", "libc");
    fs::create_symlink("libc-2.31.so", root("/usr/lib/x86_64-linux-gnu/libc.so.6"));
    add("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "ld");
    Texts names;
    for (const images::Image& image : images::find(spec_, facts_)) names.push_back(image.name);
    EXPECT_EQ(names, (Texts{"libc-2.31.so", "ld-linux-x86-64.so.2"}));
}

TEST_F(Fastpath, LibrariesOfSeveralKindsAreFoundTogether) {
    fs::remove_all(root("/usr/lib/x86_64-linux-gnu"));
    add("/usr/lib64/libc.so.6", "libc");
    add("/usr/lib64/libpthread.so.0", "threads");
    add("/usr/lib/ld-musl-x86_64.so.1", "musl");
    EXPECT_EQ(found(), (Texts{"/lib64/libc.so.6", "/lib64/libpthread.so.0", "/lib/ld-musl-x86_64.so.1"}));
}

TEST_F(Fastpath, LinksLeadNowhereOutsideOfTheRoot) {
    add("/usr/lib/x86_64-linux-gnu/libc-2.31.so", "libc");
    fs::create_symlink("/usr/lib/x86_64-linux-gnu/libc-2.31.so", root("/usr/lib/x86_64-linux-gnu/libc.so.6"));
    fs::create_symlink(scratch_.path() + "/outside", root("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"));
    std::ofstream(scratch_.path() + "/outside") << "ld";
    EXPECT_EQ(found(), Texts{"/lib/x86_64-linux-gnu/libc.so.6"});
}

TEST_F(Fastpath, WhatIsNoFileIsNoImage) {
    fs::create_directory(root("/usr/lib/x86_64-linux-gnu/libc.so.6"));
    ASSERT_EQ(mkfifo(root("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2").c_str(), 0755), 0);
    EXPECT_EQ(found(), Texts{});
}

// The dynamic linker itself is the static executable that every machine has.
TEST_F(Fastpath, AStaticCommandIsFoundAndADynamicOneIsNot) {
    add_program("/opt/static", "/lib64/ld-linux-x86-64.so.2");
    add_program("/opt/dynamic", "/bin/sh");
    spec_.command = {"/opt/static"};
    EXPECT_EQ(found(), Texts{"/opt/static"});
    spec_.command = {"/opt/dynamic"};
    EXPECT_EQ(found(), Texts{});
}

TEST_F(Fastpath, ACommandIsLookedForAsItWillBe) {
    add_program("/opt/static", "/lib64/ld-linux-x86-64.so.2");
    spec_.command = {"static"};
    EXPECT_EQ(found(), Texts{});
    spec_.env = {{"PATH", "/none:/opt"}};
    EXPECT_EQ(found(), Texts{"/opt/static"});
    spec_.command = {"opt/static"};
    EXPECT_EQ(found(), Texts{"//opt/static"});
    spec_.command = {"./static"};
    EXPECT_EQ(found(), Texts{});
    spec_.workdir = "/opt";
    EXPECT_EQ(found(), Texts{"/opt/./static"});
    fs::permissions(root("/opt/static"), fs::perms(0644));
    EXPECT_EQ(found(), Texts{});
}

TEST_F(Fastpath, AScriptIsWhatRunsIt) {
    add_program("/opt/static", "/lib64/ld-linux-x86-64.so.2");
    add("/opt/one", "#!/opt/static -x\n");
    add("/opt/two", "#!/opt/one\n");
    add("/opt/loop", "#!/opt/loop\n");
    spec_.command = {"/opt/two"};
    EXPECT_EQ(found(), Texts{"/opt/static"});
    spec_.command = {"/opt/loop"};
    EXPECT_EQ(found(), Texts{});
}

TEST_F(Fastpath, LibrariesBesideTheCommandsDynamicLinkerAreFound) {
    add_program("/bin/dynamic", "/bin/sh");
    spec_.command = {"/bin/dynamic"};
    fs::remove(root("/lib64"));
    fs::create_directory_symlink("/store/lib", root("/lib64"));
    add("/store/lib/ld-linux-x86-64.so.2", "ld");
    add("/store/lib/libc.so.6", "libc");
    EXPECT_EQ(found(), (Texts{"/lib64/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}));
}

TEST_F(Fastpath, EveryImageGetsItsCopy) {
    add("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    add("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "!ld");
    for (int round = 0; round < 2; ++round) {
        const Prepared result = prepared();
        ASSERT_EQ(result.placements.size(), 1u);
        const action::Placement& placement = result.placements.front();
        EXPECT_EQ(placement.target, "/lib/x86_64-linux-gnu/libc.so.6");
        EXPECT_TRUE(placement.copy.starts_with(scratch_.path() + "/cache/ctr/")) << placement.copy;
        EXPECT_EQ(fs::file_size(placement.copy), 5u);
        struct stat status {};
        ASSERT_EQ(stat(root("/usr/lib/x86_64-linux-gnu/libc.so.6").c_str(), &status), 0);
        EXPECT_EQ(placement.device, status.st_dev);
        EXPECT_EQ(placement.inode, status.st_ino);
        ASSERT_EQ(result.remarks.size(), 1u);
        EXPECT_EQ(result.remarks.front(),
                  "no fast path for /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2: it is odd");
    }
    EXPECT_EQ(made_, 2);
}

// A start makes none for what may not run at all.
TEST_F(Fastpath, WhatIsNotedIsFoundBehindAllElseAndNotMade) {
    add_program("/usr/bin/noted", "/lib64/ld-linux-x86-64.so.2");
    add_program("/usr/bin/command", "/lib64/ld-linux-x86-64.so.2");
    spec_.command = {"/usr/bin/command"};
    const Texts noted{"/usr/bin/none", "/usr/bin/noted", "/usr/bin/command"};
    std::vector<std::pair<std::string, bool>> seen;
    for (const images::Image& image : images::find(spec_, facts_, noted))
        seen.emplace_back(image.path, image.noted);
    EXPECT_EQ(seen, (std::vector<std::pair<std::string, bool>>{{"/usr/bin/command", false},
                                                               {"/usr/bin/noted", true}}));
    spec_.command = {"/none"};
    const Prepared before = prepared();
    ASSERT_TRUE(before.make_copy);
    before.make_copy(Fd(open(root("/usr/bin/noted").c_str(), O_PATH | O_CLOEXEC)), "/usr/bin/noted");
    before.make_copy(Fd(open(root("/usr/bin/command").c_str(), O_PATH | O_CLOEXEC)), "/usr/bin/command");
    EXPECT_EQ(made_, 1);  // they are the same
    add_program("/usr/bin/noted", "/bin/sh");
    EXPECT_TRUE(prepared().placements.empty());
    EXPECT_EQ(made_, 1);
}

TEST_F(Fastpath, NothingIsMadeWhereItIsNotWanted) {
    add("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    const auto nothing = [&] {
        const Prepared result = prepared();
        return result.placements.empty() && result.remarks.empty() && !result.make_copy &&
               outline(spec_, facts_).placements.empty();
    };
    spec_.pid_fastpath = PidFastpath::off;
    EXPECT_TRUE(nothing());
    spec_.pid_fastpath = PidFastpath::automatic;
    for (const PidMode mode : {PidMode::kernel, PidMode::host}) {
        spec_.pidns = mode;
        EXPECT_TRUE(nothing());
    }
    EXPECT_FALSE(has_cache());
    for (const PidMode mode : {PidMode::flat, PidMode::multi}) {
        spec_.pidns = mode;
        EXPECT_EQ(prepared().placements.size(), 1u);
    }
}

TEST_F(Fastpath, WhatStandsInTheWayIsSaid) {
    add("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    const auto remark = [&] {
        const Prepared result = prepared();
        EXPECT_TRUE(result.placements.empty());
        return result.remarks.size() == 1 ? result.remarks.front() : "";
    };
    facts_.fsgsbase = false;
    EXPECT_NE(remark().find("FSGSBASE"), std::string::npos);
    facts_.fsgsbase = true;
    spec_.pid_max = 1000;
    EXPECT_NE(remark().find("power of two"), std::string::npos);
    spec_.pid_max = 1024;
    facts_.numbered = true;
    EXPECT_NE(remark().find("another container, which takes off no copies"), std::string::npos);
    spec_.rootfs.clear();
    EXPECT_NE(remark().find("another container, whose copies are in place"), std::string::npos);
    spec_.rootfs = root("");
    facts_.numbered = false;
    facts_.env = {};
    EXPECT_NE(remark().find("no directory"), std::string::npos);
    facts_.env = {"HOME=/proc/none"};
    EXPECT_NE(remark().find("/proc/none/.cache/ctr: ENOENT"), std::string::npos);
    EXPECT_FALSE(has_cache());
}

TEST_F(Fastpath, AnOutlineChangesNothing) {
    add("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc");
    const Prepared result = outline(spec_, facts_);
    ASSERT_EQ(result.placements.size(), 1u);
    EXPECT_EQ(result.placements.front().target, "/lib/x86_64-linux-gnu/libc.so.6");
    EXPECT_FALSE(has_cache());
}

TEST(CacheDirectories, AreTheCallersOwn) {
    const auto of = [](uid_t uid, const Texts& env) {
        HostFacts facts;
        facts.uid = uid;
        facts.env = env;
        return cache_directories(facts);
    };
    EXPECT_EQ(of(1000, {"HOME=/home/me"}), Texts{"/home/me/.cache/ctr"});
    EXPECT_EQ(of(1000, {"HOME=/home/me", "XDG_CACHE_HOME=/c"}), Texts{"/c/ctr"});
    EXPECT_EQ(of(1000, {"HOME=/home/me", "XDG_CACHE_HOME=", "XDG_RUNTIME_DIR=/run/user/1000"}),
              (Texts{"/home/me/.cache/ctr", "/run/user/1000/ctr-images"}));
    EXPECT_EQ(of(0, {"HOME=/root"}), (Texts{"/var/cache/ctr/images", "/root/.cache/ctr"}));
    EXPECT_EQ(of(1000, {}), Texts{});
}

}  // namespace
}  // namespace ctr::fastpath

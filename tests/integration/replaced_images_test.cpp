// Programs inside that replace a library over which a copy lies, as package managers do.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

class ReplacedImages : public Launcher {
  protected:
    void SetUp() override {
        Launcher::SetUp();
        if (IsSkipped()) return;
        root_.emplace();
        const std::string program = root_->path() + "/bin/replace";
        fs::copy_file(victim("replace"), program);
        for (const char* name : {".new", ".newer"}) fs::copy_file(library(), library() + name);
        if (!owner()) return;
        for (const auto& entry : fs::recursive_directory_iterator(root_->path())) give(entry.path());
        give(root_->path());
        give(home_.path());
    }

    // The lines that a script of a container on that root prints. $L is the library.
    Outcome inside(const std::string& script, Arguments options = {}) const {
        options.insert(options.end(), {"--rootfs", root_->path(), "-e", "L=" + inner, "sh", "-c", script});
        RunOptions run_options;
        run_options.env = {{"XDG_CACHE_HOME", home_.path()}};
        return start(options, run_options);
    }
    std::string library() const { return root_->path() + inner; }

    const std::string inner = "/lib/x86_64-linux-gnu/libc.so.6";

  private:
    static void give(const fs::path& file) { ASSERT_EQ(lchown(file.c_str(), owner()->uid, owner()->gid), 0); }
    std::optional<SmallRoot> root_;
    ScratchDirectory home_;
};

INSTANTIATE_TEST_SUITE_P(Everybody, ReplacedImages,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "multi")),
                         name_of);

ino_t inode_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

bool warns(const Outcome& outcome) {
    return contains(outcome.err, "it changes libc.so.6, whose instrumented copy goes");
}

// "covered" or "bare".
const std::string state =
    "case $(cat /proc/self/mountinfo) in *\" $L \"*) echo covered;; *) echo bare;; esac\n";

TEST_P(ReplacedImages, AFileMayTakeALibrarysPlace) {
    const ino_t expected = inode_of(library() + ".new");
    const Outcome outcome = inside(state + "mv $L.new $L && stat -c %i $L\n" + state + "sh -c 'echo works'");
    EXPECT_EQ(outcome.out, "covered\n" + std::to_string(expected) + "\nbare\nworks\n") << outcome;
    EXPECT_TRUE(warns(outcome)) << outcome;
    EXPECT_EQ(inode_of(library()), expected);
}

TEST_P(ReplacedImages, ALibraryMayBeLinked) {
    const ino_t before = inode_of(library());
    const Outcome outcome = inside("ln $L $L.old && stat -c %i $L.old\n" + state);
    EXPECT_EQ(outcome.out, std::to_string(before) + "\nbare\n") << outcome;
    EXPECT_EQ(inode_of(library() + ".old"), before);
}

TEST_P(ReplacedImages, ALibraryMayGoAndComeBack) {
    const ino_t before = inode_of(library());
    // Without it no program starts but the static one.
    const Outcome outcome = inside("replace rename $L /away; replace rename /away $L\n" + state);
    EXPECT_EQ(outcome.out, "done\ndone\nbare\n") << outcome;
    EXPECT_EQ(inode_of(library()), before);
}

// Through the net: what makes its calls without the C library.
TEST_P(ReplacedImages, EveryCallThatReplacesIsServed) {
    const std::string calls[] = {
        "rename $L.new $L",
        "rename $L $L.old",
        "link $L $L.old",
        "unlink $L",
        "renameat /lib x86_64-linux-gnu/libc.so.6.new x86_64-linux-gnu/libc.so.6",
        "renameat2 /lib x86_64-linux-gnu/libc.so.6.new x86_64-linux-gnu/libc.so.6",
        "linkat /lib x86_64-linux-gnu/libc.so.6 x86_64-linux-gnu/libc.so.6.old",
        "unlinkat /lib x86_64-linux-gnu/libc.so.6",
    };
    for (const std::string& call : calls) {
        const Outcome outcome = inside("replace " + call);
        EXPECT_EQ(outcome.out, "done\n") << call << ": " << outcome;
        EXPECT_TRUE(warns(outcome)) << call << ": " << outcome;
        fs::remove(library() + ".old");
        fs::copy_file(library() + ".newer", library(), fs::copy_options::overwrite_existing);
        fs::copy_file(library(), library() + ".new", fs::copy_options::overwrite_existing);
        if (!owner()) continue;
        for (const std::string& file : {library(), library() + ".new"})
            ASSERT_EQ(chown(file.c_str(), owner()->uid, owner()->gid), 0);
    }
}

// Not by its name, but as chown -R of a whole root does.
TEST_P(ReplacedImages, ALibraryMayBeChangedInPlace) {
    const std::string changes[] = {"chmod 700 $L && stat -c %a $L", "touch -d @77 $L && stat -c %Y $L",
                                   "replace chmod $L && stat -c %a $L", ": >> $L && echo written"};
    const std::string expected[] = {"700\n", "77\n", "done\n700\n", "written\n"};
    for (size_t i = 0; i < std::size(changes); ++i) {
        const Outcome outcome = inside(changes[i] + "\n" + state);
        EXPECT_EQ(outcome.out, expected[i] + "bare\n") << changes[i] << ": " << outcome;
        fs::permissions(library(), fs::perms(0755));
    }
}

TEST_P(ReplacedImages, OtherFilesOfTheNameDisturbNothing) {
    const Outcome outcome = inside(
        "mkdir /x && cd /x && touch libc.so.6 new && mv new libc.so.6 && ln libc.so.6 old &&"
        "replace unlink libc.so.6\nreplace link libc.so.6 /tmp/x\nreplace link old /tmp/x\n" +
        state);
    EXPECT_EQ(outcome.out, "done\nENOENT\nEXDEV\ncovered\n") << outcome;
    EXPECT_FALSE(warns(outcome)) << outcome;
}

class RootsReplacedImages : public ReplacedImages {};
INSTANTIATE_TEST_SUITE_P(Root, RootsReplacedImages,
                         testing::Combine(testing::Values(Caller::root), testing::Values("flat", "multi")),
                         name_of);

// Where the program may not, the copy stays.
TEST_P(RootsReplacedImages, WhoMayNotWriteToTheDirectoryChangesNothing) {
    const Outcome outcome = inside(
        "replace rename $L.new $L; replace unlink $L; replace link $L $L.old; replace chmod $L\n" + state,
        {"--user", "12345"});
    EXPECT_EQ(outcome.out, "EACCES\nEACCES\nEXDEV\nEROFS\ncovered\n") << outcome;
}

TEST_P(RootsReplacedImages, MountsThatAreNotOursStay) {
    const ScratchDirectory directory;
    const Outcome outcome =
        start({"--cap-add", "SYS_ADMIN", "-w", directory.path(), "--", "sh", "-c",
               "touch libc.so.6 other new && mount --bind other libc.so.6 && mv new libc.so.6; rm libc.so.6; "
               "grep -c ctr-test.*libc.so.6 /proc/self/mountinfo"});
    EXPECT_EQ(outcome.out, "1\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "Device or resource busy")) << outcome;
}

}  // namespace
}  // namespace ctr::test

// What a container mounts beside its root, and roots that nobody can write to, or only seems to.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// A directory of the caller's with a file in it.
class Source {
  public:
    explicit Source(std::optional<Identity> owner) {
        std::ofstream(path() + "/file") << "from the host\n";
        fs::permissions(path(), fs::perms(0755));
        if (!owner) return;
        for (const std::string& name : {path(), path() + "/file"})
            if (chown(name.c_str(), owner->uid, owner->gid) != 0) throw std::runtime_error("chown " + name);
    }
    std::string path() const { return directory_.path(); }

  private:
    ScratchDirectory directory_;
};

class Mounts : public Launcher {
  protected:
    // The user of these tests has no home to keep copies in.
    static bool has_copies() { return mode() == "flat" && !owner(); }
};
INSTANTIATE_TEST_SUITE_P(Everybody, Mounts,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "kernel")),
                         name_of);

TEST_P(Mounts, BindsShowTheHostsFilesInARootOfItsOwn) {
    const SmallRoot root(owner());
    const Source source(owner());
    const Outcome outcome = shell(
        {"--rootfs", root.path(), "-v", source.path() + ":/data", "--ro-bind", source.path() + ":/deep/er",
         "--bind", source.path() + "/file:/etc/one"},
        "cat /data/file /etc/one; echo x > /data/made && echo made; touch /deep/er/x; cat /deep/er/made");
    EXPECT_EQ(outcome.out, "from the host\nfrom the host\nmade\nx\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "'/deep/er/x': Read-only file system")) << outcome;
    EXPECT_TRUE(fs::exists(source.path() + "/made"));
}

TEST_P(Mounts, AreMadeInTheOrderGiven) {
    const SmallRoot root(owner());
    const Source source(owner());
    const std::string bind = source.path() + ":/a/b";
    const Outcome below =
        shell({"--rootfs", root.path(), "--tmpfs", "/a", "--bind", bind}, "cat /a/b/file; ls /a");
    EXPECT_EQ(below.out, "from the host\nb\n") << below;
    const Outcome above =
        shell({"--rootfs", root.path(), "--bind", bind, "--tmpfs", "/a"}, "ls /a; echo none");
    EXPECT_EQ(above.out, "none\n") << above;
}

TEST_P(Mounts, SourcesAreWhatTheyWereBeforeTheFirstMount) {
    const Source source(owner());
    const Outcome outcome = shell({"--tmpfs", source.path(), "--bind", source.path() + ":/mnt"},
                                  "cat /mnt/file; ls " + source.path() + "; echo none");
    EXPECT_EQ(outcome.out, "from the host\nnone\n") << outcome;
}

TEST_P(Mounts, ATmpfsHasTheSizeAndModeThatWereSaid) {
    const SmallRoot root(owner());
    const Outcome outcome =
        shell({"--rootfs", root.path(), "--tmpfs", "/t:size=64k,mode=750", "--tmpfs", "/u"},
              "stat -c %a /t /u; stat -f -c '%b %S' /t");
    EXPECT_EQ(outcome.out, "750\n1777\n16 4096\n") << outcome;
}

TEST_P(Mounts, APrivateDevLiesOverTheHosts) {
    const Outcome outcome = shell({"--dev", "/dev"}, R"(
echo /dev/*; echo x > /dev/null && stat -c %t:%T /dev/null /dev/tty && readlink /dev/fd
touch /dev/shm/left-by-mounts-test && echo private)");
    EXPECT_EQ(outcome.out,
              "/dev/fd /dev/full /dev/null /dev/ptmx /dev/pts /dev/random /dev/shm /dev/stderr /dev/stdin "
              "/dev/stdout /dev/tty /dev/urandom /dev/zero\n1:3\n5:0\n/proc/self/fd\nprivate\n")
        << outcome;
    EXPECT_FALSE(fs::exists("/dev/shm/left-by-mounts-test"));
}

TEST_P(Mounts, NothingIsMadeInTheHostsRoot) {
    const Source source(owner());
    const std::string missing = source.path() + "/missing";
    for (const Arguments& options :
         {Arguments{"--tmpfs", missing}, Arguments{"--bind", "/etc:" + missing},
          Arguments{"--bind", "/etc/passwd:" + missing}, Arguments{"--dev", missing}}) {
        const Outcome outcome = shell(options, "true");
        EXPECT_EQ(outcome.code, 125) << outcome;
        EXPECT_TRUE(contains(outcome.err, missing) && contains(outcome.err, "makes no file or directory"))
            << outcome;
        EXPECT_FALSE(fs::exists(missing));
    }
    const Outcome in_memory =
        shell({"--tmpfs", source.path(), "--bind", "/etc:" + missing}, "ls -d " + missing + "/passwd");
    EXPECT_EQ(in_memory.out, missing + "/passwd\n") << in_memory;
    EXPECT_FALSE(fs::exists(missing));
}

// CVE-2021-30465, CVE-2024-45310.
TEST_P(Mounts, LinksInTheRootLeadNoMountOutside) {
    const SmallRoot root(owner());
    const Source source(owner());
    const ScratchDirectory outside;
    fs::create_symlink("../../../../../../inner", root.path() + "/data");
    fs::create_symlink(outside.path(), root.path() + "/trap");
    const Outcome trap = shell({"--rootfs", root.path(), "--bind", source.path() + ":/trap"}, "true");
    EXPECT_EQ(trap.code, 125);
    EXPECT_TRUE(contains(trap.err, "a link that leads nowhere")) << trap;
    const Outcome file = shell({"--rootfs", root.path(), "--bind", source.path() + "/file:/trap"}, "true");
    EXPECT_EQ(file.code, 125);
    EXPECT_TRUE(fs::is_empty(outside.path()));
    fs::create_directory(root.path() + "/inner");
    const Outcome inside =
        shell({"--rootfs", root.path(), "--bind", source.path() + ":/data"}, "cat /inner/file");
    EXPECT_EQ(inside.out, "from the host\n") << inside;
}

// What the container may see of /proc can't be widened by a link in its root to where something is mounted.
TEST_P(Mounts, ALinkToProcLeavesWhatIsHiddenHidden) {
    const SmallRoot root(owner());
    const Source source(owner());
    fs::create_symlink("/proc/sys", root.path() + "/data");
    const Outcome outcome =
        shell({"--rootfs", root.path(), "--bind", source.path() + ":/data"},
              "cat /proc/sys/file; stat -c %t:%T /proc/keys; (: >> /proc/sysrq-trigger) || echo closed");
    EXPECT_TRUE(contains(outcome.out, "from the host\n1:3\nclosed\n")) << outcome;
}

// As bubblewrap is used: an empty root, and the host's directories in it.
TEST_P(Mounts, ARootOfBindsHasCopiesTooWhereTheyAreNeeded) {
    const Source root(owner());
    const Outcome outcome = shell({"--rootfs", root.path(), "--ro-bind", "/usr:/usr", "--ro-bind",
                                   "/lib:/lib", "--ro-bind", "/lib64:/lib64", "--ro-bind", "/bin:/bin"},
                                  "echo $$; ps -o pid= -p 1; cat /proc/self/mountinfo");
    EXPECT_TRUE(outcome.out.starts_with("1\n")) << outcome;
    EXPECT_EQ(contains(outcome.out, " /lib/x86_64-linux-gnu/libc.so.6 ro,"), has_copies()) << outcome;
}

TEST_P(Mounts, AFileIsNotBoundOverADirectoryNorTheOtherWayRound) {
    const SmallRoot root(owner());
    const Source source(owner());
    const Outcome file = shell({"--rootfs", root.path(), "--bind", source.path() + "/file:/tmp"}, "true");
    EXPECT_EQ(file.code, 125);
    EXPECT_TRUE(contains(file.err, "a file can't be bound over a directory")) << file;
    const Outcome directory = shell({"--rootfs", root.path(), "--bind", source.path() + ":/bin/sh"}, "true");
    EXPECT_EQ(directory.code, 125);
    EXPECT_TRUE(contains(directory.err, "something that is no directory is in the way")) << directory;
}

TEST_P(Mounts, AnOverlayInMemoryLeavesTheRootAsItWas) {
    const SmallRoot root(owner());
    const Outcome outcome = shell({"--rootfs", root.path(), "--overlay"}, R"(
echo $$; echo x > /made; rm /bin/mv; mkdir /bin/new; cat /made; ls -d /bin/mv; ls -d /bin/new /dev/null
cat /proc/self/mountinfo)");
    EXPECT_TRUE(outcome.out.starts_with("1\nx\n/bin/new\n/dev/null\n")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "'/bin/mv': No such file")) << outcome;
    EXPECT_TRUE(contains(outcome.out, " / / rw,nodev")) << outcome;
    // The instrumented copies find their images through it.
    EXPECT_EQ(contains(outcome.out, " /lib/x86_64-linux-gnu/libc.so.6 ro,"), has_copies()) << outcome;
    EXPECT_FALSE(contains(outcome.out, root.path())) << outcome;
    EXPECT_TRUE(fs::exists(root.path() + "/bin/mv"));
    for (const char* name : {"/made", "/bin/new", "/dev", "/proc"})
        EXPECT_FALSE(fs::exists(root.path() + name)) << name;
}

TEST_P(Mounts, AnOverlayInADirectoryIsKept) {
    const SmallRoot root(owner());
    const Source place(owner());
    fs::permissions(root.path(), fs::perms(0751));
    const std::string upper = place.path() + "/upper";
    const Arguments options = {"--rootfs", root.path(), "--overlay=" + upper};
    const Outcome first = shell(options, "echo kept > /made; rm /bin/mv; stat -c %a /");
    EXPECT_EQ(first.out, "751\n") << first;
    const Outcome second = shell(options, "cat /made; ls /bin/mv");
    EXPECT_EQ(second.out, "kept\n") << second;
    EXPECT_TRUE(fs::exists(upper + "/made"));
    EXPECT_TRUE(fs::is_directory(upper + ".work"));
    EXPECT_FALSE(fs::exists(root.path() + "/made"));
}

TEST_P(Mounts, AKeptOverlayIsOneContainersAtATime) {
    const SmallRoot root(owner());
    const Source place(owner());
    const std::string upper = place.path() + "/upper";
    const Arguments options = {"--rootfs", root.path(), "--overlay=" + upper};
    Arguments first = options;
    first.insert(first.end(), {"-v", place.path() + ":/data"});
    std::thread running([&] {
        shell(first,
              "touch /data/up; i=0; while [ ! -e /data/go ] && [ $i -lt 1000000 ]; do i=$((i + 1)); done");
    });
    for (int i = 0; i < 10000 && !fs::exists(place.path() + "/up"); ++i) usleep(1000);
    const Outcome second = shell(options, "echo both");
    std::ofstream(place.path() + "/go") << "go";
    running.join();
    EXPECT_EQ(second.code, 125);
    EXPECT_TRUE(contains(second.err, "another container writes to it")) << second;
    EXPECT_EQ(shell(options, "echo again").out, "again\n");
}

TEST_P(Mounts, AnOverlayThatCameToNothingLeavesNothing) {
    const SmallRoot root(owner());
    const Source place(owner());
    const std::string upper = place.path() + "/upper";
    EXPECT_EQ(start({"--rootfs", root.path(), "--overlay=" + upper, "--", "/nope"}).code, 127);
    EXPECT_FALSE(fs::exists(upper) || fs::exists(upper + ".work"));
    const Outcome within = shell({"--rootfs", root.path(), "--overlay=" + root.path() + "/upper"}, ":");
    EXPECT_TRUE(contains(within.err, "lie in one another")) << within;
    EXPECT_FALSE(fs::exists(root.path() + "/upper"));
    const Outcome nowhere = shell({"--rootfs", root.path(), "--overlay=" + upper + "/x"}, ":");
    EXPECT_TRUE(contains(nowhere.err, "the directory that it would be made in isn't there")) << nowhere;
}

// A library that was exchanged in the overlay isn't hidden by the copy of the old one.
TEST_P(Mounts, ALibraryChangedInAKeptOverlayIsTheOneThatRuns) {
    const SmallRoot root(owner());
    const Source place(owner());
    const std::string library = "/lib/x86_64-linux-gnu/libc.so.6";
    const Arguments options = {"--rootfs", root.path(), "--overlay=" + place.path() + "/upper"};
    const Outcome change = shell(
        options, "cat " + library + " > /new && chmod 755 /new && mv /new " + library + " && echo moved");
    EXPECT_EQ(change.out, "moved\n") << change;
    const Outcome after = shell(options, "echo $$; (exit 3); echo $?; cat /proc/self/mountinfo");
    EXPECT_TRUE(after.out.starts_with("1\n3\n")) << after;
    EXPECT_FALSE(contains(after.out, library + " ro,")) << after;
}

TEST_P(Mounts, AReadOnlyRootHasPlacesThatCanBeWritten) {
    const SmallRoot root(owner());
    const Source source(owner());
    const Outcome outcome = shell({"--rootfs", root.path(), "--read-only", "-v", source.path() + ":/data"},
                                  "touch /x; touch /bin/x; touch /tmp/x /dev/shm/x /data/x && echo written");
    EXPECT_EQ(outcome.out, "written\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "'/x': Read-only file system")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "'/bin/x': Read-only file system")) << outcome;
    const Outcome overlay = shell({"--rootfs", root.path(), "--read-only", "--overlay"}, "touch /x");
    EXPECT_TRUE(contains(overlay.err, "'/x': Read-only file system")) << overlay;
}

TEST_P(Mounts, TheHostsRootCanBeReadOnlyToo) {
    const Source source(owner());
    const Outcome outcome = shell({"--read-only", "--tmpfs", "/tmp", "--dry-run"}, "true");
    EXPECT_TRUE(contains(outcome.out, "read-only, but /dev and /proc")) << outcome;
    const Outcome really =
        shell({"--read-only", "--tmpfs", "/mnt"},
              "echo $$; touch " + source.path() +
                  "/x; touch /sys/x; touch /mnt/x && "
                  "echo x > /dev/null && echo 0 > /proc/self/oom_score_adj && echo written");
    EXPECT_EQ(really.out, "1\nwritten\n") << really;
    EXPECT_TRUE(contains(really.err, "/x': Read-only file system")) << really;
    EXPECT_FALSE(fs::exists(source.path() + "/x"));
}

class RootsMounts : public RootsLauncher {};
INSTANTIATE_TEST_SUITE_P(Modes, RootsMounts, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(RootsMounts, NodesInABoundDirectoryCannotBeOpenedButABoundNodeCan) {
    const SmallRoot root;
    const ScratchDirectory source;
    const Outcome outcome = run(
        command({"--rootfs", root.path(), "-v", source.path() + ":/data", "--bind", "/dev/zero:/zero", "--",
                 "sh", "-c", "mknod /data/node c 1 3; cat /data/node; echo x > /zero && echo written"}));
    EXPECT_EQ(outcome.out, "written\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "/data/node: Permission denied")) << outcome;
}

// As uid 0 of the host it may, whatever its capabilities.
TEST_P(RootsMounts, TheKernelCannotBeChangedThroughTheHostsProcAndSys) {
    const std::string script =
        "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/profiling; do "
        "(: >> $file) 2>/dev/null && echo $file; done; touch /sys/fs/cgroup/x 2>/dev/null; echo $?";
    EXPECT_EQ(run(command({"--", "sh", "-c", script})).out, "1\n");
    EXPECT_TRUE(contains(run(command({"--system-paths", "host", "--", "sh", "-c", script})).out,
                         "/proc/sys/kernel/core_pattern\n"));
}

// What is mounted below the root directory is read-only with it.
TEST_P(RootsMounts, AReadOnlyRootIsSoToItsDepths) {
    const SmallRoot root;
    fs::create_directory(root.path() + "/sub");
    const Outcome outcome =
        through({"unshare", "-m", "sh", "-c", "mount -t tmpfs none \"$1/sub\" && shift && exec \"$@\"", "sh",
                 root.path()},
                {"--rootfs", root.path(), "--read-only", "--", "sh", "-c", "touch /sub/x"});
    EXPECT_TRUE(contains(outcome.err, "'/sub/x': Read-only file system")) << outcome;
}

}  // namespace
}  // namespace ctr::test

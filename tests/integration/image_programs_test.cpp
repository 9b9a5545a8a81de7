// Real programs, instrumented with guest code that does nothing (tests/image/passthrough.S): they must do
// what they do as they are. Outside of containers, because the instrumenter alone is looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/image.h"

namespace ctr::test {
namespace {

using pidns::image::instrument;

void place_instrumented(const std::string& from, const std::string& to) {
    const auto made = instrument(read_image(from), passthrough_guest());
    ASSERT_TRUE(made) << from << ": " << made.error().message();
    ASSERT_FALSE(made->bytes.empty()) << from << " has nothing to patch";
    write_image(to, made->bytes);
}

// Process numbers differ from one run to the next.
std::string without_numbers(const std::string& text) {
    static const std::regex numbers("[0-9]{3,}");
    return std::regex_replace(text, numbers, "N");
}

void expect_same(const Outcome& native, const Outcome& ours) {
    EXPECT_EQ(ours.code, native.code) << ours;
    EXPECT_EQ(without_numbers(ours.out), without_numbers(native.out)) << ours;
    EXPECT_LT(native.code, 125) << native;
}

// ---- The C library and the program interpreter, in the place of the originals.

class InstrumentedLibrary : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        directory_ = new ScratchDirectory;
        place_instrumented(c_library(), library());
        place_instrumented(interpreter(), directory_->path() + "/ld.so");
    }
    static void TearDownTestSuite() {
        delete directory_;
        directory_ = nullptr;
    }
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "only root can mount files over others";
    }

    static Outcome run_with_it(Arguments argv) {
        const std::string script = "mount --bind " + library() + " " + c_library() + " && mount --bind " +
                                   directory_->path() + "/ld.so " + interpreter() + " && exec \"$@\"";
        argv.insert(argv.begin(), {"unshare", "--mount", "sh", "-c", script, "sh"});
        return run(argv);
    }

    static void expect_same_with_it(const Arguments& argv) {
        if (!available(argv.front())) GTEST_SKIP() << argv.front() << " isn't there";
        expect_same(run(argv), run_with_it(argv));
    }

    static std::string library() { return directory_->path() + "/libc.so.6"; }

  private:
    static inline ScratchDirectory* directory_ = nullptr;
};

TEST_F(InstrumentedLibrary, IsTheOneThatIsUsed) {
    const Outcome both = run_with_it({"cat", c_library(), interpreter()});
    size_t guests = 0;
    for (size_t at = 0; (at = both.out.find("ctrguest", at)) != std::string::npos; ++at) ++guests;
    EXPECT_EQ(guests, 2u);
}

TEST_F(InstrumentedLibrary, AShellWithPipesAndJobs) {
    expect_same_with_it(
        {"bash", "-c",
         "for i in 1 2 3; do echo $i | cat; done; sleep 0.01 & wait $!; echo $?; (exit 7); echo $?;"
         "trap 'echo got it' USR1; kill -USR1 $$; false | true; echo ${PIPESTATUS[@]};"
         "set -m; sleep 0.01 & fg; kill -0 999999; echo $?"});
}

TEST_F(InstrumentedLibrary, PythonWithThreadsAndProcesses) {
    expect_same_with_it({"python3", "-c", R"(
import os, signal, subprocess, threading
seen = []
threads = [threading.Thread(target=lambda: seen.append(subprocess.run(['sh', '-c', 'exit 5']).returncode)) for _ in range(20)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
print(seen)
for _ in range(50):
    child = os.fork()
    if child == 0: os._exit(os.getppid() == os.getpid())
    print(os.waitpid(child, 0)[1], end=' ')
signal.signal(signal.SIGALRM, lambda *_: print('alarm'))
signal.alarm(1); signal.pause()
print(subprocess.run(['cat'], input=b'x' * 100000, capture_output=True).stdout.count(b'x'))
print(os.posix_spawn('/bin/true', ['true'], {}) > 0, os.wait()[1])
)"});
}

TEST_F(InstrumentedLibrary, Perl) {
    expect_same_with_it({"perl", "-e",
                         "for (1..20) { my $p = open(my $f, '-|') // die; if (!$p) { print $_; exit 3 } "
                         "print <$f>; close $f; print $? >> 8, ' ' } system('exit 4'); print $? >> 8"});
}

TEST_F(InstrumentedLibrary, SleepingThreadsAreUnwound) {
    expect_same_with_it({victim("unwind-glibc")});
    expect_same_with_it({victim("cancel-glibc")});
}

TEST_F(InstrumentedLibrary, TheConformanceProgram) {
    const std::string program = victim("conformance-glibc");
    expect_same(run({program}), run_with_it({program}));
}

// ---- Programs that bring their own.

class InstrumentedProgram : public testing::TestWithParam<const char*> {};

TEST_P(InstrumentedProgram, DoesTheSame) {
    const std::string program = victim(GetParam());
    if (!available(program)) GTEST_SKIP() << "not built, its compiler is missing: " << program;
    const ScratchDirectory directory;
    const std::string copy = directory.path() + "/copy";
    place_instrumented(program, copy);
    for (int repetition = 0; repetition < 3; ++repetition) expect_same(run({program}), run({copy}));
}

INSTANTIATE_TEST_SUITE_P(Static, InstrumentedProgram,
                         testing::Values("family-glibc-static", "family-musl-static", "family-go",
                                         "unwind-glibc-static", "cancel-musl-static",
                                         "conformance-glibc-static", "conformance-musl-static"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(InstrumentedMusl, RunsPrograms) {
    const std::string program = victim("family-musl");
    if (!available(program)) GTEST_SKIP() << "not built, its compiler is missing: " << program;
    const std::string library = "/lib/ld-musl-x86_64.so.1";
    const ScratchDirectory directory;
    place_instrumented(library, directory.path() + "/libc.so");
    expect_same(run({library, program}), run({directory.path() + "/libc.so", program}));
}

// ---- The verb that shows what would be done.

TEST(CtrImage, ShowsWhatIsFound) {
    const Outcome text = run({ctr_binary(), "image", c_library()});
    EXPECT_EQ(text.code, 0) << text;
    EXPECT_TRUE(contains(text.out, "getpid")) << text;
    const Outcome json = run({ctr_binary(), "image", "--json", interpreter()});
    EXPECT_EQ(json.code, 0) << json;
    EXPECT_EQ(json.out.front(), '{') << json;
}

TEST(CtrImage, RefusesWhatIsNone) {
    for (const std::string file : {"/etc/passwd", "/", "/nonexistent"}) {
        const Outcome outcome = run({ctr_binary(), "image", file});
        EXPECT_EQ(outcome.code, 125) << outcome;
        EXPECT_TRUE(contains(outcome.err, file)) << outcome;
    }
}

}  // namespace
}  // namespace ctr::test

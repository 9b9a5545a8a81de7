// Real programs with an instrumented C library and program interpreter, whose guest code does nothing: they
// must do what they do with the originals.
#include <gtest/gtest.h>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/image.h"

namespace ctr::test {
namespace {

using pidns::image::instrument;

class ImagePrograms : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        directory_ = new ScratchDirectory;
        place(c_library(), library_directory() + "/libc.so.6");
        place(interpreter(), interpreter_copy());
    }
    static void TearDownTestSuite() {
        delete directory_;
        directory_ = nullptr;
    }

    static std::string library_directory() { return directory_->path(); }
    static std::string interpreter_copy() { return directory_->path() + "/ld.so"; }

    static void place(const std::string& from, const std::string& to) {
        const auto made = instrument(read_image(from), passthrough_guest());
        ASSERT_TRUE(made) << from << ": " << made.error().message();
        ASSERT_FALSE(made->bytes.empty()) << from;
        write_image(to, made->bytes);
    }

    static Arguments instrumented(Arguments argv) {
        const Outcome where = run({"sh", "-c", "command -v " + argv.front()});
        argv.front() = where.out.substr(0, where.out.find('\n'));
        argv.insert(argv.begin(), {interpreter_copy(), "--library-path", library_directory()});
        return argv;
    }

    static void expect_same(const Arguments& argv) {
        const Outcome native = run(argv);
        const Outcome ours = run(instrumented(argv));
        EXPECT_EQ(ours.code, native.code) << ours;
        EXPECT_EQ(ours.out, native.out) << ours;
    }

  private:
    static inline ScratchDirectory* directory_ = nullptr;
};

TEST_F(ImagePrograms, AShellWithPipesAndJobs) {
    expect_same({"bash", "-c",
                 "for i in 1 2 3; do echo $i | cat; done; sleep 0.01 & wait $!; echo $?; (exit 7); echo $?;"
                 "trap 'echo got it' USR1; kill -USR1 $$; false | true; echo ${PIPESTATUS[@]}"});
}

}  // namespace
}  // namespace ctr::test

// Starting real programs from tests and looking at what became of them.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/fd.h"

namespace ctr::test {

using Arguments = std::vector<std::string>;

// How a program ended and what it wrote.
struct Outcome {
    int code =
        -1;  // the exit code, 128 + n for signal n, -1 if it had to be killed because its time was over
    std::string out;
    std::string err;
};

// For the failure messages of GoogleTest.
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

struct Identity {
    uid_t uid = 0;
    gid_t gid = 0;
};

struct RunOptions {
    std::string input;                                     // standard input; empty: /dev/null
    std::vector<std::pair<std::string, std::string>> env;  // over the test's own environment
    std::string cwd;                                       // empty: the test's own
    std::optional<Identity> identity;                      // switch to it, without supplementary groups
    int timeout_seconds = 60;                              // then the program's process group is killed
};

// Runs a program (looked up in PATH) to its end. Only the program itself is waited for, not what it left
// behind. A program that can't be started ends with 254 and says why in err.
Outcome run(const Arguments& argv, const RunOptions& options = {});

// `ctr run ARGUMENTS`.
Outcome ctr_run(const Arguments& arguments, const RunOptions& options = {});

// A program that runs beside the test, in a process group of its own. Killed and reaped at the end of the
// scope.
class Background {
  public:
    explicit Background(const Arguments& argv, RunOptions options = {});
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background();

    pid_t pid() const { return pid_; }
    bool running() const;
    void kill(int signal) const;  // to the program alone

    // Waits for the end; after the options' timeout its group is killed and the code is -1.
    Outcome wait();

    // What it has written so far.
    std::string out() const;
    std::string err() const;

    // Waits until its standard output contains the text; false if it ended or its time was over before.
    bool wait_for_output(const std::string& text) const;

  private:
    RunOptions options_;
    Fd out_;
    Fd err_;
    Fd pidfd_;
    pid_t pid_ = -1;
};

// The built programs: paths from CTR_BIN, CTR_VICTIMS and CTR_EXAMPLES, which CTest sets.
std::string ctr_binary();
std::string victim(const std::string& name);
std::string example(const std::string& name);

// Whether there is such a program: an absolute path, or a name to be found in PATH.
bool available(const std::string& program);

// A directory that is removed with its contents at the end of the scope. Every user may enter and read it.
class ScratchDirectory {
  public:
    ScratchDirectory();
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;
    ~ScratchDirectory();

    const std::string& path() const { return path_; }

    // Copies a file to here, executable for everybody, and returns its new path: for tests that switch to
    // another user, who may not be able to reach the build directory.
    std::string copy(const std::string& file) const;

  private:
    std::string path_;
};

}  // namespace ctr::test

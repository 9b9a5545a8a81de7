// UnixBench's shell scripts test: a script sorts, dumps, searches and counts a text through files and pipes;
// N times, and CONCURRENT of them side by side each time. A loop is one such time.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "examples/arguments.h"
#include "examples/result.h"
#include "examples/scratch.h"

namespace {

// $1: which of those side by side it is. The counts go to the end of a file, to be looked at.
constexpr const char* script = R"(set -e
sort text >sorted.$1
od sorted.$1 | sort -n -k 1 >dumped.$1
grep the sorted.$1 | tee found.$1 | wc >>counted.$1
rm sorted.$1 dumped.$1 found.$1
)";

// $1: how many. Ends with the first status that isn't 0.
constexpr const char* side_by_side = R"(status=0
all=
i=0
while [ $i -lt $1 ]; do i=$((i+1)); sh script $i & all="$all $!"; done
for one in $all; do wait $one || status=$?; done
exit $status
)";

constexpr int lines = 300;
constexpr int lines_with_the = 100;

// In an order that takes some sorting.
void write_files() {
    std::ofstream text("text");
    for (int i = 0; i < lines; ++i)
        text << i * 7919 % 1009 << (i % 3 == 0 ? " of the many words" : " of some more words")
             << " in a text of " << lines << " lines\n";
    std::ofstream("script") << script;
    std::ofstream("side_by_side") << side_by_side;
}

bool run_loop(const std::string& concurrent) {
    const pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "side_by_side", concurrent.c_str(), nullptr);
        std::perror("shell: sh");
        _exit(127);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) return true;
    std::fprintf(stderr, "shell: a script ended with status %#x\n", static_cast<unsigned>(status));
    return false;
}

// As many counts as loops, and all of them right.
bool counted_well(long loops, long concurrent) {
    for (long i = 1; i <= concurrent; ++i) {
        std::ifstream counts("counted." + std::to_string(i));
        long found = 0;
        for (long number = 0, words = 0, bytes = 0; counts >> number >> words >> bytes;)
            found += number == lines_with_the;
        if (found == loops) continue;
        std::fprintf(stderr, "shell: %ld of %ld scripts had another result\n", loops - found, loops);
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Argument arguments[] = {{"N", 100}, {"CONCURRENT", 1}};
    read_arguments(argc, argv, arguments);
    const auto [loops, concurrent] = std::pair(arguments[0].value, arguments[1].value);
    const Scratch directory("shell");
    if (!directory.good()) return 1;
    write_files();
    const Stopwatch watch;
    for (long i = 0; i < loops; ++i)
        if (!run_loop(std::to_string(concurrent))) return 1;
    const double seconds = watch.seconds();
    if (!counted_well(loops, concurrent)) return 1;
    tell_per_minute("shell", "lpm", {loops, "loops", seconds});
    std::printf("; %ld side by side, pid %d\n", concurrent, getpid());
}

// What kernbench measures: how long `make -jJOBS` takes from nothing, its configuration not counted. A kernel
// is built in a directory of its own, so its tree stays as it is. Without a tree a program is built whose
// sources are written first.
#include <fcntl.h>
#include <getopt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "examples/arguments.h"
#include "examples/result.h"
#include "examples/scratch.h"

namespace {

struct Options {
    std::string tree;  // empty: a program of our own
    std::string configuration = "tinyconfig";
    std::vector<std::string> targets;  // none: make's default
    long jobs = std::max(1L, static_cast<long>(std::thread::hardware_concurrency()));
    long files = 24;
};

[[noreturn]] void usage(const char* program) {
    std::fprintf(stderr,
                 "usage: %s [-j JOBS] [-f FILES]\n"
                 "       %s [-j JOBS] -t TREE [-c CONFIGURATION] [TARGET...]\n"
                 "  -j  jobs of make at a time (default: as many as processors)\n"
                 "  -f  files of the program that is built where there is no tree (default: 24)\n"
                 "  -t  a kernel's source tree; -c how to configure it (default: tinyconfig)\n",
                 program, program);
    std::exit(2);
}

Options read_options(int argc, char** argv) {
    Options options;
    bool good = true;
    for (int letter = 0; (letter = getopt(argc, argv, "j:f:t:c:")) != -1;) {
        switch (letter) {
            case 'j': good = good && read_number(optarg, options.jobs); break;
            case 'f': good = good && read_number(optarg, options.files); break;
            case 't': options.tree = optarg; break;
            case 'c': options.configuration = optarg; break;
            default: good = false;
        }
    }
    options.targets.assign(argv + optind, argv + argc);
    if (!good || (options.tree.empty() && !options.targets.empty())) usage(argv[0]);
    return options;
}

// What it prints goes nowhere, but for its errors. Whether it ended with 0.
bool make(const std::vector<std::string>& words) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0) dup2(null, STDOUT_FILENO);
        execvp(argv[0], argv.data());
        std::perror("kernbench: make");
        _exit(127);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) return true;
    std::fprintf(stderr, "kernbench: make ended with status %#x\n", static_cast<unsigned>(status));
    return false;
}

// Files that keep a compiler busy for some tenths of a second each.
void write_program(long files) {
    constexpr int functions = 60;
    for (long file = 0; file < files; ++file) {
        std::ofstream text("part" + std::to_string(file) + ".c");
        text << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/types.h>\n";
        for (int i = 0; i < functions; ++i)
            text << "long f" << file << '_' << i << "(long *a, long n) { long s = " << i
                 << "; for (long i = 1; i < n; ++i) { a[i] = a[i - 1] * " << i + 3
                 << " + s; if (a[i] % 7 == 0) s += a[i]; else s ^= a[i] >> 3; } char b[64]; "
                 << "snprintf(b, sizeof b, \"%ld\", s); return s + (long)strlen(b); }\n";
        if (file == 0) text << "int main(void) { long a[64] = {1}; return f0_0(a, 64) == 0; }\n";
    }
    std::ofstream makefile("Makefile");
    makefile << "objects := $(patsubst %.c,%.o,$(wildcard *.c))\n"
                "program: $(objects)\n\t$(CC) -o $@ $^\n"
                "%.o: %.c\n\t$(CC) -O2 -c -o $@ $<\n";
}

}  // namespace

int main(int argc, char** argv) {
    Options options = read_options(argc, argv);
    if (!options.tree.empty()) {
        std::error_code wrong;
        const std::filesystem::path tree = std::filesystem::canonical(options.tree, wrong);
        if (wrong || !std::filesystem::exists(tree / "Kconfig")) {
            std::fprintf(stderr, "kernbench: %s: no kernel's source tree\n", options.tree.c_str());
            return 1;
        }
        options.tree = tree;
    }
    const Scratch directory("kernbench");
    if (!directory.good()) return 1;
    std::vector<std::string> command = {"make", "-s"};
    if (options.tree.empty()) {
        write_program(options.files);
    } else {
        command.insert(command.end(), {"-C", options.tree, "O=" + std::filesystem::current_path().string()});
        std::vector<std::string> configure = command;
        configure.push_back(options.configuration);
        if (!make(configure)) return 1;
    }
    command.push_back("-j" + std::to_string(options.jobs));
    command.insert(command.end(), options.targets.begin(), options.targets.end());
    const Stopwatch watch;
    if (!make(command)) return 1;
    const double seconds = watch.seconds();
    tell("kernbench", seconds, "s", {1, "builds", seconds});
    std::printf("; %ld jobs, %s\n", options.jobs,
                options.tree.empty() ? "a program of its own" : options.tree.c_str());
}

// ctr: finds the verb and leaves the rest to it.
#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/verbs.h"

namespace {

constexpr int launcher_failed = 125;

struct Verb {
    std::string_view name;
    std::string_view help;
    int (*run)(const std::vector<std::string>& arguments);
};
constexpr Verb verbs[] = {
    {"run", "run a command in a container", ctr::cmd::run_verb},
    {"exec", "run another command in a running container", ctr::cmd::exec_verb},
    {"list", "list the containers that have a name", ctr::cmd::list_verb},
    {"inspect", "print what is known of a container", ctr::cmd::inspect_verb},
    {"logs", "print what a detached container has written", ctr::cmd::logs_verb},
    {"pid", "print the host's number of a container's process", ctr::cmd::pid_verb},
    {"kill", "send a signal to a container", ctr::cmd::kill_verb},
    {"stop", "ask a container to end, and make it", ctr::cmd::stop_verb},
    {"wait", "wait for a container to end", ctr::cmd::wait_verb},
    {"pause", "stop all processes of a container where they are", ctr::cmd::pause_verb},
    {"resume", "let a paused container go on", ctr::cmd::resume_verb},
    {"rm", "remove what is left of a container that has ended", ctr::cmd::rm_verb},
    {"ps", "list the processes of running containers", ctr::cmd::ps_verb},
    {"check", "find out what this host allows, and what to do about what it doesn't", ctr::cmd::check_verb},
    {"image", "show what of a program or library can be made fast", ctr::cmd::image_verb}};

// A descriptor that ctr opens must not become standard error because the caller closed that one. Close on
// exec: the command finds it as the caller left it.
void fill_standard_descriptors() {
    int fd = 0;
    do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

void print_usage(std::ostream& out) {
    out << "A container launcher with process numbering in user space.\n\n"
           "Usage: ctr VERB [options] ...\n\nVerbs:\n";
    for (const Verb& verb : verbs)
        out << "  " << verb.name << std::string(8 - verb.name.size(), ' ') << verb.help << " (ctr "
            << verb.name << " --help)\n";
    out << "\nOptions:\n  -h, --help     print this\n      --version  print the version\n\n"
           "Example:\n  ctr run -- sh -c 'echo I am $$'\n";
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (words.empty()) {
        print_usage(std::cerr);
        return launcher_failed;
    }
    const std::string& first = words.front();
    for (const Verb& verb : verbs)
        if (verb.name == first) return verb.run({words.begin() + 1, words.end()});
    if (first == "--version") {
        std::cout << "ctr " << CTR_VERSION << '\n';
        return 0;
    }
    if (first == "--help" || first == "-h" || first == "help") {
        print_usage(std::cout);
        return 0;
    }
    std::cerr << "ctr: \"" << first << "\" is no verb\nSee ctr --help.\n";
    return launcher_failed;
}

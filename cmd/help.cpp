// What --help of each verb prints, from the tables of options.
#include <algorithm>
#include <sstream>

#include "cmd/check_options.h"
#include "cmd/image_options.h"
#include "cmd/life_options.h"
#include "cmd/option_table.h"
#include "cmd/options.h"
#include "cmd/ps_options.h"

namespace ctr::cmd {

namespace {

constexpr size_t help_column = 32;
constexpr size_t last_column = 100;

std::string left_side(const Option& option) {
    std::string text = *option.letter == 0 ? "      " : std::string("  -") + option.letter + ", ";
    text += std::string("--") + option.name;
    if (option.takes == Takes::value) text += std::string(" ") + option.value;
    if (option.takes == Takes::optional) text += *option.value == 0 ? "[=DIR]" : "[=true|false]";
    return text;
}

// Breaks TEXT at blanks into lines that begin at help_column.
void append_wrapped(std::string& line, const std::string& text, std::ostream& out) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (line.size() + 1 + word.size() > last_column) {
            out << line << '\n';
            line.assign(help_column - 1, ' ');
        }
        line += ' ' + word;
    }
    out << line << '\n';
}

void append_option(const Option& option, std::ostream& out) {
    std::string line = left_side(option);
    if (line.size() >= help_column) {
        out << line << '\n';
        line.clear();
    }
    line.resize(help_column - 1, ' ');
    append_wrapped(line, option.help, out);
}

void append_options(const std::vector<Option>& table, std::ostream& out) {
    const char* group = "";
    for (const Option& option : table) {
        if (std::string(group) != option.group) out << '\n' << (group = option.group) << ":\n";
        append_option(option, out);
    }
}

}  // namespace

std::string run_help() {
    std::ostringstream out;
    out << "Runs a command in a container of its own and ends with its exit status.\n\n"
           "Usage: ctr run [options] [--] COMMAND [ARGUMENT...]\n"
           "Options end at the first word that is none.\n";
    append_options(run_options(), out);
    out << "\nExamples:\n"
           "  ctr run -- sh -c 'echo I am $$'\n"
           "  ctr run --rootfs ./debian --hostname box --network none bash\n"
           "  ctr run --user 1000 -e LANG=C --cap-drop ALL -- make -j4\n"
           "  ctr run --device-write-bps /var/lib:5mb -- dd if=/dev/zero of=/var/lib/file oflag=direct bs=1M "
           "count=50\n"
           "\nExit status: the command's own; 128 + n if signal n ended it; 125 if ctr failed, 126 if the "
           "command\n"
           "can't be executed, 127 if there is no such command.\n";
    return out.str();
}

std::string ps_help() {
    std::ostringstream out;
    out << "Lists the processes of running containers, as they are seen from where it is run.\n\n"
           "Usage: ctr ps [options] [NAME|PID...]\n"
           "NAME: only the containers that were started with these names.\n"
           "PID: only the containers that these processes (by their numbers here) are in, or run: any "
           "process "
           "inside, or\nthe ctr itself.\n";
    append_options(ps_options(), out);
    out << "\nColumns:\n"
           "  CONTAINER  the container's first process, by its number here; - for what is in none\n"
           "  HOST       the process's number here\n"
           "  PID        its numbers from the container's root down to its own namespace: 5/1; a - where it "
           "can't be seen\n"
           "  PPID       its parent's number in the container's root; 0 if that is outside\n"
           "  STAT       R runs, S sleeps, D waits for a device, T is stopped, t is traced, Z has ended\n"
           "  COMMAND    its arguments, or [its name] if it has none\n"
           "\nExamples:\n"
           "  ctr ps --tree\n"
           "  ctr ps --json | jq '.[] | select(.pids[-1] == 1)'\n"
           "\nExit status: 0, also if there is no container; 125 if ctr failed.\n";
    return out.str();
}

std::string check_help() {
    std::ostringstream out;
    out << "Tries what containers need, as this user and from here, and says for each what was found: yes, "
           "limited or\n"
           "no, why, and what to do about it. Everything is tried in processes that end at once; nothing "
           "stays.\n\n"
           "Usage: ctr check [options] [FILE...]\n"
           "FILE: a program or library (inside of the root): what of it has the fast path.\n";
    append_options(check_options(), out);
    out << "\nThe last lines say of each mode of ctr run --pidns whether it works.\n"
           "\nExamples:\n"
           "  ctr check --rootfs /srv/debian\n"
           "  ctr check --json | jq '.items[] | select(.state != \"yes\")'\n"
           "\nExit status: 0 if ctr run works with its defaults, 1 if it doesn't; 125 if ctr failed.\n";
    return out.str();
}

std::string life_help(const LifeVerb& verb) {
    std::ostringstream out;
    out << verb.help << "\n\nUsage: ctr " << verb.name << " [options] " << verb.arguments << '\n';
    append_options(verb.options, out);
    out << "\nExit status: " << verb.status << '\n';
    return out.str();
}

std::string image_help() {
    std::ostringstream out;
    out << "Shows which system calls of a program or library can carry a process number, and which of them a "
           "container\ncan make without its monitor, through code that is put into a copy of the file.\n\n"
           "Usage: ctr image [options] FILE\n";
    append_options(image_options(), out);
    out << "\nStates:\n"
           "  patched, made inside    the code that is put in makes or answers the call\n"
           "  patched, made near      the same; a child that is created comes back beside the call's place\n"
           "  patched, passed on      the call is made as it is, if it turns out to carry no number\n"
           "  left: WHY               the monitor serves the call, which takes longer\n"
           "A call named \"any\" has a number that isn't always the same.\n"
           "\nExamples:\n"
           "  ctr image /lib/x86_64-linux-gnu/libc.so.6\n"
           "  ctr image --json ./server | jq '.sites[] | select(.patched | not)'\n"
           "\nExit status: 0; 125 if ctr failed, or the file is none that can be instrumented.\n";
    return out.str();
}

}  // namespace ctr::cmd

#include "cmd/option_table.h"

namespace ctr::cmd {

const std::vector<Option>& run_options() {
    using enum Takes;
    static constexpr const char* numbering = "Process numbers";
    static constexpr const char* files = "Files";
    static constexpr const char* identity = "Identity";
    static constexpr const char* privileges = "Privileges";
    static constexpr const char* io = "Device limits (RATE: 10mb, 1.5GiB, 400MB/s; IOPS: a whole number)";
    static constexpr const char* limits = "Limits (control groups; each process by itself with --ulimit)";
    static constexpr const char* terminal = "Terminal";
    static constexpr const char* life = "Life";
    static constexpr const char* other = "Other";
    static const std::vector<Option> table = {
        {numbering, "", "pidns", value, "MODE",
         "flat: numbers of the container's own, kept in user space (default); multi: the same, one for each "
         "level of nesting; kernel: the kernel's pid namespace; host: "
         "the host's numbers"},
        {numbering, "", "pid-lookup", value, "HOW",
         "how multi finds a number: hash (default), or list, the walk of 2007, for comparison"},
        {numbering, "", "pid-fastpath", value, "WHEN",
         "auto (default): flat and multi put instrumented copies of the C library and of static commands in "
         "their "
         "place, which translate by themselves; off: the monitor does it all"},
        {numbering, "", "pid-max", value, "N",
         "numbers of flat and multi are below N, in each namespace: 301 to 4194304 (default: 32768)"},

        {files, "", "rootfs", value, "DIR",
         "root file system, with /dev, /tmp, /proc and /sys of its own (default: the host's root)"},
        {files, "", "overlay", optional, "",
         "what is written to the root file system of --rootfs goes elsewhere: to memory, and ends with the "
         "container; or to DIR, which is kept (its work directory is DIR.work)"},
        {files, "", "read-only", nothing, "",
         "the root file system can't be written to; without --rootfs, nothing can that the host has mounted, "
         "but /dev and /proc"},
        {files, "v", "volume", value, "SRC:DST[:ro]",
         "show a file or directory of the host, with all that is mounted below it, at DST; this and the "
         "following are done in the order given"},
        {files, "", "bind", value, "SRC:DST", "the same"},
        {files, "", "ro-bind", value, "SRC:DST", "the same, read-only"},
        {files, "", "tmpfs", value, "DST[:OPTIONS]",
         "an empty file system in memory; options: size=64m,mode=1777"},
        {files, "", "dev", value, "DST", "a private /dev; --rootfs has one anyway"},
        {files, "w", "workdir", value, "DIR", "directory to start in, absolute, as seen inside"},

        {identity, "", "hostname", value, "NAME", "host name inside"},
        {identity, "e", "env", value, "NAME[=VALUE]", "set a variable, or pass on the caller's"},
        {identity, "", "env-clear", nothing, "", "start from PATH, HOME and TERM only"},
        {identity, "u", "user", value, "UID[:GID]", "ids inside; GID is the same number as UID if not given"},

        {privileges, "", "userns", value, "WHEN",
         "a user namespace of its own: yes, with one id; no; auto (default): where nothing else will do; "
         "subids: "
         "with the caller as root and the ids of its ranges in /etc/subuid and subgid; keep-id: the same, "
         "but the "
         "caller keeps its id"},
        {privileges, "", "network", value, "WHICH", "host (default), or none: only loopback, which is up"},
        {privileges, "", "ipc", value, "WHICH",
         "private (default), or host: the host's shared memory, semaphores and message queues"},
        {privileges, "", "uts", value, "WHICH", "private (default), or host: the host's name, as it changes"},
        {privileges, "", "cgroupns", value, "WHICH",
         "private (default), or host: the host's tree of cgroups"},
        {privileges, "", "time", value, "WHICH",
         "host (default), or private[,boottime=SECONDS][,monotonic=SECONDS]: clocks that are ahead by that"},
        {privileges, "", "share-with", value, "PID|NAME[:KINDS]",
         "join the namespaces of a running process, of the container that a ctr runs, or of one with "
         "that name: all (process numbers under --pidns=kernel only), or some of "
         "user,mount,uts,ipc,net,pid,cgroup,time"},
        {privileges, "", "cap-add", value, "CAP", "add a capability to the default set, or ALL"},
        {privileges, "", "cap-drop", value, "CAP", "drop a capability, or ALL"},
        {privileges, "", "no-new-privs", optional, "true",
         "true (default) or false: whether set-user-id programs lose their effect"},

        {privileges, "", "seccomp", value, "PROFILE",
         "which system calls may be made: a file in Docker's or OCI's JSON, default (Docker's own), or off "
         "(default)"},

        {limits, "m", "memory", value, "BYTES", "memory of all processes together: 512m, 1.5GiB"},
        {limits, "", "cpus", value, "N", "processors' time of all processes together: 0.5, 2"},
        {limits, "", "pids-limit", value, "N", "number of processes and threads"},
        {limits, "", "ulimit", value, "NAME=SOFT[:HARD]",
         "a limit of each process: nofile=1024:2048, core=unlimited"},

        {io, "", "device-read-bps", value, "PATH:RATE",
         "bytes read per second from the device that PATH is or lies on"},
        {io, "", "device-write-bps", value, "PATH:RATE", "bytes written per second"},
        {io, "", "device-read-iops", value, "PATH:IOPS", "read operations per second"},
        {io, "", "device-write-iops", value, "PATH:IOPS", "write operations per second"},

        {terminal, "i", "interactive", nothing, "",
         "keep standard input connected: always so, this is for those who are used to it"},
        {terminal, "t", "tty", nothing, "",
         "a terminal of its own, connected to yours: job control, window size, keys such as Ctrl-C"},

        {life, "d", "detach", nothing, "",
         "print its name and leave it running; what it writes goes into a log (ctr logs)"},
        {life, "", "name", value, "NAME", "write it down by this name, for ctr list, kill, exec ..."},
        {life, "", "rm", optional, "true",
         "true or false: whether nothing of it stays when it has ended (default: true, but false with "
         "--detach)"},
        {life, "", "init", nothing, "",
         "a small init is process 1, reaps and passes signals on; the command is 2"},
        {life, "", "stop-signal", value, "SIGNAL",
         "what ctr stop asks the command to end with (default: TERM)"},
        {life, "", "die-with-parent", nothing, "",
         "end the container when the process that started ctr ends"},
        {life, "", "state-dir", value, "DIR",
         "where containers are written down (default: CTR_STATE_DIR, or /run/ctr for root, or "
         "$XDG_RUNTIME_DIR/ctr)"},

        {other, "", "status-fd", value, "N",
         "write one JSON object per line about start and end to this descriptor"},
        {other, "", "log-level", value, "LEVEL", "trace, debug, info (default), warn, error or off"},
        {other, "", "dry-run", nothing, "", "print what would be done, step by step, and do nothing"},
        {other, "h", "help", nothing, "", "print this"},
    };
    return table;
}

const std::vector<Option>& ps_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> table = {
        {options, "a", "all", nothing, "",
         "also what is in no container (inside of a container that is so anyway)"},
        {options, "", "tree", nothing, "", "children below their parents"},
        {options, "", "json", nothing, "", "a JSON array with an object for each process"},
        {options, "", "state-dir", value, "DIR", "where NAME is looked up (as for ctr list)"},
        {options, "h", "help", nothing, "", "print this"},
    };
    return table;
}

const std::vector<Option>& check_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> table = {
        {options, "", "rootfs", value, "DIR",
         "of containers with this root file system (default: the host's root)"},
        {options, "", "json", nothing, "", "a JSON object"},
        {options, "h", "help", nothing, "", "print this"},
    };
    return table;
}

const std::vector<Option>& image_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> table = {
        {options, "", "json", nothing, "", "a JSON object"},
        {options, "h", "help", nothing, "", "print this"},
    };
    return table;
}

namespace {

const Option* by_name(const std::vector<Option>& table, const std::string& name) {
    for (const Option& option : table)
        if (name == option.name) return &option;
    return nullptr;
}

const Option* by_letter(const std::vector<Option>& table, char letter) {
    for (const Option& option : table)
        if (option.letter[0] == letter && letter != 0) return &option;
    return nullptr;
}

// Whether the word after this option is its value.
bool takes_next_word(const std::string& word, const std::vector<Option>& table) {
    if (word.starts_with("--")) {
        const Option* option = by_name(table, word.substr(2));
        return option != nullptr && option->takes == Takes::value;
    }
    // Letters without a value may be joined; the first with a value takes the rest of the word, or the next
    // one.
    for (size_t i = 1; i < word.size(); ++i)
        if (const Option* option = by_letter(table, word[i]);
            option != nullptr && option->takes == Takes::value)
            return i + 1 == word.size();
    return false;
}

// Where the value of a letter begins that this word ends with; 0: it has none.
size_t joined_value(const std::string& word, const std::vector<Option>& table) {
    if (word.size() < 3 || word[0] != '-' || word[1] == '-') return 0;
    for (size_t i = 1; i + 1 < word.size(); ++i) {
        const Option* option = by_letter(table, word[i]);
        if (option == nullptr) return 0;
        if (option->takes == Takes::value) return i + 1;
    }
    return 0;
}

}  // namespace

std::vector<std::string> with_values_apart(const std::vector<std::string>& words,
                                           const std::vector<Option>& table) {
    std::vector<std::string> apart;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            apart.insert(apart.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        const size_t value = joined_value(word, table);
        apart.push_back(value == 0 ? word : word.substr(0, value));
        if (value != 0)
            apart.push_back(word.substr(value));
        else if (word.starts_with('-') && takes_next_word(word, table) && i + 1 < words.size())
            apart.push_back(words[++i]);
    }
    return apart;
}

size_t count_option_words(const std::vector<std::string>& words, const std::vector<Option>& table) {
    size_t i = 0;
    while (i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--")
        i += takes_next_word(words[i], table) ? 2U : 1U;
    return i < words.size() ? i : words.size();
}

}  // namespace ctr::cmd

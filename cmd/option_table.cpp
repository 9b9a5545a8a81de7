#include "cmd/option_table.h"

namespace ctr::cmd {

namespace {

std::vector<Option> finished(std::vector<Option> table, const char* group) {
    append_common(table, group);
    return table;
}

}  // namespace

void append_common(std::vector<Option>& table, const char* group) {
    using enum Takes;
    table.push_back(
        {group, "", "log-format", value, "FORMAT",
         "how ctr says what it has to say, on standard error: text (default), or json, one object "
         "a line",
         "text json"});
    table.push_back({group, "", "log-level", value, "LEVEL",
                     "what ctr says: trace, debug, info (default), warn, error, or off, which is nothing at "
                     "all",
                     "trace debug info warn error off"});
    table.push_back({group, "h", "help", nothing, "", "print this"});
}

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
    static const std::vector<Option> own = {
        {numbering, "", "pidns", value, "MODE",
         "flat: numbers of the container's own, kept in user space (default); multi: the same, one for each "
         "level of nesting; kernel: the kernel's pid namespace; host: "
         "the host's numbers",
         "flat multi kernel host"},
        {numbering, "", "pid-lookup", value, "HOW",
         "how multi finds a number: hash (default), or list, the walk of 2007, for comparison", "hash list"},
        {numbering, "", "pid-fastpath", value, "WHEN",
         "auto (default): flat and multi put instrumented copies of the C library and of static commands in "
         "their "
         "place, which translate by themselves; off: the monitor does it all",
         "auto off"},
        {numbering, "", "pid-max", value, "N",
         "numbers of flat and multi are below N, in each namespace: 301 to 4194304 (default: 32768)"},

        {files, "", "rootfs", value, "DIR",
         "root file system, with /dev, /tmp, /proc and /sys of its own (default: the host's root)",
         "<directory>"},
        {files, "", "overlay", optional, "",
         "what is written to the root file system of --rootfs goes elsewhere: to memory, and ends with the "
         "container; or to DIR, which is kept, for one container at a time (its work directory is DIR.work, "
         "in which the kernel leaves what only root can remove)",
         "<directory>"},
        {files, "", "read-only", nothing, "",
         "the root file system can't be written to; without --rootfs, nothing can that the host has mounted, "
         "but /dev and /proc"},
        {files, "v", "volume", value, "SRC:DST[:ro]",
         "show a file or directory of the host, with all that is mounted below it, at DST; this and the "
         "following are done in the order given. What is missing at DST is made, in the --rootfs directory "
         "itself, and stays there (with --overlay it doesn't)",
         "<file>"},
        {files, "", "bind", value, "SRC:DST", "the same", "<file>"},
        {files, "", "ro-bind", value, "SRC:DST", "the same, read-only", "<file>"},
        {files, "", "tmpfs", value, "DST[:OPTIONS]",
         "an empty file system in memory; options: size=64m,mode=1777"},
        {files, "", "dev", value, "DST", "a private /dev; --rootfs has one anyway"},
        {files, "w", "workdir", value, "DIR", "directory to start in, absolute, as seen inside",
         "<directory>"},

        {identity, "", "hostname", value, "NAME", "host name inside"},
        {identity, "e", "env", value, "NAME[=VALUE]", "set a variable, or pass on the caller's",
         "<variable>"},
        {identity, "", "env-clear", nothing, "", "start from PATH, HOME and TERM only"},
        {identity, "u", "user", value, "UID[:GID]",
         "ids inside, as numbers; GID is the same number as UID if not given"},

        {privileges, "", "userns", value, "WHEN",
         "a user namespace of its own: yes, with one id; no; auto (default): where nothing else will do; "
         "subids: "
         "with the caller as root and the ids of its ranges in /etc/subuid and subgid; keep-id: the same, "
         "but the "
         "caller keeps its id",
         "auto yes no subids keep-id"},
        {privileges, "", "network", value, "WHICH", "host (default), or none: only loopback, which is up",
         "host none"},
        {privileges, "", "ipc", value, "WHICH",
         "private (default), or host: the host's shared memory, semaphores and message queues",
         "private host"},
        {privileges, "", "uts", value, "WHICH", "private (default), or host: the host's name, as it changes",
         "private host"},
        {privileges, "", "cgroupns", value, "WHICH", "private (default), or host: the host's tree of cgroups",
         "private host"},
        {privileges, "", "system-paths", value, "WHICH",
         "masked (default): what in /proc and /sys changes the kernel is read-only, and what tells of the "
         "host "
         "is hidden, as docker does it (on the host's root for root only, whom the kernel would let write); "
         "or host: as it is there",
         "masked host"},
        {privileges, "", "time", value, "WHICH",
         "host (default), or private[,boottime=SECONDS][,monotonic=SECONDS]: clocks that are ahead by that",
         "host private"},
        {privileges, "", "share-with", value, "PID|NAME[:KINDS]",
         "join the namespaces of a running process, of the container that a ctr runs, or of one with "
         "that name: all (process numbers under --pidns=kernel only), or some of "
         "user,mount,uts,ipc,net,pid,cgroup,time",
         "<container>"},
        {privileges, "", "cap-add", value, "CAP", "add a capability to the default set, or ALL",
         "<capability> ALL"},
        {privileges, "", "cap-drop", value, "CAP", "drop a capability, or ALL", "<capability> ALL"},
        {privileges, "", "no-new-privs", optional, "true",
         "true (default) or false (with =): whether set-user-id programs lose their effect", "true false"},

        {privileges, "", "seccomp", value, "PROFILE",
         "which system calls may be made: a file in Docker's or OCI's JSON, default (Docker's own), or off "
         "(default)",
         "default off <file>"},

        {limits, "m", "memory", value, "BYTES",
         "memory of all processes together: 512m, 1.5GiB; the kernel kills a process of a container that "
         "wants "
         "more (128 + 9)"},
        {limits, "", "cpus", value, "N", "processors' time of all processes together: 0.5, 2"},
        {limits, "", "pids-limit", value, "N", "number of processes and threads"},
        {limits, "", "ulimit", value, "NAME=SOFT[:HARD]",
         "a limit of each process, in the kernel's units, mostly bytes (setrlimit(2); not the shell's ulimit "
         "command, which counts kilobytes): nofile=1024:2048, core=unlimited",
         "<ulimit>"},

        {io, "", "device-read-bps", value, "PATH:RATE",
         "bytes read per second from the device that PATH is or lies on", "<file>"},
        {io, "", "device-write-bps", value, "PATH:RATE[:STRATEGY[:BUCKET]]",
         "bytes written per second; STRATEGY, kept in user space: leaky (precise, caps early), or token, "
         "which saves "
         "up what isn't used, to the size of its BUCKET (10mb; default: a second's worth)",
         "<file>"},
        {io, "", "device-read-iops", value, "PATH:IOPS", "read operations per second", "<file>"},
        {io, "", "device-write-iops", value, "PATH:IOPS[:STRATEGY[:BUCKET]]", "write operations per second",
         "<file>"},
        {io, "", "io-max", value, "'PATH: KEY=VALUE ...'",
         "the same together, as in the kernel's io.max: rbps=RATE wbps=RATE[:STRATEGY[:BUCKET]] riops=IOPS "
         "wiops=IOPS",
         "<file>"},
        {io, "", "io-throttle", value, "WHO",
         "keeps limits on writes: kernel; user: ctr, which makes who writes wait; auto (default): the "
         "kernel, and ctr "
         "what that can't, such as buffered writes under cgroup v1",
         "auto kernel user"},
        {io, "", "io-latency", value, "PATH:TIME",
         "time in which the device is to answer (10ms): where it doesn't, groups that ask for less, or "
         "nothing, have to wait "
         "(cgroup v2)",
         "<file>"},
        {io, "", "blkio-weight", value, "N",
         "share in devices that others use as well: 10 to 1000, 100 is usual (with the scheduler bfq, or "
         "io.cost)"},

        {terminal, "i", "interactive", nothing, "",
         "keep standard input connected: so it always is but with --detach, which leaves it empty"},
        {terminal, "t", "tty", nothing, "",
         "a terminal of its own, connected to yours: job control, window size, keys such as Ctrl-C"},

        {life, "d", "detach", nothing, "",
         "print its name and leave it running; what it writes goes into a log (ctr logs)"},
        {life, "", "name", value, "NAME", "write it down by this name, for ctr list, kill, exec ..."},
        {life, "", "rm", optional, "true",
         "true or false: whether nothing of it stays when it has ended (default: true, but false with "
         "--detach)",
         "true false"},
        {life, "", "init", nothing, "",
         "a small init is process 1, reaps and passes signals on; the command is 2"},
        {life, "", "stop-signal", value, "SIGNAL",
         "what ctr stop asks the command to end with (default: TERM)", "<signal>"},
        {life, "", "die-with-parent", nothing, "",
         "end the container when the process that started ctr ends"},
        {life, "", "state-dir", value, "DIR",
         "where containers are written down (default: CTR_STATE_DIR, or /run/ctr for root, or "
         "$XDG_RUNTIME_DIR/ctr)",
         "<directory>"},

        {other, "", "status-fd", value, "N",
         "write one JSON object per line about start and end to this descriptor"},
        {other, "", "dry-run", nothing, "", "print what would be done, step by step, and do nothing"},
    };
    static const std::vector<Option> table = finished(own, other);
    return table;
}

const std::vector<Option>& ps_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> own = {
        {options, "a", "all", nothing, "",
         "also what is in no container (inside of a container that is so anyway)"},
        {options, "", "tree", nothing, "", "children below their parents"},
        {options, "", "json", nothing, "", "a JSON array with an object for each process"},
        {options, "", "state-dir", value, "DIR", "where NAME is looked up (as for ctr list)", "<directory>"},
    };
    static const std::vector<Option> table = finished(own, options);
    return table;
}

const std::vector<Option>& check_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> own = {
        {options, "", "rootfs", value, "DIR",
         "of containers with this root file system (default: the host's root)", "<directory>"},
        {options, "", "json", nothing, "", "a JSON object"},
    };
    static const std::vector<Option> table = finished(own, options);
    return table;
}

const std::vector<Option>& image_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> own = {
        {options, "", "json", nothing, "", "a JSON object"},
    };
    static const std::vector<Option> table = finished(own, options);
    return table;
}

const std::vector<Option>& help_options() {
    using enum Takes;
    static constexpr const char* options = "Options";
    static const std::vector<Option> own = {
        {options, "", "man", nothing, "", "print the man page's source"},
        {options, "", "man-pages", value, "DIR", "write all man pages into this directory", "<directory>"},
    };
    static const std::vector<Option> table = finished(own, options);
    return table;
}

const std::vector<Option>& plain_options() {
    static const std::vector<Option> table = finished({}, "Options");
    return table;
}

const Option* by_name(const std::vector<Option>& table, const std::string& name) {
    for (const Option& option : table)
        if (name == option.name) return &option;
    return nullptr;
}

namespace {

const Option* by_letter(const std::vector<Option>& table, char letter) {
    for (const Option& option : table)
        if (option.letter[0] == letter && letter != 0) return &option;
    return nullptr;
}

}  // namespace

const Option* takes_next_word(const std::string& word, const std::vector<Option>& table) {
    if (word.starts_with("--")) {
        const Option* option = by_name(table, word.substr(2));
        return option != nullptr && option->takes == Takes::value ? option : nullptr;
    }
    // Letters without a value may be joined; the first with a value takes the rest of the word, or the next
    // one.
    for (size_t i = 1; word.starts_with('-') && i < word.size(); ++i)
        if (const Option* option = by_letter(table, word[i]);
            option != nullptr && option->takes == Takes::value)
            return i + 1 == word.size() ? option : nullptr;
    return nullptr;
}

namespace {

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

std::string value_at(const std::vector<std::string>& words, size_t i, const std::string& option) {
    if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
    return words[i] == option && i + 1 < words.size() ? words[i + 1] : "";
}

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
        else if (word.starts_with('-') && takes_next_word(word, table) != nullptr && i + 1 < words.size())
            apart.push_back(words[++i]);
    }
    return apart;
}

size_t count_option_words(const std::vector<std::string>& words, const std::vector<Option>& table) {
    size_t i = 0;
    while (i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--")
        i += takes_next_word(words[i], table) != nullptr ? 2U : 1U;
    return i < words.size() ? i : words.size();
}

}  // namespace ctr::cmd

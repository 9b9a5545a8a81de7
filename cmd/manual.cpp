#include "cmd/manual.h"

#include <algorithm>
#include <iterator>

#include "cmd/manual_parts.h"

namespace ctr::cmd {

const Manual& overview() {
    static const Manual manual{
        "",
        "a container launcher with process numbering in user space",
        "VERB ...",
        "Starts commands in containers: namespaces of their own, with process numbers of their own that are "
        "kept in user space, so that no privilege and no pid namespace of the kernel is needed. There is no "
        "daemon. What can't be had on a host is an error that says why, or, where nobody has asked for it by "
        "name, a warning.\n\n"
        "Options of a verb may also stand before it: ctr --log-format json run ...",
        {"<verb>", ""},
        &plain_options(),
        {},
        {{"a command in a container: it is process 1, and sees nothing of the host's processes",
          "ctr run -- sh -c 'echo I am $$'"},
         {"a shell in a root file system of its own, on a terminal of its own, without network",
          "ctr run -it --rootfs /srv/debian --hostname box --network none -- bash"},
         {"bind: files of the host inside, the second read-only",
          "ctr run --rootfs /srv/debian -v \"$PWD\":/work -v /etc/ssl:/etc/ssl:ro -w /work -- make"},
         {"overlay: what is written to the root is gone with the container, or is kept in a directory",
          "ctr run --rootfs /srv/debian --overlay -- apt-get install -y jq\n"
          "ctr run --rootfs /srv/debian --overlay=/srv/changes -- apt-get install -y jq"},
         {"limit: memory, processors, processes, a disk; and each process by itself",
          "ctr run -m 512m --cpus 1.5 --pids-limit 100 --device-write-bps /srv:5mb --ulimit nofile=1024 -- "
          "./job"},
         {"confine: no capabilities, docker's list of system calls, another user, nothing to write to but "
          "/tmp",
          "ctr run --cap-drop ALL --seccomp default -u 1000 --read-only --tmpfs /tmp -- ./untrusted"},
         {"detach: it goes on by itself, under a name",
          "ctr run -d --name web --init -- ./server --port 80\n"
          "ctr list\n"
          "ctr logs -f web"},
         {"exec: another command in it", "ctr exec web ps -ef"},
         {"stop it, see how it ended, and forget it", "ctr stop web; ctr wait web; ctr rm web"},
         {"share: another container in its namespaces, all or some",
          "ctr run --share-with web -- ip addr\n"
          "ctr run --share-with web:net,ipc -- ./helper"},
         {"nest: a container in a container, and all their processes",
          "ctr run -d --name outer --pidns=multi -- ctr run --pidns=multi -- sleep 60\n"
          "ctr ps --tree outer"},
         {"check: what this host allows, and what to do about what it doesn't", "ctr check"},
         {"what would be done, without doing it", "ctr run --dry-run --network none -- true"}},
        "the command's own (run, exec); else 0. 125 if ctr failed, 126 if the command can't be executed, 127 "
        "if there is no such command, 128 + n if signal n ended it.",
        ""};
    return manual;
}

const std::vector<Manual>& manuals() {
    static const std::vector<Manual> all = [] {
        std::vector<Manual> joined{manual_of_run()};
        for (auto part : {manuals_of_life(), manuals_of_looking(), manuals_of_measuring(), manuals_of_help()})
            std::ranges::move(part, std::back_inserter(joined));
        return joined;
    }();
    return all;
}

const Manual* manual_of(std::string_view verb) {
    const auto found = std::ranges::find_if(manuals(), [&](const Manual& one) { return verb == one.verb; });
    return found == manuals().end() ? nullptr : &*found;
}

const std::vector<Surrounding>& files() {
    static const std::vector<Surrounding> table = {
        {{"/run/ctr/NAME/state.json",
          "What is written down about a container that has a name: the fields of the OCI runtime "
          "specification's state, and ctr's own. For ordinary users: $XDG_RUNTIME_DIR/ctr."},
         "state-dir"},
        {{"/run/ctr/NAME/log, log.1",
          "What a detached container has written: one JSON object a line, at most twice 8 MiB."},
         "state-dir"},
        {{"/var/cache/ctr/images, for ordinary users $XDG_CACHE_HOME/ctr or ~/.cache/ctr",
          "The instrumented copies of libraries and static programs, which are made anew if they are "
          "missing."},
         "rootfs"},
        {{"DIR.work",
          "The work directory of --overlay=DIR; what the kernel leaves in it only root can remove."},
         "overlay"},
        {{"/etc/subuid, /etc/subgid", "The ranges of ids for --userns subids and keep-id."}, "userns"},
    };
    return table;
}

const std::vector<Surrounding>& variables() {
    static const std::vector<Surrounding> table = {
        {{"CTR_STATE_DIR", "Where containers are written down, unless --state-dir says so."}, "state-dir"},
        {{"XDG_RUNTIME_DIR", "Containers of ordinary users are written down in its directory ctr."},
         "state-dir"},
        {{"XDG_CACHE_HOME, HOME", "Where the cache of instrumented copies is."}, "rootfs"},
        {{"PATH, TERM", "With HOME, what --env-clear leaves to the command; PATH is where it is looked up."},
         "env-clear"},
        {{"CTR_EXAMPLES",
          "Where the programs are that ctr bench measures with, if not in ../libexec/ctr beside ctr."},
         "workload"},
    };
    return table;
}

}  // namespace ctr::cmd

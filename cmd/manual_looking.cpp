// What is said of the verbs that only look.
#include "cmd/manual_parts.h"

namespace ctr::cmd {

namespace {

Manual manual_of_ps() {
    return {"ps",
            "list the processes of running containers",
            "[NAME|PID...]",
            "Lists the processes of running containers, as they are seen from where it is run.\n\n"
            "NAME: only the containers that were started with these names. PID: only the containers that "
            "these processes (by their numbers here) are in, or run: any process inside, or the ctr itself.",
            {"<container>", "<container>"},
            &ps_options(),
            {{"Columns",
              "",
              {{"CONTAINER", "the container's first process, by its number here; - for what is in none"},
               {"HOST", "the process's number here"},
               {"PID",
                "its numbers from the container's root down to its own namespace: 5/1; a - where it can't be "
                "seen"},
               {"PPID", "its parent's number in the container's root; 0 if that is outside"},
               {"STAT", "R runs, S sleeps, D waits for a device, T is stopped, t is traced, Z has ended"},
               {"COMMAND", "its arguments, or [its name] if it has none"}}}},
            {{"children below their parents, of every container", "ctr ps --tree"},
             {"who is process 1", "ctr ps --json | jq '.[] | select(.pids[-1] == 1)'"}},
            "0, also if there is no container; 125 if ctr failed.",
            "list pid"};
}

Manual manual_of_check() {
    return {
        "check",
        "find out what this host allows, and what to do about what it doesn't",
        "[FILE...]",
        "Tries what containers need, as this user and from here, and says for each what was found: yes, "
        "limited or no, why, and what to do about it. Everything is tried in processes that end at once; "
        "nothing stays. The last lines say of each mode of ctr run --pidns whether it works.\n\n"
        "FILE: a program or library (inside of the root): what of it has the fast path.",
        {"<file>", "<file>"},
        &check_options(),
        {},
        {{"of containers on the host's root", "ctr check"},
         {"of those with another root", "ctr check --rootfs /srv/debian"},
         {"only what isn't as it should be", "ctr check --json | jq '.items[] | select(.state != \"yes\")'"}},
        "0 if ctr run works with its defaults, 1 if it doesn't; 125 if ctr failed.",
        "run image"};
}

Manual manual_of_image() {
    return {
        "image",
        "show what of a program or library can be made fast",
        "FILE",
        "Shows which system calls of a program or library can carry a process number, and which of them a "
        "container can make without its monitor, through code that is put into a copy of the file. A call "
        "named \"any\" has a number that isn't always the same.",
        {"<file>", ""},
        &image_options(),
        {{"States",
          "",
          {{"patched, made inside", "the code that is put in makes or answers the call"},
           {"patched, made near", "the same; a child that is created comes back beside the call's place"},
           {"patched, passed on", "the call is made as it is, if it turns out to carry no number"},
           {"left: WHY", "the monitor serves the call, which takes longer"}}}},
        {{"the C library's", "ctr image /lib/x86_64-linux-gnu/libc.so.6"},
         {"what is left to the monitor",
          "ctr image --json ./server | jq '.sites[] | select(.patched | not)'"}},
        "0; 125 if ctr failed, or the file is none that can be instrumented.",
        "check"};
}

}  // namespace

std::vector<Manual> manuals_of_looking() {
    return {manual_of_ps(), manual_of_check(), manual_of_image()};
}

}  // namespace ctr::cmd

// What is said of ctr run.
#include "cmd/manual_parts.h"

namespace ctr::cmd {

Manual manual_of_run() {
    return {
        "run",
        "run a command in a container",
        "[--] COMMAND [ARGUMENT...]",
        "Runs a command in a container of its own and ends with its exit status. Options end at the first "
        "word that is none.\n\n"
        "The command is process 1 of the container, its children are 2, 3 ... When it ends, all end. As in "
        "the kernel's pid namespaces a signal from inside reaches process 1 only if it has a handler for it; "
        "with --init the command is 2 and nothing is special about it.\n\n"
        "SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH and SIGCONT sent to ctr reach the "
        "command. Without -t a Ctrl-C does too; with it all keys do.\n\n"
        "Without --rootfs the container has the host's files. Namespaces that nobody has asked for by name "
        "are done without, with a warning, where an ordinary user can't have any.",
        {"<command>", ""},
        &run_options(),
        {{"Status events",
          "What --status-fd N writes to descriptor N, one JSON object a line, with its kind in the member "
          "event.",
          {{"started",
            "the command has been executed. init, command: the host's numbers of the container's first "
            "process and of the command, the same unless --init was given; neither can have been reused when "
            "this is written; 0 for one that can't be seen from here (below another ctr). name: the "
            "container's, if it has one"},
           {"warning", "something works, but not as one may expect. message: what"},
           {"exited",
            "everything is over. status: as a shell would show it; signal: what ended the command, or 0"},
           {"failed",
            "ctr failed, and nothing is left. status: 125, 126 or 127; step, call, errno, error (its name), "
            "message: why. One of exited and failed is always the last"}}},
         {"Rates and sizes",
          "",
          {{"RATE", "10mb, 1.5GiB, 400MB/s, 4096"},
           {"BYTES", "512m, 1.5GiB, 1048576"},
           {"PATH",
            "of a device limit: a block device, a partition (its whole disk is limited), or any file (the "
            "device that holds it); it may contain colons"},
           {"ulimit",
            "bytes for core, data, fsize, memlock, msgqueue, rss and stack; seconds for cpu, "
            "microseconds for rttime; else a number"}}},
         {"What may surprise",
          "",
          {{"128 + 9", "also what the kernel kills because -m is used up (ctr stats shows how near it is)"},
           {"-u",
            "takes numbers: names are those of the host's users, or of the root file system's, and ctr "
            "takes neither for the other"},
           {"mount points", "those that are made in a --rootfs directory stay there"},
           {"DIR.work", "of --overlay=DIR: the kernel leaves a directory in it that only root can remove"}}}},
        {{"two processes and their numbers",
          "ctr run -- sh -c 'echo $$; sh -c \"echo \\$\\$; echo \\$PPID\"'"},
         {"a shell with job control in a root file system of its own, without network",
          "ctr run -it --rootfs ./debian --hostname box --network none -- bash"},
         {"the directory here as /work, and nothing written to the root file system stays",
          "ctr run --rootfs ./debian --overlay -v \"$PWD\":/work -w /work -- make -j4"},
         {"another user, another variable, no capabilities",
          "ctr run -u 1000 -e LANG=C --cap-drop ALL -- make -j4"},
         {"limits of memory, processors and processes", "ctr run -m 64m --cpus 0.5 --pids-limit 20 -- ./job"},
         {"a disk that takes 5 MiB a second",
          "ctr run --device-write-bps /var/lib:5mb -- dd if=/dev/zero of=/var/lib/file oflag=direct bs=1M "
          "count=50"},
         {"in the background, with a reaper as process 1",
          "ctr run -d --name web --init --stop-signal INT -- ./server"},
         {"in the network and with the shared memory of that one",
          "ctr run --share-with web:net,ipc -- ./helper"},
         {"an ordinary user's root, with all the ids of its ranges",
          "ctr run --userns subids --rootfs ./debian --overlay -- apt-get install -y jq"},
         {"for a program that wants to know what became of it",
          "ctr run --status-fd 3 -- ./job 3>status.json"}},
        "the command's own; 128 + n if signal n ended it; 125 if ctr failed, 126 if the command can't be "
        "executed, 127 if there is no such command.",
        "exec list logs stop ps check"};
}

}  // namespace ctr::cmd

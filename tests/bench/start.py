#!/usr/bin/env python3
"""How long a container takes from start to exit of /bin/true, and how much memory waits for it; in pairs with other
launchers, as far as they are installed. Prints a table of the README.

    ./dev bench start                  as root, or as whoever calls it
    ./dev bench start --user 1000      started by root: as that user, in a home directory that ends with the benchmark
    ./dev bench start --ahead          on a busy machine: ahead of all else (SCHED_FIFO); takes root (without the
                                       cpu controller of cgroup v1, which may refuse such processes)

Each round starts every launcher once, in an order drawn anew, and then as many of each at once; what is printed are medians,
and medians of ratios to the reference's sample of the same round, with 95 % intervals (paired.py). The row of the second
bwrap says how far apart equal things are. As root this happens in a mount namespace of its own, where the host's root
lies in a second place for those launchers that want a directory, and where a hybrid host's v2 hierarchy isn't mounted
(crun wants one version only).
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from statistics import median

import paired
from launchers import LAUNCHERS, Place
from world import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ["/bin/true"]
SLEEPER = ["sleep", "30"]
PATIENCE = 10  # seconds

# In a mount namespace: the host's root once more at $1, and what of the words up to "--" is mounted no more; then the rest.
PREPARE = 'mount --bind / "$1" || exit; shift; while [ "$1" != -- ]; do ! mountpoint -q "$1" || umount "$1" || exit; shift; ' \
          'done; shift; exec "$@"'
V2_OF_HYBRID = "/sys/fs/cgroup/unified"
V1_CPU = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct")


class Failed(Exception):
    pass


def spawn(words):
    nothing = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
    return os.posix_spawnp(words[0], words, os.environ, file_actions=nothing)


def time_of(commands):
    """Milliseconds until all of them have ended."""
    begun = time.perf_counter_ns()
    processes = [spawn(words) for words in commands]
    ends = [os.waitpid(process, 0)[1] for process in processes]
    took = (time.perf_counter_ns() - begun) / 1e6
    if any(ends):
        raise Failed(f"{commands[0][0]} ended with status {next(end for end in ends if end)}")
    return took


def why_not(launcher, place):
    """Why it can't be measured here; nothing: it can."""
    if launcher.program and shutil.which(launcher.program) is None:
        return "it isn't installed"
    tried = subprocess.run(place.command(launcher, COMMAND), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if tried.returncode == 0:
        return None
    said = (tried.stderr + tried.stdout).strip().splitlines()
    return f"it ends with {tried.returncode}: {said[-1] if said else 'without a word'}"


def sample(launchers, place, options):
    """{(launcher, how many at once): blocks of milliseconds}"""
    samples = {(launcher, count): [] for launcher in launchers for count in (1, options.parallel)}
    chance = random.Random(options.seed)
    for block in range(options.blocks):
        for key in samples:
            samples[key].append([])
        for count, rounds in ((1, options.rounds), (options.parallel, options.parallel_rounds)):
            for _ in range(rounds):
                for launcher in chance.sample(launchers, len(launchers)):
                    words = [place.command(launcher, COMMAND) for _ in range(count)]
                    samples[launcher, count][-1].append(time_of(words))
        print(f"\r{block + 1} of {options.blocks} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return samples


def read(process, file):
    """Empty: it has ended meanwhile."""
    try:
        return pathlib.Path(f"/proc/{process}/{file}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children_of(process):
    """Of all its threads."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(word) for thread in threads for word in read(process, f"task/{thread}/children").split()]


def tree_of(process):
    return [process] + [below for child in children_of(process) for below in tree_of(child)]


def private_memory(process):
    """KiB that would be free without it."""
    lines = read(process, "smaps_rollup").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def sleeper_below(process):
    """The command, as soon as the launcher has come so far. None: it hasn't in time, or has ended."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE and not os.waitid(os.P_PID, process,
                                                                os.WEXITED | os.WNOHANG | os.WNOWAIT):
        for one in tree_of(process):
            if read(one, "comm").strip() == SLEEPER[0]:
                return one
        time.sleep(0.01)
    return None


def memory_of(launcher, place):
    """KiB of all processes that wait for a sleeping command; None: nobody does, or they can't be looked at."""
    process = spawn(place.command(launcher, SLEEPER))
    sleeper = sleeper_below(process)
    try:
        waiting = [one for one in tree_of(process) if one != sleeper]
        return sum(private_memory(one) for one in waiting) if sleeper and waiting else None
    except PermissionError:
        return None
    finally:
        if sleeper:
            os.kill(sleeper, signal.SIGKILL)
        os.waitpid(process, 0)


def cells(launcher, count, samples, references):
    blocks = samples[launcher, count]
    yield f"{median(value for block in blocks for value in block):.2f}"
    again = next((one for one in samples if one[0].again and one[1] == count), None)
    for reference in references:
        of = paired.estimate(paired.ratios(blocks, samples[reference, count]))
        if launcher is reference:
            yield "1"
        elif launcher.again and reference.program == launcher.program:
            yield paired.noise_text(of)
        elif again is None:
            yield f"{of.ratio:.3f} ({of.low:.3f}-{of.high:.3f})"
        else:
            first = next(one for one in samples if one[0].program == again[0].program and one[1] == count)
            yield paired.verdict(of, paired.estimate(paired.ratios(samples[again], samples[first])))


def table(launchers, samples, memory, options):
    references = [launcher for launcher in launchers if launcher.reference]
    ratios = [f"of {reference.title}" for reference in references]
    titles = ["", "ms", *ratios, f"{options.parallel} at once, ms", *ratios, "memory that waits, KiB"]
    rows = [titles, ["---"] * len(titles)]
    for launcher in launchers:
        kib = memory.get(launcher)
        rows.append([launcher.title, *cells(launcher, 1, samples, references),
                     *cells(launcher, options.parallel, samples, references), "-" if kib is None else str(kib)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("|  |", "| |", 1)


def become(user, directory):
    """As after a login: without root's groups, and with a home."""
    os.chown(directory, user, user)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.environ.update(HOME=str(directory), XDG_RUNTIME_DIR=str(directory))
    os.environ.pop("XDG_CACHE_HOME", None)


def measure(options):
    directory, root = pathlib.Path(options.within) / "home", pathlib.Path(options.within) / "root"
    ctr = pathlib.Path(options.within) / "ctr"
    shutil.copy2(options.build / "cmd/ctr", ctr)  # where everybody may read it
    directory.mkdir()
    if options.ahead:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    if options.user:
        become(options.user, directory)
    (directory / "state").mkdir()
    place = Place(ctr, directory, root)
    launchers = []
    for launcher in LAUNCHERS:
        if why := why_not(launcher, place):
            print(f"{launcher.title} is left out: {why}", file=sys.stderr)
        else:
            launchers.append(launcher)
    print(f"{machine()}; user {os.getuid()}; load {os.getloadavg()[0]:.1f}; {options.blocks} blocks of {options.rounds} "
          f"rounds alone and {options.parallel_rounds} of {options.parallel} at once{'; ahead' if options.ahead else ''}.\n",
          flush=True)
    samples = sample(launchers, place, options)
    memory = {launcher: memory_of(launcher, place) for launcher in launchers if not launcher.again}
    print(table(launchers, samples, memory, options))
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}")


def parse(words):
    parser = argparse.ArgumentParser(prog="./dev bench start", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where ctr was built")
    parser.add_argument("--user", type=int, default=0, metavar="UID", help="as this user instead of root")
    parser.add_argument("--ahead", action="store_true", help="ahead of all else on this machine (SCHED_FIFO)")
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20, help="of each launcher alone, in a block")
    parser.add_argument("--parallel", type=int, default=50, help="so many at once")
    parser.add_argument("--parallel-rounds", type=int, default=2, help="of these, in a block")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the rounds")
    parser.add_argument("--within", help=argparse.SUPPRESS)  # the directory that this has prepared
    options = parser.parse_args(words)
    if options.user and os.geteuid() != 0:
        parser.error("--user takes root")
    return options


def main(words):
    options = parse(words)
    if options.within:
        measure(options)
        return
    with tempfile.TemporaryDirectory(prefix="ctr-bench-") as directory:
        os.chmod(directory, 0o755)
        (pathlib.Path(directory) / "root").mkdir()
        again = [sys.executable, __file__, *words, f"--within={directory}"]
        if os.geteuid() == 0:
            hidden = [V2_OF_HYBRID, *(V1_CPU if options.ahead else ())]
            again = ["unshare", "--mount", "--propagation=private", "sh", "-c", PREPARE, "-", f"{directory}/root",
                     *hidden, "--", *again]
        ended = subprocess.run(again, check=False).returncode
    sys.exit(ended)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The surroundings of bench fastpath's subjects: copies of images in their places, and the commands that start a subject."""
import glob
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from subjects import GO_TOOLS, LIBRARIES

HERE = pathlib.Path(__file__).resolve().parent

# Mounts pairs of words up to "--", in a mount namespace that ends with the command behind it.
MOUNT_ALL = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; exec "$@"'


def read_anew(path):
    """The kernel forgets the file's pages, however they came to be in memory: freshly written ones are larger pieces
    than those that are read back at faults, and cheaper to map."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class World:
    """Both sides run with copies of the images, bound over the originals in the same way: one's as they were, the other's
    instrumented. Where `ctr` puts them in their places, by binds of its own, that is left to it (placed_by_ctr)."""

    def __init__(self, build, directory):
        programs = build / "tests/victims"
        self.ctr = build / "cmd/ctr"
        self.helper = build / "tests/bench/bench_fastpath"
        self.directory = directory
        self.program = {False: programs / "operations", True: programs / "operations-static"}
        self.again = {kind: programs / f"again-{kind}" for kind in ("glibc", "musl", "static")}
        usage = subprocess.run([self.ctr, "run", "--help"], capture_output=True, text=True, check=True).stdout
        self.placed_by_ctr = "--pid-fastpath" in usage
        self.copies = {fast: self._copy(fast) for fast in (False, True)}
        if self.placed_by_ctr:
            self._read_cache_anew()

    def _places(self):
        go = glob.glob("/usr/lib/go*/pkg/tool/linux_amd64") + glob.glob("/usr/lib/go*/bin")
        tools = [f"{place}/{tool}" for place in go for tool in GO_TOOLS]
        programs = [str(self.again["static"]), str(self.program[True])]
        return sorted({os.path.realpath(p) for p in (*LIBRARIES, *tools, *programs) if os.path.isfile(p)})

    def _copy(self, fast):
        pairs = []
        for place in self._places():
            copy = self.directory / ("fast" if fast else "plain") / place.strip("/").replace("/", "_")
            copy.parent.mkdir(exist_ok=True)
            shutil.copy2(place, copy)
            if fast:
                made = subprocess.run([self.helper, "instrument", place, copy], capture_output=True, text=True)
                if made.returncode != 0:
                    print(f"{place} isn't instrumented: {made.stderr.strip()}", file=sys.stderr)
            read_anew(copy)
            pairs += [str(copy), place]
        return pairs

    def _read_cache_anew(self):
        for program in self.program.values():
            subprocess.run([self.ctr, "run", "--", program], stdin=subprocess.DEVNULL, check=True)
        for copy in glob.glob("/var/cache/ctr/images/*.image"):
            read_anew(copy)

    def missing(self, line):
        """Why an operation can't be measured on this machine, or nothing."""
        if "{again_musl}" in line and not self.again["musl"].exists():
            return "there is no musl-gcc"
        if "go build" in line and shutil.which("go") is None:
            return "there is no go"
        return None

    def line(self, line, name, quick):
        """The argument of an operation, for the subject NAME."""
        own = self.directory / f"own-{name}"
        own.mkdir(exist_ok=True)
        programs = {f"again_{kind}": path for kind, path in self.again.items()}
        return line.format(here=HERE, own=own, rebuild="" if quick else "-a", **programs)

    def command(self, subject, static):
        words = [str(self.program[static])]
        words = ["unshare", "--pid", "--fork", "--kill-child"] * (subject.depth - 1) + words
        by_ctr = self.placed_by_ctr and subject.fast
        if subject.layer:
            path = [f"--pid-fastpath={'auto' if by_ctr else 'off'}"] if self.placed_by_ctr else []
            nesting = ["--cap-add=SYS_ADMIN"] if subject.depth > 1 else []
            words = [str(self.ctr), "run", *subject.layer, *path, *nesting, "--", *words]
        if subject.filtered:
            words = [str(self.helper), "filter", *words]
        mounts = [] if by_ctr else self.copies[subject.fast]
        return ["unshare", "--mount", "--propagation=private", "sh", "-c", MOUNT_ALL, "-", *mounts, "--", *words]

    def show(self, subject, static):
        words = self.command(subject, static)
        return shlex.join(words[words.index("--") + 1:])


def machine():
    """One line that says where the numbers come from."""
    facts = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line.split(":", 1)[1].strip() for line in facts if line.startswith("model name")), "?")
    virtual = any(line.startswith("flags") and " hypervisor" in line for line in facts)
    system = pathlib.Path("/etc/os-release")
    names = [line.split("=", 1)[1].strip('"') for line in system.read_text().splitlines() if
             line.startswith("PRETTY_NAME=")] if system.exists() else []
    kind = "virtual machine" if virtual else "machine"
    return ", ".join([f"{kind} with {os.cpu_count()} cores of {processor}", f"Linux {os.uname().release}", *names])

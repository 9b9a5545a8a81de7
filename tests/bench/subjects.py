"""What bench fastpath compares, and what it measures: data."""
from dataclasses import dataclass

# Images whose copies take their places, wherever they exist; instrumented for subjects that are `fast`. The places are
# files of the container's root; links are followed.
LIBRARIES = ("/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/ld-musl-x86_64.so.1",
             "/lib/libc.so.6", "/lib64/libc.so.6")
GO_TOOLS = ("go", "compile", "asm", "link")


@dataclass(frozen=True)
class Subject:
    title: str
    layer: tuple = ()      # options of `ctr run`; none: no container
    fast: bool = False     # the fast path
    filtered: bool = False  # the filter without a monitor
    depth: int = 1         # of pid namespaces: one container, the others by unshare in it


FLAT, HASH, LIST, KERNEL = (("--pidns=flat",), ("--pidns=multi", "--pid-lookup=hash"),
                            ("--pidns=multi", "--pid-lookup=list"), ("--pidns=kernel",))
DEPTHS = (1, 8, 31)

SUBJECTS = {
    "host": Subject("host"),
    "again": Subject("host again"),
    "filter": Subject("filter alone", filtered=True),
    "flat": Subject("flat", FLAT, fast=True),
    "net": Subject("flat, fast path off", FLAT),
    "hash": Subject("multi, hash", HASH, fast=True),
    "list": Subject("multi, list", LIST, fast=True),
    "kernel": Subject("kernel", KERNEL),
    "kernel-profile": Subject("kernel, --seccomp default", (*KERNEL, "--seccomp=default")),
    "flat-profile": Subject("flat, --seccomp default", (*FLAT, "--seccomp=default"), fast=True),
    "kernel-again": Subject("kernel again", KERNEL),
    **{f"{name}-{depth}": Subject(f"{title} {depth}", layer, fast, depth=depth)
       for name, title, layer, fast in (("flat", "flat", FLAT, True), ("hash", "multi", HASH, True),
                                        ("kernel", "kernel", KERNEL, False))
       for depth in DEPTHS},
}


@dataclass(frozen=True)
class Operation:
    name: str
    line: str              # for operations.c: its name there, and the argument
    rows: tuple = (("", "time"),)  # of the table: what is appended to the name, which part of a sample
    crowd: int = 0         # other processes that are there
    least: int = 1         # in a sample: processor time is counted in ticks, of which one operation sees few
    whole: bool = False    # a command that is run once for each sample


# {here}, {again_glibc} ...: see world.py. {own} is a directory of each subject's own.
OPERATIONS = {
    operation.name: operation for operation in (
        Operation("spawn (fork, exit, wait)", "spawn"),
        Operation("vfork, exit, wait", "vfork"),
        Operation("posix_spawn, static without a copy", "posix_spawn {again_static}"),
        Operation("exec, glibc", "exec {again_glibc}"),
        Operation("exec, musl", "exec {again_musl}"),
        Operation("exec, static without a copy", "exec {again_static}"),
        Operation("thread, create and join", "thread"),
        Operation("getpid", "getpid"),
        Operation("open, read, close", "open /etc/passwd"),
        Operation("stat", "stat /etc/passwd"),
        Operation("open, read, close /proc/1/stat", "open /proc/1/stat"),
        Operation("fstat", "fstat"),
        Operation("shell script", "shell sh {here}/script.sh {own}"),
        Operation("ps -xaf", "ps", crowd=60, least=10, rows=(
            ("", "time"), (", its processor time", "cpu"), (", its system time", "system"),
            (", its and the monitor's processor time", "served"))),
        Operation("make -j2", "shell make -B -s -j2 -f {here}/tree.mk OUT={own}", whole=True),
        Operation("go build", "shell rm -rf {own}/cache; GOCACHE={own}/cache go build {rebuild} -o {own}/gofmt cmd/gofmt",
                  whole=True),
    )
}

SMALL = ("spawn (fork, exit, wait)", "thread, create and join", "getpid")


@dataclass(frozen=True)
class Table:
    name: str
    title: str
    subjects: tuple        # the reference, another of its kind, and those that are compared with it
    operations: tuple
    static: bool = False   # the program is a static one


TABLES = (
    Table("operations", "Operations of a program linked with glibc",
          ("host", "again", "filter", "flat", "net", "hash", "list", "kernel"),
          SMALL + ("vfork, exit, wait", "posix_spawn, static without a copy", "exec, glibc", "exec, musl",
                   "exec, static without a copy", "open, read, close", "stat", "fstat",
                   "open, read, close /proc/1/stat", "shell script")),
    Table("static", "A static program", ("host", "again", "filter", "flat", "net"), SMALL + ("open, read, close",),
          static=True),
    Table("depth", "Nested pid namespaces, against the host",
          ("host", "again") + tuple(f"{name}-{depth}" for name in ("flat", "hash", "kernel") for depth in DEPTHS), SMALL),
    Table("deepest", "31 nested pid namespaces, against the kernel's", ("kernel-31", "kernel-31", "flat-31", "hash-31"),
          SMALL),
    Table("profile", "A profile of system calls beside the layer's filter",
          ("host", "again", "flat", "flat-profile", "kernel", "kernel-profile"),
          SMALL + ("open, read, close", "stat", "fstat")),
    Table("ps", "ps -xaf of 60 processes, against the kernel's pid namespace, in which it sees the same",
          ("kernel", "kernel-again", "flat", "net", "hash", "list"), ("ps -xaf",)),
    Table("commands", "Whole commands", ("host", "again", "filter", "flat", "net", "hash", "kernel"),
          ("make -j2", "go build")),
)

#!/usr/bin/env python3
"""Checks that the guest code fits on small stacks (pidns/guest/small_stack.h): the longest chain of calls, by what the
compiler says of each function (-fcallgraph-info=su).

    stack_depth.py OBJECTS SOURCES
"""
import pathlib
import re
import sys

# Roots, and what they never call on a small stack: for paths, children and texts of /proc others are asked.
ROOTS = ["guest_before", "guest_after"]
ELSEWHERE = ["follow_path", "follow_paths", "follow_address", "followed_path", "changed", "describe", "described",
             "named_directory", "create", "create_unseen", "has_created", "lock_memory"]


def read(directory):
    """Bytes by function (with the return address), and who calls whom."""
    size, calls = {}, {}
    for file in pathlib.Path(directory).rglob("*.ci"):
        for line in file.read_text().splitlines():
            if node := re.match(r'node: { title: "([^"]+)" label: "[^"]*?(\d+) bytes \((\w+)\)', line):
                name, bytes_, kind = node.groups()
                if kind != "static":
                    sys.exit(f"{name} takes an unknown amount of stack")
                size[name] = int(bytes_)
            elif edge := re.match(r'edge: { sourcename: "([^"]+)" targetname: "([^"]+)"', line):
                calls.setdefault(edge[1], set()).add(edge[2])
    return size, calls


def is_elsewhere(name):
    return any(f"guest{len(word)}{word}E" in name for word in ELSEWHERE)


def longest(name, size, calls, above=()):
    if name in above:
        sys.exit(f"{name} calls itself")
    if name not in size:
        sys.exit(f"{name} is called, and not known")
    chains = [longest(other, size, calls, (*above, name)) for other in calls.get(name, ()) if not is_elsewhere(other)]
    depth, chain = max(chains, default=(0, []))
    return depth + size[name], [name, *chain]


def constant(file, pattern):
    return int(re.search(pattern, file.read_text())[1])


def main():
    directory, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    room = constant(sources / "small_stack.cpp", r"needed = (\d+);")
    offsets = sources / "frame_offsets.h"
    below = constant(offsets, r"#define RED_ZONE (\d+)") + constant(offsets, r"#define FRAME_SIZE (\d+)")  # entry.S's
    size, calls = read(directory)
    if not size:
        sys.exit(f"no *.ci in {directory}")
    worst, chain = max(longest(root, size, calls) for root in ROOTS)
    print(f"{worst} bytes and {below} of {room}:", *(f"  {size[name]:4} {name}" for name in chain), sep="\n")
    return 0 if worst + below <= room else 1


if __name__ == "__main__":
    sys.exit(main())

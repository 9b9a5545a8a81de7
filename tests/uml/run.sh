#!/bin/bash
# Runs a command below a kernel of its own, as root, on this host's file system: Debian's user-mode-linux, a Linux that
# is a process of this user. What it is for: tests of cgroup v2 on hosts that have another one, or whose cgroups nobody
# may change, without any privilege outside.
#
#   tests/uml/run.sh COMMAND [ARGUMENT...]
#
# Inside: the root file system is this host's, read-only, as this user may read it; /tmp, /run and /dev/shm are empty and
# can be written to, but what lies there of this source tree and of the current directory is to be seen. The environment
# is the caller's, HOME is an empty directory. cgroup2 is on /sys/fs/cgroup, with cpu, io, memory and pids enabled for
# groups below the root. One processor. Standard input is empty; both output streams come out as one.
#
# Exit status: the command's. 125: it couldn't be run, or the kernel ended before it did; 124: this machine doesn't run such
# a kernel at all (Linux 6.1's has no room for the registers of some newer processors). The reason is on standard error. CTR_UML_MEMORY (512M) and CTR_UML_TIMEOUT (seconds, 900) may be set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

fail() {
    echo "uml: $*" >&2
    exit 125
}

[[ $# -gt 0 ]] || fail "no command: tests/uml/run.sh COMMAND [ARGUMENT...]"
kernel=$(command -v linux.uml) || fail "linux.uml isn't here: apt-get install user-mode-linux"

call=$(mktemp -d "${TMPDIR:-/tmp}/ctr-uml-XXXXXX")
trap 'rm -rf "$call"' EXIT
mkdir "$call/kernel"
# The kernel's command line is short; what is to be done is written down for init.
{
    echo "top=$(printf %q "${here%/tests/uml}")"
    echo "directory=$(printf %q "$PWD")"
    echo "command=($(printf '%q ' "$@"))"
    export -p
} >"$call/call"

# The console of the kernel is a file; the command's is descriptor 3, by a terminal of its own. TMPDIR: where the kernel
# keeps the machine's memory.
outcome=0
TMPDIR=${TMPDIR:-/tmp} timeout -k 5 "${CTR_UML_TIMEOUT:-900}" "$kernel" root=/dev/root rootfstype=hostfs ro \
    mem="${CTR_UML_MEMORY:-512M}" uml_dir="$call/kernel" umid=ctr init="$here/init.sh" CTR_UML_CALL="$call" \
    con=null con0=null,fd:1 con1=null,fd:3 3>&1 >"$call/console" 2>&1 </dev/null || outcome=$?

if [[ -s $call/status ]]; then
    exit "$(cat "$call/status")"
fi
tail -n 20 "$call/console" >&2
if [[ ! -e $call/begun && $outcome -ne 124 && $outcome -ne 137 ]]; then
    echo "uml: the kernel ended (status $outcome) before its first process began; above, the end of what it said" >&2
    exit 124
fi
[[ $outcome -ne 124 && $outcome -ne 137 ]] || fail "it took more than ${CTR_UML_TIMEOUT:-900} seconds"
fail "the kernel ended (status $outcome) before the command did; above, the end of what it said"

#!/bin/bash
# Process 1 of the machine that run.sh starts: makes it as run.sh says, runs the command, and halts.
set -uo pipefail

# Whatever happens, process 1 must not just end: the kernel would panic.
finish() {
    sync
    poweroff -f
    sleep 60
}
trap finish EXIT
set -e

source "$CTR_UML_CALL/call"
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o mode=755 run /run
mkdir /run/call /run/top /run/directory
# The one place of the host that is written to.
mount -t hostfs -o "$CTR_UML_CALL" call /run/call
: >/run/call/begun

# What the empty /tmp is about to hide.
mount --bind "$top" /run/top
mount --bind "$directory" /run/directory
mount -t tmpfs -o mode=1777 tmp /tmp
for kept in top directory; do
    [[ -d ${!kept} ]] || mkdir -p "${!kept}"
    mount --bind "/run/$kept" "${!kept}"
    umount "/run/$kept"
done
rmdir /run/top /run/directory

mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 pts /dev/pts
ln -sf pts/ptmx /dev/ptmx
mount -t tmpfs -o mode=1777 shm /dev/shm
ln -sfn /proc/self/fd /dev/fd
for standard in stdin:0 stdout:1 stderr:2; do
    ln -sf "/proc/self/fd/${standard#*:}" "/dev/${standard%:*}"
done

# Loop devices are a module of this kernel, and not every host has the programs that load one.
perl -e 'open my $module, "<", $ARGV[0] or die "$ARGV[0]: $!"; my ($finit_module, $none) = (313, "");
    syscall($finit_module, fileno $module, $none, 0) == 0 or die "load $ARGV[0]: $!";' \
    "/usr/lib/uml/modules/$(uname -r)/kernel/drivers/block/loop.ko"

mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo "+cpu +io +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control
ip link set lo up

unset CTR_UML_CALL TMPDIR
export HOME=/tmp/home
mkdir "$HOME"
cd "$directory"
stty raw </dev/tty1
set +e
# A session of its own, as the command of a shell has it.
setsid --wait "${command[@]}" </dev/null 2>&1 | cat >/dev/tty1
echo "${PIPESTATUS[0]}" >/run/call/status

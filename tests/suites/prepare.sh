#!/bin/bash
# Makes a Debian 12 root file system with everything that the suites run, once: prepare.sh DIRECTORY
# DIRECTORY/root is that file system; it is complete when it is there. Takes root, 3 GiB and a Debian mirror.
set -euo pipefail
directory=$1
mirror=${CTR_SUITES_MIRROR:-http://deb.debian.org/debian}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

packages=(bash dash perl python3 libpython3.11-testsuite stress-ng procps psmisc htop lsof strace gdb busybox-static
    gcc libc6-dev make bison git tmux openssh-server openssh-client postgresql nginx-light nodejs
    openjdk-17-jdk-headless golang-go curl dpkg-dev ca-certificates)
sources=(bash perl)

new=$directory/root.new
inside() { chroot "$new" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
clean() { ! mountpoint -q "$new/proc" || umount "$new/proc"; }

[[ ! -d $directory/root ]] || exit 0
[[ $EUID -eq 0 ]] || { echo "prepare: debootstrap takes root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "prepare: install debootstrap first" >&2; exit 1; }
mkdir -p "$directory"
trap clean EXIT
clean
rm -rf "$new"
debootstrap --variant=minbase bookworm "$new" "$mirror"
printf 'deb %s bookworm main\ndeb-src %s bookworm main\n' "$mirror" "$mirror" >"$new/etc/apt/sources.list"
cp /etc/resolv.conf "$new/etc/resolv.conf"
# Packages are not to start their services.
printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
chmod +x "$new/usr/sbin/policy-rc.d"
mount -t proc proc "$new/proc"
inside apt-get update -q
inside apt-get install -y -q --no-install-recommends "${packages[@]}"
mkdir -p "$new/src"
inside bash -c "cd /src && apt-get source -q --download-only ${sources[*]}"
inside bash -c 'cd /src && for d in *.dsc; do dpkg-source --no-check -x "$d" "${d%%_*}"; done && rm -f ./*.tar.* ./*.dsc'
inside bash -s <"$here/prepare_sources.sh"
clean
mv "$new" "$directory/root"

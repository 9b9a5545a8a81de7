// Shell scripts that are measured.
#pragma once

namespace ctr::bench {

// Makes a file system (ext2) on $1 and on $2 in parallel. What that writes are tables of inodes, an eighth of
// the device, and maps. The kernel's shortcut for zeros isn't writing and is avoided.
inline constexpr const char* mkfs_both = R"(
UNIX_IO_NOZEROOUT=1; export UNIX_IO_NOZEROOUT; PATH=$PATH:/usr/sbin:/sbin; status=0
make_one() { mkfs.ext2 -q -F -b 1024 -i 2048 -E nodiscard,lazy_itable_init=0 "$1"; }
make_one "$1" & first=$!
make_one "$2" || status=$?
wait $first || status=$?
exit $status)";

// $1: the size of two files that take the place of devices; comes before mkfs_both.
inline constexpr const char* two_files = R"(directory=$(mktemp -d) || exit
trap 'rm -rf "$directory"' EXIT
truncate -s "$1" "$directory/a" "$directory/b" || exit
set -- "$directory/a" "$directory/b")";

// $1: seconds, $2: clients.
inline constexpr const char* dbench_script = R"(directory=$(mktemp -d) || exit
trap 'rm -rf "$directory"' EXIT
dbench -t "$1" -D "$directory" "$2")";

// Likewise. The server's port is 7003; it is asked for once the kernel says that somebody listens there.
inline constexpr const char* tbench_script = R"(tbench_srv >/dev/null & server=$!
trap 'kill $server; wait $server' EXIT
until grep -q ':1B5B 00000000:0000 0A' /proc/net/tcp; do kill -0 $server || exit; sleep 0.05; done
tbench -t "$1" "$2" 127.0.0.1)";

}  // namespace ctr::bench

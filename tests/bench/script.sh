# What UnixBench's shell rows do: a few filters, pipes and files, in the directory $1.
sort "$0" > "$1/sorted"
od "$1/sorted" | sort -n -k 1 > "$1/dumped"
grep the "$1/sorted" | tee "$1/found" | wc > "$1/counted"
rm -f "$1/sorted" "$1/dumped" "$1/found" "$1/counted"

# The same job control, traps and waits in three shells.
limit=60

cases() { printf '%s\n' dash bash busybox; }

run_case() {
    local shell=("$1")
    [[ $1 != busybox ]] || shell=(busybox sh)
    # A terminal, without which some shells have no job control.
    mkfifo /tmp/in
    sleep 50 >/tmp/in &
    script -qec "${shell[*]} $place/suite/shells/jobs.sh '${shell[*]}'" /dev/null </tmp/in >/tmp/out
    local status=$?
    kill $!
    # What a shell says about its jobs comes at any time.
    tr -d '\r' </tmp/out | grep -vE 'Terminated|^\['
    return "$status"
}

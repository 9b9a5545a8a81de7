# perl's own tests of processes and signals, with the installed perl.
limit=180

cases() {
    printf '%s\n' op/fork op/kill0 op/sigdispatch op/alarm op/exec op/getpid op/getppid op/die_exit op/die_unwind \
        op/magic op/sleep op/stat op/groups op/closure op/threads op/sselect op/sigsystem io/pipe io/dup \
        io/fs io/open io/argv io/perlio_open io/socketpair io/socket io/sem io/shm io/msg io/inplace run/exit run/runenv run/fresh_perl run/switches
}

run_case() {
    cd /src/perl/t || return
    [[ -e $1.t ]] || { echo "not there"; return; }
    # What a test says about itself (#) holds numbers and times.
    perl "$1.t" </dev/null 2>/tmp/err | grep -aE '^(ok|not ok|Bail|[0-9]+\.\.)' | sed -E 's/0x[0-9a-f]+/ADDRESS/g' |
        sed -E 's/(pid|process) [0-9]+/\1 N/g; s/ \(.*//'
    local status=${PIPESTATUS[0]}
    cat /tmp/err >&2
    return "$status"
}

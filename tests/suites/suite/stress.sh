# stress-ng's stressors that create, signal, trace or look at processes, with its own checks (--verify).
limit=120

cases() {
    printf '%s\n' fork vfork vforkmany forkheavy clone daemon zombie exec exit-group spawn kill sigq signal sigabrt \
        sigchld sigfd sigfpe sigio signest sigpending sigpipe sigrt sigsegv sigsuspend sigtrap wait waitcpu pidfd \
        procfs pthread schedpolicy resched affinity nice ioprio timer timerfd itimer alarm nanosleep session \
        switch ptrace set get dup resources pipe fifo mq msg sem sem-sysv shm-sysv kcmp locka lockf lockofd flock \
        lease fcntl unshare sock sockpair sockfd netlink-task netlink-proc mmapfork cap env io-uring hrtimers futex \
        mutex loadavg enosys sysinfo pty vm-rw close yield mixed-births mixed-signals mixed-looks
}

run_case() {
    local seconds=${CTR_SUITES_SECONDS:-5}
    cd /tmp || return
    local stressors=("--$1" 2)
    case $1 in
        mixed-births) stressors=(--fork 1 --vfork 1 --clone 1 --exec 1 --spawn 1 --daemon 1 --zombie 1 --session 1 --pthread 1) ;;
        mixed-signals) stressors=(--kill 1 --sigq 1 --sigchld 1 --sigfd 1 --sigrt 1 --wait 1 --fork 1 --sigsuspend 1 --itimer 1 --pidfd 1) ;;
        mixed-looks) stressors=(--procfs 1 --ptrace 1 --fork 1 --exec 1 --get 1 --kcmp 1 --schedpolicy 1 --clone 1 --exit-group 1) ;;
    esac
    # These two refuse to run as root, and count as a success then.
    local as=()
    [[ " ${stressors[*]} " != *exec\ * && " ${stressors[*]} " != *spawn\ * ]] ||
        as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    chmod 1777 /tmp
    "${as[@]}" stress-ng "${stressors[@]}" --timeout "${seconds}s" --verify --no-rand-seed --oomable >/tmp/out 2>&1 </dev/null
    local status=$?
    cat /tmp/out >&2
    # How often it ran is no fact; that something failed, or couldn't run, is one.
    sed -E 's/^stress-ng: ([a-z]+): +\[[0-9]+\] /\1: /' /tmp/out |
        grep -E '^(fail|error|warn): |skip|unsupported|unsuccessful|not implemented|passed|failed' |
        sed -E 's/\([0-9.]+ secs\)//; s/[0-9]+\.[0-9]+s.*//' | numbers | sort -u
    return "$status"
}

# stress-ng's stressors that create, signal, trace or look at processes, with its own checks (--verify).
limit=120

cases() {
    printf '%s\n' fork vfork vforkmany forkheavy clone daemon zombie exec exit-group spawn kill sigq signal sigabrt \
        sigchld sigfd sigfpe sigio signest sigpending sigpipe sigrt sigsegv sigsuspend sigtrap wait waitcpu pidfd \
        procfs pthread schedpolicy resched affinity nice ioprio timer timerfd itimer alarm nanosleep session \
        switch ptrace set get dup resources pipe fifo mq msg sem sem-sysv shm-sysv kcmp locka lockf lockofd flock \
        lease fcntl unshare sock sockpair sockfd netlink-task netlink-proc mmapfork cap env io-uring hrtimers futex \
        mutex loadavg enosys sysinfo pty vm-rw close yield
}

run_case() {
    local seconds=${CTR_SUITES_SECONDS:-5}
    cd /tmp || return
    stress-ng "--$1" 2 --timeout "${seconds}s" --verify --no-rand-seed --oomable >/tmp/out 2>&1 </dev/null
    local status=$?
    cat /tmp/out >&2
    # How often it ran is no fact; that something failed, or couldn't run, is one.
    sed -E 's/^stress-ng: ([a-z]+): +\[[0-9]+\] /\1: /' /tmp/out |
        grep -E '^(fail|error|warn): |skipped|unsuccessful|not implemented|passed|failed' |
        sed -E 's/\([0-9.]+ secs\)//; s/[0-9]+\.[0-9]+s.*//' | numbers | sort -u
    return "$status"
}

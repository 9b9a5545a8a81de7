# CPython's own tests of processes, signals and terminals: the outcome of each test method.
limit=400

cases() {
    printf '%s\n' test_fork1 test_wait3 test_wait4 test_popen test_pty test_threadsignals test_posix test_signal \
        test_subprocess test_os test_asyncio.test_subprocess test_asyncio.test_unix_events test_faulthandler \
        test_multiprocessing_fork test_multiprocessing_spawn test_multiprocessing_forkserver test_multiprocessing_main_handling \
        test_concurrent_futures test_threading test_socket test_resource test_fcntl test_select test_selectors test_epoll test_tempfile \
        test_pdb test_gdb test_eintr test_mailbox test_logging test_getpass test_ioctl test_openpty test_tty
}

run_case() {
    # Some want a terminal to control, some compare what a debugger or a locale says.
    mkdir -p /tmp/work && cd /tmp/work || return
    python3 -m test -u none -v --timeout 300 --junit-xml /tmp/result.xml "$1" >&2
    local status=$?
    python3 - <<'PYTHON'
import re, xml.etree.ElementTree as tree
outcomes = []
for case in tree.parse("/tmp/result.xml").iter("testcase"):
    kind = "ok"
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            kind = child.tag
    outcomes.append(f"{kind:8} {case.get('name')}")
print("\n".join(sorted(re.sub(r"0x[0-9a-f]+", "ADDRESS", line) for line in outcomes)))
PYTHON
    return "$status"
}

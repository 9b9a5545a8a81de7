# Debian's package manager: many short processes, sandboxed downloaders, maintainer scripts, a terminal of its own.
limit=300

cases() { printf '%s\n' update install upgrade remove reinstall; }

run_case() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || { echo "skipped: no mirror"; return; }
    case $1 in
        update) fact lists "$(ls /var/lib/apt/lists | grep -c Packages)" ;;
        install)
            apt-get install -y -q --no-install-recommends sl bc cron >&2
            fact apt $?
            fact result "$(echo '6*7' | bc)"
            dpkg -s cron | grep Status
            ;;
        upgrade)
            apt-get -y -q upgrade >&2
            fact apt $?
            dpkg --audit
            ;;
        remove)
            apt-get -y -q remove --purge htop >&2
            fact apt $?
            command -v htop || fact htop gone
            ;;
        reinstall)
            apt-get -y -q install --reinstall openssh-server bash procps >&2
            fact apt $?
            ;;
    esac
}

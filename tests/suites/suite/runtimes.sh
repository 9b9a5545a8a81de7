# Language runtimes that look at processes by number.
limit=120

cases() { printf '%s\n' node node-cluster java perl-ipc python-pools; }

run_case() {
    mkdir -p /tmp/work && cd /tmp/work || return
    case $1 in
        node) node "$place/suite/runtimes/children.js" ;;
        node-cluster) node "$place/suite/runtimes/cluster.js" ;;
        java)
            cp "$place/suite/runtimes/Processes.java" .
            javac Processes.java 2>&1 && java -Xshare:auto Processes
            fact java $?
            jcmd -l 2>/dev/null | grep -c JCmd
            ;;
        perl-ipc) perl "$place/suite/runtimes/ipc.pl" ;;
        python-pools) python3 "$place/suite/runtimes/pools.py" ;;
    esac
}

# Language runtimes that look at processes by number.
limit=120

cases() { printf '%s\n' node node-cluster java java-attach perl-ipc python-pools; }

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
        java-attach) # signals it, and meets it at a socket below /proc/PID/root whose name holds its number
            echo 'class Sleeper { public static void main(String[] a) throws Exception { Thread.sleep(60000); } }' >Sleeper.java
            javac Sleeper.java
            java Sleeper >/dev/null & local sleeper=$!
            sleep 2
            fact listed "$(jps | grep -c "^$sleeper Sleeper")"
            jcmd $sleeper VM.version | sed "s/^$sleeper:/right/"
            fact jstack "$(jstack $sleeper | grep -c 'Sleeper.main')"
            kill $sleeper
            wait $sleeper
            fact ended $?
            ;;
        perl-ipc) perl "$place/suite/runtimes/ipc.pl" ;;
        python-pools) python3 "$place/suite/runtimes/pools.py" ;;
    esac
}

# Programs that show, find, signal and trace processes.
limit=60

cases() {
    printf '%s\n' ps top pgrep pkill killall pstree htop lsof fuser pidof uptime free vmstat watch pmap \
        prlimit taskset renice ionice chrt flock nsenter unshare setsid timeout xargs nohup time wait-n busybox \
        strace strace-attach strace-count gdb gdb-attach gdb-fork family \
        strace-threads strace-attach-threads gdb-threads gcore cp user
}

run_case() {
    mkdir -p /tmp/work && cd /tmp/work || return
    local me=$BASHPID
    sleep 4321 & local sleeper=$!
    (exec -a tail-of-story tail -f /dev/null) & local tail=$!
    sleep 0.3
    case $1 in
        ps)
            ps -e -o comm= | sort | grep -vE '^(sort|ps|grep)$'
            fact "the sleeper" "$(ps -o comm= -p $sleeper)"
            fact "its parent" "$([[ $(ps -o ppid= -p $sleeper) -eq $me ]] && echo right)"
            fact "process 1" "$(ps -o comm= -p 1)"
            fact "nobody" "$(ps -o comm= -p 31999)"
            fact "itself" "$(ps -o comm= -C ps)"
            fact "children" "$(ps --ppid $me -o comm= | sort | tr '\n' ' ')"
            fact forest "$(ps -e --forest -o args= | grep -c 'sleep 4321')"
            fact threads "$(ps -eL -o comm= | grep -c sleep)"
            fact "ps aux" "$(ps aux | grep -c '[s]leep 4321')"
            fact "namespaced" "$(ps -o pgid=,sid=,tpgid= -p $sleeper | wc -w)"
            ;;
        top) top -b -n 1 | sed '1,7d' | awk 'NF {print $NF}' | sort | uniq | grep -vE '^(sort|top|awk|sed|uniq|grep)$' ;;
        pgrep)
            fact by-name "$([[ $(pgrep -x sleep) == "$sleeper" ]] && echo right)"
            fact by-parent "$(pgrep -P $me | wc -l)"
            fact by-arguments "$([[ $(pgrep -f 'sleep 432[1]') == "$sleeper" ]] && echo right)"
            fact newest "$([[ $(pgrep -n tail) == "$tail" ]] && echo right)"
            fact by-session "$(pgrep -s 0 -c)"
            fact none "$(pgrep -c nobodyhere)"
            ;;
        pkill)
            pkill -f 'sleep 432[1]'
            fact pkill $?
            wait $sleeper
            fact "the sleeper" $?
            pkill -x nobodyhere
            fact nobody $?
            ;;
        killall)
            killall -w sleep
            fact killall $?
            wait $sleeper
            fact "the sleeper" $?
            killall -0 tail
            fact "tail" $?
            ;;
        pstree) pstree -A >tree; tr -s ' ' <tree ;;
        htop)
            mkfifo in
            sleep 3 >in &
            script -qec 'stty rows 40 cols 120; timeout --foreground 2 htop -d 2' /tmp/screen >/dev/null <in
            fact "htop shows it" "$(tr -d '\0' </tmp/screen | grep -aoE 'sleep|4321' | sort -u | wc -l)"
            ;;
        lsof)
            fact "by number" "$(lsof -p $tail -a -d cwd 2>/dev/null | awk 'NR == 2 {print $1, $NF}')"
            echo x >/tmp/work/open
            sleep 60 3<open & local holder=$!
            sleep 0.2
            fact "by file" "$([[ $(lsof -t /tmp/work/open) == "$holder" ]] && echo right)"
            ;;
        fuser)
            echo x >/tmp/work/open
            sleep 60 3<open & local holder=$!
            sleep 0.2
            fact "by file" "$([[ $(fuser /tmp/work/open 2>/dev/null) -eq $holder ]] && echo right)"
            fuser -k -TERM /tmp/work/open >/dev/null 2>&1
            wait $holder
            fact killed $?
            ;;
        pidof) fact pidof "$([[ $(pidof tail-of-story tail) == "$tail" ]] && echo right)" ;;
        uptime) uptime | numbers | grep -oE 'load average' ;;
        free) fact free "$(free | wc -l)" ;;
        vmstat) fact vmstat "$(vmstat 1 2 | wc -l)" ;;
        watch) timeout --foreground 2 script -qec 'watch -n 0.5 echo seen' /tmp/screen >/dev/null </dev/null; grep -ac seen /tmp/screen | sed 's/[1-9][0-9]*/yes/' ;;
        pmap) pmap $tail | tail -1 | grep -c total; pwdx $tail | sed "s/^$tail:/right:/" ;;
        prlimit)
            prlimit --pid $sleeper --nofile=77
            prlimit --pid $sleeper --nofile --noheadings -o SOFT,HARD
            prlimit --pid 31999 --nofile 2>&1 | sed 's/.*: //'
            ;;
        taskset) taskset -cp 0 $sleeper | sed "s/$sleeper/N/"; taskset -p $$ >/dev/null; fact self $?; taskset -p 31999 2>&1 | sed 's/.*: //' ;;
        renice)
            renice -n 5 -p $sleeper | sed "s/$sleeper/N/"
            fact nice "$(ps -o ni= -p $sleeper)"
            renice -n 6 -g "$(ps -o pgid= -p $sleeper | tr -d ' ')" | sed 's/^[0-9]*/N/'
            renice -n 5 -p 31999 2>&1 | sed 's/.*: //'
            ;;
        ionice) ionice -c 3 -p $sleeper; ionice -p $sleeper; ionice -p 31999 2>&1 | sed 's/.*: //' ;;
        chrt) chrt -p $sleeper | sed "s/pid $sleeper/N/"; chrt -b -p 0 $sleeper; chrt -p $sleeper | sed "s/pid $sleeper/N/" ;;
        flock) flock /tmp/work/lock sh -c 'flock -n /tmp/work/lock true; echo $?'; fact locks "$(lslocks -n -o COMMAND 2>/dev/null | wc -l)" ;;
        nsenter)
            nsenter -t $sleeper -m true 2>&1 | sed 's/.*: //'
            fact links "$([[ $(readlink /proc/$sleeper/ns/pid) == "$(readlink /proc/self/ns/pid)" ]] && echo same)"
            lsns -n -t pid 2>/dev/null | wc -l
            ;;
        unshare)
            unshare --user --map-root-user --pid --fork sh -c 'echo $$; sh -c "echo \$\$ \$PPID"' 2>&1
            fact unshare $?
            unshare --user --map-root-user --pid --fork --mount-proc sh -c 'ps -e -o pid=,comm= | tr -s " "' 2>&1
            fact "with /proc" $?
            ;;
        setsid) setsid -w sh -c '[ "$(ps -o sid= -p $$)" -eq $$ ] && echo leads; exit 4'; fact setsid $? ;;
        timeout)
            timeout 0.3 sleep 60; fact timeout $?
            timeout -s KILL 0.3 sleep 60; fact killed $?
            timeout -k 0.3 0.3 sh -c 'trap "" TERM; while :; do sleep 0.1; done'; fact "killed later" $?
            timeout --foreground 0.3 sleep 60; fact foreground $?
            timeout 5 sh -c 'exit 6'; fact status $?
            ;;
        xargs) seq 1 60 | xargs -P 4 -n 1 sh -c 'echo $(($0 * 2))' | sort -n | tail -1; seq 3 | xargs -n 1 sh -c 'exit $0'; fact xargs $? ;;
        nohup) nohup sh -c 'kill -HUP $$; echo still here' 2>/dev/null; fact nohup $? ;;
        time) bash -c 'time sleep 0.1' 2>&1 | numbers ;;
        wait-n) bash -c 'for i in 1 2 3; do sleep 0.$i & done; wait -n; echo $?; wait -p who -n; [[ -n $who ]] && echo who; wait' ;;
        busybox)
            fact ps "$(busybox ps | grep -c '[s]leep 4321')"
            fact pidof "$([[ $(busybox pidof sleep) == "$sleeper" ]] && echo right)"
            fact pgrep "$([[ $(busybox pgrep -f 'sleep 432[1]') == "$sleeper" ]] && echo right)"
            fact top "$(busybox top -b -n 1 | grep -c '[s]leep 4321')"
            busybox kill $sleeper; wait $sleeper; fact kill $?
            busybox sh -c 'echo a | busybox cat; sleep 5 & kill %1; wait; busybox timeout 1 sleep 5; echo $?'
            busybox start-stop-daemon -S -b -m -p /tmp/b.pid -x /bin/sleep -- 50; fact start $?
            sleep 0.3
            busybox start-stop-daemon -K -p /tmp/b.pid; fact stop $?
            ;;
        strace)
            compile family
            strace -f -qq -e trace=process,getpid,kill -e signal=all -o trace ./family
            fact strace $?
            grep -oE '(clone3?|v?fork|wait4|exit_group|getpid|kill|execve)\(' trace | sort | uniq -c | tr -s ' '
            fact "processes" "$(awk '{print $1}' trace | sort -u | wc -l)"
            fact "the child's number" "$([[ $(awk 'NR==1 {print $1}' trace) -eq $(sed -nE 's/.*getpid\(\) += ([0-9]+)/\1/p' trace | head -1) ]] && echo agrees)"
            strace -f -o /dev/null sh -c 'for i in 1 2 3 4 5; do (exit $i); echo $?; done | cat; sleep 0.1 & wait $!; echo "waited $?"'
            fact shell $?
            ;;
        strace-attach)
            strace -qq -p $sleeper -o trace & local tracer=$!
            sleep 0.5
            kill $sleeper
            wait $tracer
            fact strace $?
            numbers <trace | grep -oE 'SIGTERM|clock_nanosleep'
            strace -p 31999 2>&1 | sed 's/.*: //' | numbers
            ;;
        strace-count) strace -c -f -o trace sh -c 'true | true; (true)'; fact strace $?; grep -oE 'execve|wait4' trace | sort ;;
        gdb)
            compile family
            gdb -batch -nx -ex 'handle SIGUSR1 nostop noprint' -ex 'break child' -ex 'set follow-fork-mode child' -ex 'set detach-on-fork on' -ex run -ex backtrace -ex continue ./family 2>&1 |
                grep -E '^(#|.*hit Breakpoint|\[Inferior)' | numbers
            ;;
        gdb-attach)
            compile family
            ./family wait & local family=$!
            sleep 0.3
            gdb -batch -nx -p $family -ex 'print number' -ex 'info inferiors' -ex detach 2>&1 | grep -E '^(\$1|\* 1|ptrace|\[Inferior)' |
                sed -E "s/\b$family\b/NUMBER/g"
            kill $family
            ;;
        gdb-fork)
            compile family
            gdb -batch -nx -ex 'set detach-on-fork off' -ex 'set schedule-multiple on' -ex 'catch fork' -ex run -ex 'info inferiors' -ex 'handle SIGUSR1 nostop noprint' -ex continue -ex continue ./family 2>&1 |
                grep -E '^(Catchpoint|\[Inferior|\[Attaching)' | numbers
            ;;
        strace-threads)
            compile threads -pthread
            strace -f -qq -o trace ./threads
            fact strace $?
            fact "exits" "$(grep -c 'exited with\|exit_group(\| exit(' trace)"
            fact "processes and threads" "$(awk '{print $1}' trace | sort -u | wc -l)"
            ;;
        strace-attach-threads)
            compile threads -pthread
            ./threads 1 & local threads=$!
            sleep 0.3
            strace -f -qq -p $threads -o trace
            wait $threads
            fact threads $?
            fact "processes and threads" "$(awk '{print $1}' trace | sort -u | wc -l)"
            ;;
        gdb-threads)
            compile threads -pthread
            gdb -batch -nx -ex 'break _exit' -ex 'set follow-fork-mode parent' -ex run -ex 'info inferiors' ./threads 2>&1 |
                grep -E '^(threads|\[Inferior)' | numbers
            python3 -c 'import threading, time; [threading.Thread(target=time.sleep, args=(20,)).start() for _ in range(3)]' & local python=$!
            sleep 0.5
            fact "threads" "$(gdb -batch -nx -p $python -ex 'thread apply all backtrace 1' 2>/dev/null | grep -c '^Thread')"
            fact "LWP of the leader" "$(gdb -batch -nx -p $python -ex 'info threads' 2>/dev/null | grep -c "LWP $python\b")"
            kill $python
            wait $python
            fact "ended" $?
            ;;
        gcore)
            gcore -o core $tail >/dev/null 2>&1
            fact gcore $?
            fact "names the process" "$([[ -e core.$tail ]] && echo right)"
            kill $tail
            wait $tail
            fact "goes on after it" $?
            ;;
        cp) # which makes sure that it has opened what it had looked at
            cp /proc/self/status /proc/loadavg /proc/$tail/stat . 2>&1
            fact cp $?
            fact same "$(cut -d ' ' -f 1-3 stat | sed "s/^$tail /right /")"
            tar -cf status.tar /proc/$tail/status 2>/dev/null
            fact lines "$(grep -c . status)"
            ;;
        user) # who isn't root
            setpriv --reuid 65534 --regid 65534 --clear-groups sh -c '
                sleep 50 & ps -o comm= -p $!
                cat /proc/1/environ 2>&1 >/dev/null
                readlink /proc/1/exe || echo denied
                strace -o /tmp/user.trace true; echo $?
                kill 1 2>&1 | grep -o "Operation not permitted"
                renice -n 5 -p 1 2>&1 | grep -o "Operation not permitted"
                grep -c . /proc/1/status | sed "s/.*/readable/"
                kill -9 $!' 2>/dev/null
            ;;
        family) compile family; ./family; fact family $? ;;
    esac
    kill $sleeper $tail 2>/dev/null
    return 0
}

compile() { gcc -g "${@:2}" -o "$1" "$place/suite/tools/$1.c" || echo "doesn't compile"; }

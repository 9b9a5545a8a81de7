# Daemons that write their number into a file and are stopped by it.
limit=120

cases() { printf '%s\n' sshd postgres nginx tmux script start-stop-daemon; }

run_case() {
    mkdir -p /tmp/work && cd /tmp/work || return
    case $1 in
        sshd)
            mkdir -p /run/sshd /root/.ssh
            chmod 700 /root/.ssh
            ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub /root/.ssh/authorized_keys
            /usr/sbin/sshd -p 2222 -o ListenAddress=127.0.0.1 -o PidFile=/tmp/sshd.pid -E /tmp/sshd.log
            fact start $?
            until_true test -s /tmp/sshd.pid
            local ssh=(ssh -p 2222 -i key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1)
            "${ssh[@]}" 'echo "hello from $(id -un)"; exit 7'
            fact command $?
            "${ssh[@]}" -tt 'tty | sed "s/[0-9]*$//"; ps -o comm= -p $$; sleep 60 & kill %1; wait; echo done' | tr -d '\r' | grep -v Terminated
            fact terminal "${PIPESTATUS[0]}"
            local i
            for i in 1 2 3 4 5; do "${ssh[@]}" true; fact "again" $?; done
            kill "$(cat /tmp/sshd.pid)"
            fact kill $?
            until_true test ! -e /tmp/sshd.pid
            fact "its file is gone" $?
            ! "${ssh[@]}" true 2>/dev/null
            fact "nobody listens" $?
            cat /tmp/sshd.log >&2
            ;;
        postgres)
            local bin=/usr/lib/postgresql/15/bin
            chown postgres /tmp/work
            mkdir -p /var/run/postgresql && chown postgres /var/run/postgresql
            as() { setpriv --reuid postgres --regid postgres --clear-groups env HOME=/tmp/work PATH="$bin:$PATH" "$@"; }
            as initdb -D /tmp/work/data -A trust >/tmp/initdb.log 2>&1
            fact initdb $?
            as pg_ctl -D /tmp/work/data -w -t 30 -o '-p 5433 -c listen_addresses=' -l /tmp/work/log start >/dev/null
            fact start $?
            as psql -p 5433 -d postgres -Atc 'select 6*7; create table t(x int); insert into t select generate_series(1,1000); select sum(x) from t;'
            fact "pid is the file's" "$(as psql -p 5433 -d postgres -Atc "select pg_backend_pid() > 0")"
            # A backend is cancelled and terminated by number, from another one.
            (as psql -p 5433 -d postgres -Atc "select pg_sleep(60)" >cancelled 2>&1) &
            until_true bash -c "[[ \$(setpriv --reuid postgres psql -p 5433 -d postgres -Atc \"select count(*) from pg_stat_activity where query like 'select pg_sleep%'\") == 1 ]]"
            as psql -p 5433 -d postgres -Atc "select pg_cancel_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'"
            wait $!
            cat cancelled
            as pgbench -p 5433 -i -q postgres >/dev/null 2>&1
            as pgbench -p 5433 -c 4 -j 2 -t 100 postgres 2>/dev/null | grep -E 'actually|failed'
            as pg_ctl -D /tmp/work/data status >/dev/null
            fact status $?
            as pg_ctl -D /tmp/work/data -w reload >/dev/null
            fact reload $?
            as pg_ctl -D /tmp/work/data -w -t 30 stop >/dev/null
            fact stop $?
            as pg_ctl -D /tmp/work/data status >/dev/null
            fact "status when stopped" $?
            as pg_ctl -D /tmp/work/data -w -t 30 -o '-p 5433 -c listen_addresses=' -l /tmp/work/log start >/dev/null
            fact "start again" $?
            kill -INT "$(head -1 /tmp/work/data/postmaster.pid)"
            fact kill $?
            until_true test ! -e /tmp/work/data/postmaster.pid
            fact "its file is gone" $?
            cat /tmp/work/log >&2
            ;;
        nginx)
            cat >nginx.conf <<'CONF'
worker_processes 2;
pid /tmp/work/nginx.pid;
error_log /tmp/work/error.log info;
events { worker_connections 64; }
http {
    access_log off;
    server { listen 127.0.0.1:8099; location / { return 200 "hello\n"; } }
}
CONF
            /usr/sbin/nginx -c /tmp/work/nginx.conf 2>/dev/null # by its path, which it executes again
            fact start $?
            until_true curl -s http://127.0.0.1:8099/
            curl -s http://127.0.0.1:8099/
            local master
            master=$(cat nginx.pid)
            fact workers "$(pgrep -P "$master" | wc -l)"
            sed -i 's/hello/changed/' nginx.conf
            nginx -c /tmp/work/nginx.conf -s reload 2>/dev/null
            fact reload $?
            changed() { [[ $(curl -s http://127.0.0.1:8099/) == changed ]]; }
            until_true changed
            fact "new configuration" $?
            nginx -c /tmp/work/nginx.conf -s reopen 2>/dev/null
            fact reopen $?
            # A new master takes over from the old one, whose number it is told.
            kill -USR2 "$master"
            until_true test -e nginx.pid.oldbin
            fact upgrade $?
            kill -QUIT "$(cat nginx.pid.oldbin)"
            until_true test ! -e nginx.pid.oldbin
            fact "the old one is gone" $?
            curl -s http://127.0.0.1:8099/
            kill "$(cat nginx.pid)"
            fact kill $?
            until_true test ! -e nginx.pid
            fact "its file is gone" $?
            sed -E 's/^[^[]*//; s/[0-9]+#[0-9]+/N/; s/[0-9]+/N/g' error.log | sort >&2
            ;;
        tmux)
            export TERM=screen
            tmux -L t -f /dev/null new-session -d -s s -x 80 -y 24 'bash --norc'
            fact new-session $?
            local shows=(tmux -L t capture-pane -p -t s)
            shows() { "${shows[@]}" | grep -qx "$1"; }
            tmux -L t send-keys -t s 'PS1="> "; clear; echo $((6*7))' Enter
            until_true shows 42
            fact "it calculates" $?
            tmux -L t send-keys -t s 'sleep 60' Enter
            current() { [[ $(tmux -L t display -p -t s '#{pane_current_command}') == "$1" ]]; }
            until_true current sleep
            fact "the program in the foreground" "$(tmux -L t display -p -t s '#{pane_current_command}')"
            tmux -L t send-keys -t s C-z
            until_true current bash
            fact "after ^Z" "$(tmux -L t display -p -t s '#{pane_current_command}')"
            tmux -L t send-keys -t s 'jobs | tr -s " "; fg' Enter
            until_true current sleep
            fact "after fg" "$(tmux -L t display -p -t s '#{pane_current_command}')"
            tmux -L t send-keys -t s C-c
            until_true current bash
            fact "after ^C" "$(tmux -L t display -p -t s '#{pane_current_command}')"
            tmux -L t send-keys -t s 'clear; echo pid $(( $$ > 1 )); [ $PPID = '"$(tmux -L t display -p '#{pid}')"' ] && echo server is parent' Enter
            until_true shows 'server is parent'
            fact "the shell's parent" $?
            fact "the pane's number" "$([[ $(tmux -L t display -p -t s '#{pane_pid}') -gt 1 ]] && echo yes)"
            tmux -L t send-keys -t s 'clear; echo $$ > /tmp/work/number' Enter
            until_true test -s number
            fact "the shell's number is the pane's" "$([[ $(cat number) == "$(tmux -L t display -p -t s '#{pane_pid}')" ]] && echo yes)"
            tmux -L t split-window -t s 'sleep 60'
            fact panes "$(tmux -L t list-panes -t s | wc -l)"
            tmux -L t kill-server
            fact kill-server $?
            sleep 0.5
            ! kill -0 "$(cat number)" 2>/dev/null
            fact "the shell is gone" $?
            ;;
        script) # script(1) gives a shell a terminal, with job control
            printf 'sleep 60 &\njobs\nkill %%1\nwait\necho $((6*7))\nexit 3\n' | script -qec 'bash --norc' /dev/null | tr -d '\r' | grep -cx 42
            fact "script's status" "${PIPESTATUS[1]}"
            ;;
        start-stop-daemon) # start-stop-daemon checks the number's executable and owner
            start-stop-daemon --start --background --make-pidfile --pidfile /tmp/d.pid --exec /bin/sleep -- 60
            fact start $?
            sleep 0.3
            start-stop-daemon --status --pidfile /tmp/d.pid --exec /bin/sleep
            fact status $?
            start-stop-daemon --start --background --make-pidfile --pidfile /tmp/d.pid --exec /bin/sleep -- 60 >/dev/null
            fact "start again" $?
            start-stop-daemon --stop --retry 5 --pidfile /tmp/d.pid --exec /bin/sleep
            fact stop $?
            start-stop-daemon --status --pidfile /tmp/d.pid --exec /bin/sleep
            fact "status when stopped" $?
            ;;
    esac
}

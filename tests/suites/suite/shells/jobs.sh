# POSIX shell; $1 is the command of the shell that runs this.
shell=$1

(exit 3)
echo "status of a subshell: $?"
sleep 60 &
child=$!
kill -0 "$child" && echo "the child is there"
kill "$child"
wait "$child"
echo "status of a killed child: $?"
kill -0 "$child" 2>/dev/null || echo "the child is gone"
wait "$child" 2>/dev/null
echo "waiting for it again: $?"

(exit 1) & a=$!
(exit 2) & b=$!
(exit 4) & c=$!
wait "$b"; echo "b: $?"
wait "$a"; echo "a: $?"
wait "$c"; echo "c: $?"
wait
echo "nobody left: $?"
wait 99999 2>/dev/null
echo "no child of mine: $?"

trap 'echo "got USR1"' USR1
kill -USR1 $$
$shell -c "kill -USR1 $$"
# Until it is in the wait, whenever that is.
trap 'interrupted=yes' USR1
sleep 60 & child=$!
(while sleep 0.3; do kill -USR1 $$; done) & helper=$!
wait "$child"
echo "an interrupted wait: $? $interrupted"
kill "$helper"
wait "$helper" 2>/dev/null
trap - USR1
kill "$child"
wait "$child" 2>/dev/null

trap 'echo "got CHLD"' CHLD
(exit 0) & wait $!
trap - CHLD

trap '' TERM
$shell -c 'kill -TERM $$; echo "ignored signals are inherited"'
trap - TERM
$shell -c 'kill -TERM $$; echo "not reached"'
echo "killed itself: $?"
$shell -c 'trap "echo leaving" EXIT; exit 5'
echo "exit trap: $?"

[ "$($shell -c 'echo $PPID')" = $$ ] && echo "a child's parent is this shell"
[ "$(exec $shell -c 'echo $PPID')" = $$ ] && echo "also after exec"
me=$(sh -c 'echo $PPID')
[ "$me" -gt 0 ] && echo "a subshell has a number"

set -m
sleep 60 & child=$!
kill -STOP "$child"
sleep 0.5
jobs >/tmp/jobs
grep -c Stopped /tmp/jobs
kill -CONT "$child"
sleep 0.5
kill -- "-$child" && echo "a job is a group"
sleep 0.5
jobs >/tmp/jobs
kill -0 "$child" 2>/dev/null || echo "a job is gone"
(sleep 60 | sleep 60 | cat) & child=$!
sleep 0.5
kill -- "-$child"
sleep 0.5
kill -0 -- "-$child" 2>/dev/null || echo "all of a job is gone"
set +m

(sleep 0.2; echo "orphan speaks") &
$shell -c '(sleep 0.4; [ "$PPID" != 0 ] && echo "grandchild speaks") & exit 0'
sleep 1
i=0
while [ $i -lt 200 ]; do
    (exit $((i % 7))) || :
    i=$((i + 1))
done
echo "$i subshells"
seq 1 100 | while read -r n; do echo "$n" | cat; done | wc -l
echo "$(echo "$(echo "$(echo deep)")")"

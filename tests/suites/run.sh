#!/bin/bash
# Runs real programs and their own test suites in containers, and compares what they say under each kind of numbering
# with what they say under the kernel's: run.sh [--modes M,..] [--seconds N] [SUITE[/CASE]...]
set -uo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
directory=${CTR_SUITES_DIR:-$HOME/.cache/ctr-suites}
ctr=${CTR_BIN:-$here/../../build/release/cmd/ctr}
layer=$directory/layer.$$
results=${CTR_SUITES_RESULTS:-$directory/results}
reference=kernel
modes=(flat multi)
seconds=5
again=yes

usage() {
    cat <<'TEXT'
./dev suites [OPTION...] [SUITE[/CASE]...]   CASE may be a pattern
  --modes MODE,...   what to compare with --pidns=kernel: flat,multi (default), list, host, and kernel itself
  --seconds N        how long each stressor of stress-ng runs (default 5)
  --keep             don't run the reference again where there is one
  --list             only name the suites and cases
The root file system is made in $CTR_SUITES_DIR (default ~/.cache/ctr-suites) at the first run.
TEXT
}

fail() {
    echo "suites: $*" >&2
    exit 2
}

suites() { (cd "$here/suite" && printf '%s\n' *.sh | sed 's/\.sh$//'); }
cases_of() { (source "$here/suite/$1.sh" && cases); }
limit_of() { (source "$here/suite/$1.sh" && echo "$limit"); }

# SUITE/CASE, one a line, of what was named.
selected() {
    local name suite case
    for name in "$@"; do
        suite=${name%%/*}
        [[ -e $here/suite/$suite.sh ]] || fail "no such suite: $suite ($(suites | tr '\n' ' '))"
        while read -r case; do
            # shellcheck disable=SC2053
            [[ $name != "$suite" && $case != ${name#*/} ]] || echo "$suite/$case"
        done < <(cases_of "$suite")
    done
}

# What the container of a case that hangs is doing, seen from outside.
describe_processes() { # PID
    local pid list=("$1")
    while ((${#list[@]} > 0)); do
        pid=${list[0]}
        list=("${list[@]:1}" $(cat "/proc/$pid/task/"*/children 2>/dev/null))
        ps -o pid=,ppid=,stat=,wchan:24=,args= -p "$pid" 2>/dev/null | cut -c1-150
    done
}

mounted=
unmount() {
    [[ -n $mounted ]] || return 0
    umount -l "$mounted"
    rm -rf "$layer"
    mounted=
}
running=
stop() {
    [[ -z $running ]] || kill -KILL "$running" 2>/dev/null
    unmount
}
trap stop EXIT
trap 'exit 130' INT TERM

# Each case starts from the same root file system; what it changes is thrown away.
mount_root() {
    unmount
    rm -rf "$layer"
    mkdir -p "$layer/"{upper,work,root} "$layer/upper/suites"
    mount -t overlay overlay -o "lowerdir=$directory/root,upperdir=$layer/upper,workdir=$layer/work" \
        "$layer/root" || fail "can't mount an overlay on $directory/root"
    mounted=$layer/root
    cp -r "$here/inside.sh" "$here/suite" "$mounted/suites/"
    cp /etc/resolv.conf "$mounted/etc/resolv.conf"
}

run_case() { # SUITE CASE MODE FILE
    local suite=$1 case=$2 mode=$3 file=$4 limit waited=0
    limit=$(limit_of "$suite")
    mount_root
    local numbering=(--pidns="$mode")
    [[ $mode != list ]] || numbering=(--pidns=multi --pid-lookup=list)
    "$ctr" run "${numbering[@]}" --rootfs "$mounted" --hostname box --env-clear -e LC_ALL=C.UTF-8 \
        -e "CTR_SUITES_SECONDS=$seconds" -- /bin/bash /suites/inside.sh "$suite" "$case" \
        >"$file.facts" 2>"$file.log" </dev/null &
    running=$!
    while kill -0 "$running" 2>/dev/null; do
        sleep 0.1
        waited=$((waited + 1))
        if ((waited >= limit * 10)); then
            {
                echo "suites: still running after $limit s:"
                describe_processes "$running"
            } >>"$file.log"
            echo "still running after $limit s" >>"$file.facts"
            kill -KILL "$running" 2>/dev/null
            break
        fi
    done
    wait "$running" 2>/dev/null
    local status=$?
    running=
    echo "ctr: exit status $status" >>"$file.facts"
    unmount
}

# Whether a case says the same as the reference has said; if not, PLACE.MODE.diff says what differs.
compared() { # SUITE CASE MODE PLACE
    run_case "$1" "$2" "$3" "$4.$3"
    if diff -u "$4.reference.facts" "$4.$3.facts" >"$4.$3.diff"; then
        rm "$4.$3.diff"
        return 0
    fi
    return 1
}

# Known differences: SUITE/CASE MODE,... REASON, where the first is a pattern.
known_reason() { # SUITE/CASE MODE
    local name mode reason
    while read -r name mode reason; do
        # shellcheck disable=SC2053
        [[ -n $name && $name != '#'* && $1 == $name && ,$mode, == *,$2,* ]] && echo "$reason" && return
    done <"$here/known"
}

list=
names=()
while (($# > 0)); do
    case $1 in
        --modes) IFS=, read -ra modes <<<"$2"; shift ;;
        --seconds) seconds=$2; shift ;;
        --keep) again= ;;
        --list) list=yes ;;
        -h | --help) usage; exit ;;
        -*) usage >&2; fail "no such option: $1" ;;
        *) names+=("$1") ;;
    esac
    shift
done
((${#names[@]} > 0)) || mapfile -t names < <(suites)
chosen=$(selected "${names[@]}") || exit 2
[[ -n $chosen ]] || fail "there is no such case"
if [[ -n $list ]]; then
    echo "$chosen"
    exit
fi
[[ $EUID -eq 0 ]] || fail "the root file system and its layers take root"
[[ -x $ctr ]] || fail "build it first: ./dev build"
if [[ ! -d $directory/root ]]; then
    echo "suites: making $directory/root (two minutes; $directory/prepare.log says more)"
    mkdir -p "$directory"
    bash "$here/prepare.sh" "$directory" >"$directory/prepare.log" 2>&1 ||
        fail "there is no root file system: $(tail -n 3 "$directory/prepare.log")"
fi

unexpected=0
printf '%-42s %-8s %s\n' suite mode outcome
while read -r name; do
    suite=${name%%/*} case=${name#*/}
    place=$results/$suite/${case//\//-}
    mkdir -p "$(dirname "$place")"
    if [[ -n $again || ! -e $place.reference.facts ]]; then
        run_case "$suite" "$case" "$reference" "$place.reference"
    fi
    if grep -q '^skipped: ' "$place.reference.facts"; then
        printf '%-42s %-8s %s\n' "$name" all "$(grep -m1 '^skipped: ' "$place.reference.facts")"
        continue
    fi
    for mode in "${modes[@]}"; do
        if compared "$suite" "$case" "$mode" "$place"; then
            outcome=equal
        else
            reason=$(known_reason "$name" "$mode")
            outcome="differs: ${reason:-$place.$mode.diff}"
            if [[ -z $reason ]]; then
                # A machine under load can be too slow for a case; a race of ours must not go unnoticed.
                mv "$place.$mode.diff" "$place.$mode.first.diff"
                run_case "$suite" "$case" "$reference" "$place.reference"
                if compared "$suite" "$case" "$mode" "$place"; then
                    outcome="equal at the second try: $place.$mode.first.diff"
                else
                    unexpected=$((unexpected + 1))
                fi
            fi
        fi
        printf '%-42s %-8s %s\n' "$name" "$mode" "$outcome"
    done
done <<<"$chosen"
echo "$unexpected differ without a known reason"
((unexpected == 0))

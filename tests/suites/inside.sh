# Runs one case inside the root file system: bash inside.sh SUITE CASE. What goes to standard output are the facts that
# are compared; what goes to standard error is kept for reading only.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
place=$PWD

# Numbers of processes, times and counts differ from run to run.
numbers() { sed -E 's/[0-9]+/N/g'; }

# Prints a fact with a name.
fact() { echo "$1: ${*:2}"; }

# Waits until a command succeeds, at most 20 s.
until_true() {
    local tries
    for ((tries = 0; tries < 200; ++tries)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

# A case runs in a shell of its own, so that it isn't process 1, which signals from inside don't reach.
source "$place/suite/$1.sh"
(run_case "$2")
echo "exit status $?"

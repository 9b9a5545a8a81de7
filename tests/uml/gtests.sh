#!/bin/bash
# Runs GoogleTests below a kernel of its own (run.sh), for ctest: gtests.sh PROGRAM FILTER. What is skipped there says why,
# as in other tests. That nothing was run isn't a success.
set -uo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
if ! command -v linux.uml >/dev/null; then
    printf '%s: Skipped\nlinux.uml is not installed (Debian: user-mode-linux)\n' "$0"
    exit 77
fi
output=$("$here/run.sh" env GTEST_COLOR=no "$1" --gtest_filter="$2")
code=$?
if [[ $code -eq 124 ]]; then
    printf '%s: Skipped\nlinux.uml does not boot on this machine (it ends before its first process begins)\n' "$0"
    exit 77
fi
printf '%s\n' "$output"
if [[ $code -eq 0 ]] && ! grep -q '^\[  PASSED  \] [1-9]' <<<"$output"; then
    echo "uml: no test was run"
    exit 1
fi
exit "$code"

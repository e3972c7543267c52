#!/bin/sh
# Run a suite and draw it, or its reference runs where nothing was timed: bench.sh SHFLBENCH SUITE
set -eu
shflbench=$1 suite=$2

code=0
run=$("$shflbench" run "$suite") || code=$?
if [ -z "$run" ]; then
    exit "$code"
fi
set -- # the runs to draw
if grep -q ',timed,' "$run/results.csv"; then
    set -- "$run"
else
    for results in "$(dirname "$run")"/*/results.csv; do
        if grep -q ',timed,' "$results"; then
            set -- "$@" "$(dirname "$results")"
        fi
    done
    if [ $# -gt 0 ]; then
        echo "Nothing was timed; drawing the reference runs of the suite:" >&2
    fi
fi
if [ $# -gt 0 ]; then
    "$shflbench" plot "$@"
fi
echo "Show the tables again: $shflbench show $run" >&2
exit "$code"

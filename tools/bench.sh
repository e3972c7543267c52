#!/bin/sh
# Run a suite and draw it; where nothing could be timed, draw the reference runs instead: bench.sh SHFLBENCH SUITE
set -eu
shflbench=$1 suite=$2

code=0
run=$("$shflbench" run "$suite") || code=$?
if [ -z "$run" ]; then
    exit "$code"
fi
if grep -q ',timed,' "$run/results.csv"; then
    "$shflbench" plot "$run"
elif grep -qs ',timed,' results/*/*/results.csv; then
    echo "Nothing was timed here; these are the charts of the reference runs:" >&2
    "$shflbench" plot results/
fi
echo "The tables again: $shflbench show $run" >&2
exit "$code"

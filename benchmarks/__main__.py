"""Run one of the programs that evaluate shflbench, from the root of a checkout.

python -m benchmarks                  list the programs
python -m benchmarks NAME [ARGS]      run one; `--help` says what it takes
python -m benchmarks NAME.PART [ARGS]     run a part of it, such as `compare_power.corpus`

The exit code is 2 after an error.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from shflbench.errors import ShflbenchError

FOLDER = Path(__file__).parent
PROGRAMS = {
    "agreement": "compare the PTX emulator with a GPU, bit by bit",
    "async_kernels": "check public kernels with clusters, bulk copies and dependent launches",
    "bench_pairs": "compare ratios by `shflbench bench` with those that public programs print",
    "calibration": "compare two calibrations of one GPU",
    "claims": "count wrong verdicts on claims where the truth is known",
    "compare_power": "measure false alarms and power of `compare` and other rules; parts: corpus, pack",
    "drawn": "draw cases over all patterns at random, and compare predictions with their times",
    "emulator": "measure the speed of the emulator",
    "fences": "measure what a fence costs on a GPU, and on what that depends",
    "file_advice": "advise on public files, for readers who judge the suggestions",
    "fleet_ranking": "count which slow devices of a simulated fleet are named",
    "history_blame": "count what `history` blames where the truth is known",
    "history_rule": "count false alarms, steps and drifts that are found in simulated years of daily runs",
    "history_size": "measure the size of a history of 1,000 runs, and how long it takes to add and to read them",
    "intervals": "calibrate the intervals of predictions",
    "limits": "compare limits with the measured times of the reference runs",
    "memory_litmus": "run the litmus tests of the memory model on a GPU",
    "nvbench": "time the same kernels with NVBench and with shflbench",
    "prediction": "compare predictions with the measured times of the reference runs",
    "public_sets": "check public sets of kernels with known truth",
    "wavefronts": "compare counts of passes and sectors with Nsight Compute",
    "whole_programs": "check public files, for readers who judge the verdicts",
    "winners": "compare the ratios of variants on two GPUs",
}


def module_of(name: str) -> str | None:
    """Return the module that runs a program or a part of it; None if there is none of this name."""
    program, _, part = name.partition(".")
    if program not in PROGRAMS:
        return None
    if part:
        return f"benchmarks.{name}" if (FOLDER / program / f"{part}.py").is_file() else None
    return f"benchmarks.{name}{'.__main__' if (FOLDER / name).is_dir() else ''}"


def main() -> int:
    """List the programs, or run one and return its exit code."""
    if len(sys.argv) == 1 or sys.argv[1] in {"-h", "--help"}:
        width = max(map(len, PROGRAMS))
        print(*(f"{name:{width}}  {summary}" for name, summary in PROGRAMS.items()), sep="\n")
        return 0
    name = sys.argv[1]
    module = module_of(name)
    if module is None:
        print(f"There is no program {name}: `python -m benchmarks` lists them.", file=sys.stderr)
        return 2
    sys.argv[:2] = [f"benchmarks {name}"]  # programs read the other words, and name this one in their usage
    try:
        code: int | None = import_module(module).main()
    except (ShflbenchError, OSError) as error:
        advice = getattr(error, "advice", "")
        print(f"{error}; {advice}" if advice else error, file=sys.stderr)
        return 2
    return code or 0


if __name__ == "__main__":
    sys.exit(main())

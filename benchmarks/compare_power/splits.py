"""Compare the processes of one run with one another: unchanged code, three processes per side, all splits of six.

    python -m shflbench run benchmarks/compare_power/places.yaml --processes 6 -o one
    sed 's/max_seconds: 0.5/max_seconds: 0.5, places: 9/' benchmarks/compare_power/places.yaml > nine.yaml
    python -m shflbench run nine.yaml --processes 6 -o nine
    python -m benchmarks.compare_power.splits one nine

Prints for each run the alarms and the inconclusive cases of the splits, and how much the processes of each case differ.
The runs measure the same kernels on the same GPU with different settings.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.compare_power.markdown import table
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.pool import Pool, judgments
from shflbench.analysis.compare.sides import Side
from shflbench.errors import ResultsError
from shflbench.store import read_run
from shflbench.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.estimates import Process

PER_SIDE = 3
ALARMS = {Outcome.SLOWER, Outcome.FASTER}


class Splits(NamedTuple):
    """The verdicts of all splits of a run's processes into two sides."""

    cases: int
    alarms: tuple[int, ...]  # of each split in which the machine did not change
    suspected: tuple[int, ...]
    inconclusive: tuple[int, ...]
    refused: int  # splits in which the machine changed
    deviations: dict[str, float]  # between the processes, without their offsets, as a fraction of the time


def pairs(processes: Sequence[Process]) -> list[tuple[tuple[Process, ...], tuple[Process, ...]]]:
    """Return each split of the first six processes into two sides, once: ten."""
    six = processes[: 2 * PER_SIDE]
    sides = [(chosen, tuple(other for other in six if other not in chosen)) for chosen in combinations(six, PER_SIDE)]
    return [(base, new) for base, new in sides if six[0] in base]


def splits_of(pool: Pool) -> Splits:
    """Judge each split of a pool; ResultsError for fewer than six processes."""
    if len(pool.processes) < 2 * PER_SIDE:
        raise ResultsError(f"{len(pool.processes)} processes are not six", "run the suite with --processes 6")
    judged = [judgments(pool.select(base), pool.select(new), Thresholds()) for base, new in pairs(pool.processes)]
    outcomes = [[judgment.outcome for judgment in split] for split in judged if split]
    return Splits(
        cases=len(pool.cases),
        alarms=tuple(sum(outcome in ALARMS for outcome in split) for split in outcomes),
        suspected=tuple(split.count(Outcome.SUSPECTED) for split in outcomes),
        inconclusive=tuple(split.count(Outcome.INCONCLUSIVE) for split in outcomes),
        refused=sum(not split for split in judged),
        deviations={
            case_id: float(case.values.std(ddof=1) / case.values.mean())
            for case_id, case in subtract_offsets(pool).items()
        },
    )


def report(old: Splits, new: Splits, times_us: dict[str, float]) -> str:
    """Return the counts of both runs, and the deviations of each case."""
    head = ["run", "cases", "splits", "refused", "alarms", "suspected", "inconclusive", "share", "median deviation"]
    counts = [
        [
            name,
            *map(str, (splits.cases, len(splits.alarms), splits.refused, sum(splits.alarms), sum(splits.suspected))),
            f"{np.mean(splits.inconclusive):.1f} per split",
            f"{100 * np.mean(splits.inconclusive) / splits.cases:.1f}%",
            f"{100 * np.median(list(splits.deviations.values())):.2f}%",
        ]
        for name, splits in (("old", old), ("new", new))
    ]
    cases = [
        [f"`{case_id}`", f"{times_us[case_id]:.4g}", f"{100 * was:.2f}%", f"{100 * new.deviations[case_id]:.2f}%"]
        for case_id, was in sorted(old.deviations.items(), key=lambda item: -item[1])
        if case_id in new.deviations
    ]
    return "\n\n".join([table(head, counts), table(["case", "µs", "old", "new"], cases)])


def main() -> None:
    """Print the report on two runs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD", help="folder of the run by the older version")
    parser.add_argument("new", type=Path, metavar="NEW", help="folder of the run by the newer version")
    options = parser.parse_args()
    old, new = (Pool.of(Side.of([read_run(folder)])) for folder in (options.old, options.new))
    times_us = {case_id: float(case.values.mean()) for case_id, case in old.cases.items()}
    print(report(splits_of(old), splits_of(new), times_us))


if __name__ == "__main__":
    main()

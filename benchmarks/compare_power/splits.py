r"""Compare the processes of one run with one another: unchanged code, three processes per side, all splits of six.

    python -m shflbench run benchmarks/compare_power/places.yaml --processes 6 -o one
    sed 's/max_seconds: 0.5/max_seconds: 0.5, places: 9/' benchmarks/compare_power/places.yaml > nine.yaml
    python -m shflbench run nine.yaml --processes 6 -o nine
    python -m benchmarks.compare_power.splits one nine

    python -m benchmarks.compare_power.splits --record benchmarks/splits.md

A run is a run folder, or one that `benchmarks.compare_power.pack` packed; without any, those of `tests/data/splits`.
Prints for each the alarms and the inconclusive cases of its splits, and how much its processes differ. Exits with 2 on
an error.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.contexts import differences
from benchmarks.compare_power.markdown import table
from benchmarks.compare_power.pack import packed
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.pool import judgments
from shflbench.errors import ResultsError, ShflbenchError
from shflbench.store import read_run
from shflbench.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.compare_power.contexts import Differences
    from shflbench.analysis.compare.estimates import Process
    from shflbench.analysis.compare.pool import Pool

RECORDED = [
    Path(__file__).parents[2] / "tests" / "data" / "splits" / f"{name}.npz"
    for name in (
        "one-place",
        "nine-openings",
        "nine-contexts",
        "warp-collectives",
        "warp-collectives-contexts",
        "compare-power-contexts",
    )
]
PER_SIDE = 3
ALARMS = {Outcome.SLOWER, Outcome.FASTER}

PAGE = """\
# Processes of unchanged code, three against three

Written by `python -m benchmarks.compare_power.splits --record benchmarks/splits.md`; do not edit. [How we
time](../docs/explanation/how-we-time.md) explains the terms.

Six processes of each run are split into two sides of three, in all ten ways, and `compare` judges each split with its
usual threshold of 1%. Every verdict but *same* is wrong or open.

{counts}

The runs are from five H200s.

- `one-place`, `nine-openings` and `nine-contexts` are `benchmarks/compare_power/places.yaml`: short kernels, most of
  them from `warp-collectives`. The first has one place. In the second, rounds use nine places in turn, of which each is
  another opening of the kernel in the same CUDA context, as an earlier version of shflbench did, which `compare` takes
  for contexts; it is from the same H200, right after the first. In the third, each place is a context of its own.
- `warp-collectives` has 83 of the 220 cases of that suite, with one context: all but three of those below 70 µs.
  `warp-collectives-contexts` has all cases, with nine contexts, from two runs of three processes.
- `compare-power-contexts` has the unchanged cases of [compare_power](compare_power.md), with nine contexts.

`nine-contexts` was recorded before the number of contexts of a kernel had to divide nine: kernels with 34, 67 or 134 MB
of buffers used eight, four or two contexts there, and use three, three or one now.

"Deviation" is the median over the cases of the standard deviation between processes, minus their offsets. The last
three columns are standard deviations of the six sentinels below 60 µs, in ns: between processes, between the nine
places of a process, and between the rounds at a place. In a run with one place, the rounds are divided in the same way,
as a control. **Contexts of one process differ as much as processes with one context each.**

The cases that a split of any run leaves inconclusive: the standard deviation between the processes, minus their
offsets, and the number of splits that leave the case inconclusive.

{cases}
"""


class CaseSplits(NamedTuple):
    """One case in all splits of a run."""

    time_us: float  # the mean of all processes
    deviation: float  # between the processes, without their offsets, as a fraction of the time
    open: int  # splits that leave it inconclusive


class Splits(NamedTuple):
    """The verdicts of all splits of a run's processes into two sides."""

    alarms: tuple[int, ...]  # of each split in which the machine did not change
    suspected: tuple[int, ...]
    refused: int  # splits in which the machine changed
    cases: Mapping[str, CaseSplits]

    def line(self, name: str, differ: Differences) -> list[str]:
        """Return the counts of a run, and by how much its sentinels differ."""
        judged = len(self.alarms)
        still = sum(case.open for case in self.cases.values()) / judged if judged else float("nan")
        return [
            f"`{name}`",
            *map(str, (len(self.cases), judged, self.refused, sum(self.alarms), sum(self.suspected))),
            f"{still:.1f} per split",
            f"{100 * still / len(self.cases):.1f}%",
            f"{100 * np.median([case.deviation for case in self.cases.values()]):.2f}%",
            f"{differ.seconds:.1f}",
            *(f"{part:.0f}" for part in (differ.processes, differ.places, differ.rounds)),
        ]


def pairs(processes: Sequence[Process]) -> list[tuple[tuple[Process, ...], tuple[Process, ...]]]:
    """Return each split of the first six processes into two sides, once: ten."""
    six = processes[: 2 * PER_SIDE]
    sides = [(chosen, tuple(other for other in six if other not in chosen)) for chosen in combinations(six, PER_SIDE)]
    return [(base, new) for base, new in sides if six[0] in base]


def splits_of(pool: Pool) -> Splits:
    """Judge each split of a pool; ResultsError for fewer than six processes."""
    if len(pool.processes) < 2 * PER_SIDE:
        raise ResultsError(f"{len(pool.processes)} processes are not six", "run the suite with --processes 6")
    every = [judgments(pool.select(base), pool.select(new), Thresholds()) for base, new in pairs(pool.processes)]
    judged = [{judgment.case_id: judgment.outcome for judgment in split} for split in every if split]
    return Splits(
        alarms=tuple(sum(outcome in ALARMS for outcome in split.values()) for split in judged),
        suspected=tuple(list(split.values()).count(Outcome.SUSPECTED) for split in judged),
        refused=len(every) - len(judged),
        cases={
            case_id: CaseSplits(
                float(pool.cases[case_id].values.mean()),
                float(times.values.std(ddof=1) / times.values.mean()),
                sum(split.get(case_id) is Outcome.INCONCLUSIVE for split in judged),
            )
            for case_id, times in subtract_offsets(pool).items()
        },
    )


def counts(runs: Mapping[str, Splits], differ: Mapping[str, Differences]) -> str:
    """Return the table of the runs."""
    of_splits = ("cases", "splits", "refused", "alarms", "suspected", "inconclusive", "share")
    head = ("run", *of_splits, "deviation", "s per process", "processes, ns", "places, ns", "rounds, ns")
    return table(head, [splits.line(name, differ[name]) for name, splits in runs.items()])


def cases(runs: Mapping[str, Splits]) -> str:
    """Return the table of the cases that a split leaves open, the shortest first."""
    measured = [item for splits in runs.values() for item in splits.cases.items()]
    times_us = {case_id: case.time_us for case_id, case in measured}
    still_open = {case_id for case_id, case in measured if case.open}
    rows = [_case(case_id, times_us[case_id], runs) for case_id in sorted(still_open, key=times_us.__getitem__)]
    return table(["case", "µs", *runs], rows)


def _case(case_id: str, time_us: float, runs: Mapping[str, Splits]) -> list[str]:
    found = [splits.cases.get(case_id) for splits in runs.values()]
    cells = [f"{100 * case.deviation:.2f}%, {case.open}" if case else "" for case in found]
    return [f"`{case_id}`", f"{time_us:.4g}", *cells]


def read(path: Path) -> Batch:
    """Return a run folder, or a packed run; ResultsError if it cannot be read."""
    if path.suffix == ".npz":
        (batch,) = load([path])
        return batch
    return Batch(path.stem, packed([read_run(path)]))


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables, and write the page if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the page to this Markdown file")
    wanted = parser.parse_args(words)
    try:
        batches = {path.stem: read(path) for path in wanted.runs or RECORDED}
        runs = {name: splits_of(batch.pool()) for name, batch in batches.items()}
        tables = {
            "counts": counts(runs, {name: differences(batch) for name, batch in batches.items()}),
            "cases": cases(runs),
        }
        print(*tables.values(), sep="\n\n")
        if wanted.record:
            wanted.record.write_text(PAGE.format(**tables), encoding="utf-8")
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

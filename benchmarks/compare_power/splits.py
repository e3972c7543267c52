r"""Compare the processes of one run with one another: unchanged code, three processes per side, all splits of six.

    python -m shflbench run benchmarks/compare_power/places.yaml --processes 6 -o one
    sed 's/max_seconds: 0.5/max_seconds: 0.5, places: 9/' benchmarks/compare_power/places.yaml > nine.yaml
    python -m shflbench run nine.yaml --processes 6 -o nine
    python -m benchmarks.compare_power.splits one nine

    python -m benchmarks.compare_power.splits tests/data/splits/{one-place,nine-places,warp-collectives}.npz \
        --record benchmarks/splits.md

A run is a run folder, or one that `benchmarks.compare_power.pack` packed. Prints for each the alarms and the
inconclusive cases of its splits, and how much the processes of each case differ. Exits with 2 on an error.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.compare_power.batch import load
from benchmarks.compare_power.markdown import table
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.pool import Pool, judgments
from shflbench.analysis.compare.sides import Side
from shflbench.errors import ResultsError, ShflbenchError
from shflbench.store import read_run
from shflbench.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.compare.estimates import Process

PER_SIDE = 3
ALARMS = {Outcome.SLOWER, Outcome.FASTER}

PAGE = """\
# Processes of unchanged code, three against three

Written by `python -m benchmarks.compare_power.splits RUN… --record FILE`; do not edit. [How we
time](../docs/explanation/how-we-time.md) explains the terms.

Six processes of each run are split into two sides of three, in all ten ways, and `compare` judges each split with its
usual threshold of 1%. Every verdict but *same* is wrong or open.

{counts}

- `one-place` and `nine-places` are `benchmarks/compare_power/places.yaml` with 1 and with 9 places, one after the other
  on one H200: short kernels, most of them from `warp-collectives`.
- `warp-collectives` has 83 of the 220 cases of that suite, on another H200, with 1 place: all but three of those
  below 70 µs.

The standard deviation between the processes of a case, minus their offsets. "Open" is the number of splits that leave
the case inconclusive.

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

    def line(self, name: str) -> list[str]:
        """Return the counts of a run."""
        judged = len(self.alarms)
        still = sum(case.open for case in self.cases.values()) / judged if judged else float("nan")
        return [
            f"`{name}`",
            *map(str, (len(self.cases), judged, self.refused, sum(self.alarms), sum(self.suspected))),
            f"{still:.1f} per split",
            f"{100 * still / len(self.cases):.1f}%",
            f"{100 * np.median([case.deviation for case in self.cases.values()]):.2f}%",
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


def counts(runs: Mapping[str, Splits]) -> str:
    """Return the table of the runs."""
    head = ("run", "cases", "splits", "refused", "alarms", "suspected", "inconclusive", "share", "median deviation")
    return table(head, [splits.line(name) for name, splits in runs.items()])


def cases(runs: Mapping[str, Splits]) -> str:
    """Return the table of the cases, the shortest first."""
    times_us = {case_id: case.time_us for splits in runs.values() for case_id, case in splits.cases.items()}
    head = ["case", "µs", *(f"{name}, {what}" for name in runs for what in ("deviation", "open"))]
    return table(
        head, [_case(case_id, times_us[case_id], runs) for case_id in sorted(times_us, key=times_us.__getitem__)]
    )


def _case(case_id: str, time_us: float, runs: Mapping[str, Splits]) -> list[str]:
    found = [splits.cases.get(case_id) for splits in runs.values()]
    cells = [(f"{100 * case.deviation:.2f}%", str(case.open)) if case else ("", "") for case in found]
    return [f"`{case_id}`", f"{time_us:.4g}", *(cell for pair in cells for cell in pair)]


def read(path: Path) -> Pool:
    """Return the processes of a run folder or a packed run; ResultsError if it cannot be read."""
    if path.suffix == ".npz":
        (batch,) = load([path])
        return batch.pool()
    return Pool.of(Side.of([read_run(path)]))


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables, and write the page if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the page to this Markdown file")
    wanted = parser.parse_args(words)
    try:
        runs = {path.stem: splits_of(read(path)) for path in wanted.runs}
        print(counts(runs), cases(runs), sep="\n\n")
        if wanted.record:
            wanted.record.write_text(PAGE.format(counts=counts(runs), cases=cases(runs)), encoding="utf-8")
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Calibrate the intervals of predictions: how measured times spread around predicted ones, by class.

    python -m benchmarks intervals        print the table for `shflbench/analysis/limits/prediction_interval.py`

Reads the predictions in `limits.csv` of `drawn_cases/drawn-1`; other drawn cases test the intervals and are never read.
Needs no GPU. Write the predictions before: `shflbench limits --requests --save`, and the intervals after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import ceil, floor
from pathlib import Path

from benchmarks.common.pages import program
from shflbench.analysis.limits.prediction_interval import class_of
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import read_limits

DRAWN = Path(__file__).parent / "drawn_cases" / "drawn-1"
STEPS = 1000  # per unit of a factor


def main() -> int:
    """Print the table."""
    program(__doc__).parse_args()
    for name, ratios in sorted(ratios_by_class([DRAWN]).items()):
        low, high = factors(ratios)
        names = ", ".join(f'"{part}"' for part in name)
        print(f"    ({names}{',' if len(name) == 1 else ''}): ({low}, {high}),  # of {len(ratios)} cases")
    return 0


def ratios_by_class(folders: Iterable[Path]) -> dict[tuple[str, ...], list[float]]:
    """Return measured times divided by predicted ones, by the class of the prediction."""
    ratios: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for path in find_runs(folders):
        limits = read_limits(path)
        for row in read_run(path).rows:
            limit = limits.get(row.case_id)
            if limit is not None and limit.model_us is not None and limit.model_by is not None and row.time_us:
                name = class_of(limit.model_by, limit.model_us, limit.limit_us, limit.limit_by)
                ratios[name].append(row.time_us / limit.model_us)
    return dict(ratios)


def factors(ratios: list[float]) -> tuple[float, float]:
    """Return the factors between which all ratios lie, with 1 among them.

    All, and not the nine of ten that are promised: new cases lie farther from their predictions.
    """
    return floor(STEPS * min(1.0, *ratios)) / STEPS, ceil(STEPS * max(1.0, *ratios)) / STEPS

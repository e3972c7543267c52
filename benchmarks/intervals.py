"""Calibrate the intervals of predictions: how measured times spread around predicted ones, by class.

    python -m benchmarks intervals        print the table for `shflbench/analysis/limits/prediction_interval.py`

Reads the predictions in `limits.csv` of `drawn_cases/drawn-1`, and for classes of which it has few cases also those of
the reference runs, of the patterns that constants were fitted to; other drawn cases test the intervals and are never
read. Needs no GPU. Write the predictions before: `shflbench limits --requests --save`, and the intervals after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.common.pages import program
from shflbench.analysis.limits.constants import is_fitted
from shflbench.analysis.limits.prediction_interval import class_of
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import read_limits

RESULTS = Path(__file__).parents[1] / "results"
DRAWN = Path(__file__).parent / "drawn_cases" / "drawn-1"
# Of the measured times that calibrate, on both sides together: fewer than the one in ten that is promised, because new
# cases lie farther from their predictions.
OUTSIDE = 0.05
ENOUGH = 20  # cases of a class
DIGITS = 3


def main() -> int:
    """Print the table."""
    program(__doc__).parse_args()
    for name, ratios in sorted(ratios_by_class([DRAWN], [RESULTS]).items()):
        low, high = factors(ratios)
        names = ", ".join(f'"{part}"' for part in name)
        print(f"    ({names}{',' if len(name) == 1 else ''}): ({low}, {high}),  # of {len(ratios)} cases")
    return 0


def ratios_by_class(drawn: Iterable[Path], reference: Iterable[Path]) -> dict[tuple[str, ...], list[float]]:
    """Return measured times divided by predicted ones, by the class of the prediction."""
    ratios: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for name, ratio in _of(drawn, fitted_only=False):
        ratios[name].append(ratio)
    known = {name for name, values in ratios.items() if len(values) >= ENOUGH}
    for name, ratio in _of(reference, fitted_only=True):
        if name not in known:
            ratios[name].append(ratio)
    return dict(ratios)


def _of(folders: Iterable[Path], *, fitted_only: bool) -> Iterator[tuple[tuple[str, ...], float]]:
    for path in find_runs(folders):
        run = read_run(path)
        limits = read_limits(path)
        for row in run.rows:
            limit = limits.get(row.case_id)
            if limit is None or limit.model_us is None or limit.model_by is None or not row.time_us:
                continue
            if not fitted_only or is_fitted(row.pattern):
                name = class_of(limit.model_by, limit.model_us, limit.limit_us, limit.limit_by)
                yield name, row.time_us / limit.model_us


def factors(ratios: list[float]) -> tuple[float, float]:
    """Return the factors between which all but `OUTSIDE` of the ratios lie, with 1 among them."""
    ordered = sorted(ratios)
    low, high = (_quantile(ordered, share) for share in (OUTSIDE / 2, 1 - OUTSIDE / 2))
    return round(min(1.0, low), DIGITS), round(max(1.0, high), DIGITS)


def _quantile(ordered: list[float], share: float) -> float:
    """Return a quantile of sorted values, between two of them where it lies there."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])

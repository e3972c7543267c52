"""Compare the predictions for all rows of the reference runs with their measured times.

    python -m benchmarks prediction                   print the tables
    python -m benchmarks prediction --record          write them to benchmarks/prediction.md

Reads the machine code that ran from the `kernels.zip` of each run under results/ and, where it is there, under
benchmarks/unseen/, with nvdisasm of this environment. Counts in the emulator what the kernels request from memory,
which takes some minutes. Needs no GPU.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks.common.pages import program, publish, table_row, written_by
from benchmarks.prediction_inputs import calibration_of, requests_of
from shflbench.analysis.limits.constants import is_fitted
from shflbench.core.grouping import group_by
from shflbench.kernel_facts.run_predictions import Predictor
from shflbench.store import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from shflbench.analysis.limits.prediction import Prediction
    from shflbench.core.model import KernelRequests
    from shflbench.store import Row, Run

PAGE_FILE = Path(__file__).with_suffix(".md")
RESULTS = Path(__file__).parents[1] / "results"
UNSEEN = Path(__file__).parent / "unseen"
# Of the reference runs, what was measured after the prediction was fixed.
LATER_SUITES = frozenset({"residency", "blocks", "rows", "exchanges"})
LATER_PATTERNS = frozenset(
    {
        *("block-reduce", "block-scan", "column-sum", "device-reduce", "row-norm", "softmax", "stream", "warp-value"),
        *("batched-reduce", "block-combine", "convert-layout", "handoff", "max-and-sum", "staging", "transpose16"),
    }
)
TENTHS = 10  # quantiles
FIT, TEST, NEW = "fitted to", "test", "new"
# Difference of two measured times of a group, in percent: from, to, and the share of pairs to order right.
CLASSES = ((3.0, 10.0, 0.85), (10.0, 30.0, 0.95), (30.0, float("inf"), 0.995))
WARPS = (1, 2, 4, 8, 16, 24, 32, 48, 64)  # per SM; the upper ends of the classes

PAGE = """\
# Predictions against measurements

{written}

For each timed row of the reference runs on {devices}: the difference between predicted and measured time, divided by
the measured time, without its sign. The prediction knows the machine code that ran, the launch, the clock of the row,
and what the emulator counted of its requests to memory. Its constants are from {constants} and from rows of one half
of the patterns; a pattern belongs to the half that a hash of its name says (`shflbench/analysis/limits/constants.py`).
Errors are of the rows that have a prediction; a prediction that would be a guess is refused.

## Both halves

{halves}

Target for the test half: median 2%, 90% of the rows within 10%. {verdict}

Rows of the test half without a prediction: {refused_test}.

Rows of the other half without one: {refused_fit}.

## Test half, kernels with a timed loop

{loops}

## Per pattern

{patterns}

## Per warps that an SM executes at a time, test half

{warps}

## Order within a group

Pairs of variants of one group by the difference of their measured times, and how many of them the predictions order
right. Pairs count if both have a prediction.

{pairs}

## Suites that were measured after the prediction was fixed

{unseen}
"""


@dataclass(frozen=True, slots=True)
class Predicted:
    """One row and its prediction."""

    run: str
    row: Row
    prediction: Prediction
    warps: int = 0  # that an SM executes at a time; 0 if unknown
    waves: int = 0

    @property
    def error(self) -> float | None:
        """The difference from the measured time as a fraction of it, without its sign; None without a prediction."""
        if self.prediction.us is None or not self.row.time_us:
            return None
        return abs(self.prediction.us / self.row.time_us - 1)


def predict_run(run: Run, requests: Mapping[str, KernelRequests]) -> Iterator[Predicted]:
    """Yield each timed row of a run with its prediction; `requests` to memory are by case."""
    device = run.info.device
    if device is None:
        return
    predictor = Predictor(run, calibration_of(device.name))
    for row in predictor.rows:
        launch = predictor.launch_of(row)
        prediction = predictor.predict(row, requests.get(row.case_id))
        name = str(run.info.suite.name)
        yield Predicted(name, row, prediction, launch.warps if launch else 0, launch.waves if launch else 0)


def page(predicted: Sequence[Predicted], unseen: Sequence[Predicted], devices: Iterable[str], constants: str) -> str:
    """Return the page about the rows of the reference runs, and about those of the suite of its own."""
    halves = {half: [one for one in predicted if half_of(one) == half] for half in (TEST, FIT)}
    test = halves[TEST]
    return PAGE.format(
        written=written_by("prediction --record"),
        devices=", ".join(devices),
        constants=constants,
        halves=_table("half", halves),
        verdict=_verdict(test),
        refused_test=_reasons(test),
        refused_fit=_reasons(halves[FIT]),
        loops=_table("rows", _by_waves([one for one in test if one.prediction.cycles is not None])),
        patterns=_table("pattern", _by_pattern(predicted)),
        warps=_table("warps", _by_warps(test)),
        pairs="\n\n".join(f"{half.capitalize()} half:\n\n{_order(rows)}" for half, rows in halves.items()),
        unseen=_unseen(unseen),
    )


def half_of(predicted: Predicted) -> str:
    """Return the half of a row's pattern; a new pattern belongs to none."""
    if predicted.row.pattern in LATER_PATTERNS:
        return NEW
    return FIT if is_fitted(predicted.row.pattern) else TEST


def is_later(predicted: Predicted) -> bool:
    """Whether a row was measured after the prediction was fixed, or is of a pattern that did not exist before."""
    return predicted.run in LATER_SUITES or predicted.row.pattern in LATER_PATTERNS


def _unseen(unseen: Sequence[Predicted]) -> str:
    if not unseen:
        return "None was measured yet."
    tables = (
        _table("rows", {"all": unseen, **_by_waves(unseen)}),
        _table("pattern", _by_pattern(unseen)),
        _table("warps", _by_warps(unseen)),
        _order(unseen),
        f"Rows without a prediction: {_reasons(unseen)}.",
    )
    per_suite = _table("suite", group_by(unseen, lambda one: one.run))
    return "\n\n".join(
        ("The rows of `benchmarks/unseen.yaml`, of later reference runs, and of later patterns.", per_suite, *tables)
    )


def _by_pattern(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    return group_by(sorted(predicted, key=_name), _name)


def _name(predicted: Predicted) -> str:
    return f"{predicted.row.pattern} ({half_of(predicted)})"


def _by_waves(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    return {
        "one wave": [one for one in predicted if one.waves == 1],
        "several waves": [one for one in predicted if one.waves > 1],
    }


def _by_warps(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    known = [one for one in predicted if one.warps]
    limits = ((low + 1, high) for low, high in zip((0, *WARPS), WARPS, strict=False))
    classes = {
        f"{low} to {high}" if low < high else str(high): [one for one in known if low <= one.warps <= high]
        for low, high in limits
    }
    return {name: members for name, members in classes.items() if members}


def _table(head: str, groups: Mapping[str, Sequence[Predicted]]) -> str:
    lines = [
        f"| {head} | rows | predicted | median | 90% of the rows | largest |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, members in groups.items():
        errors = sorted(error for one in members if (error := one.error) is not None)
        share = f"{len(errors) / len(members):.0%}" if members else "–"
        figures = [f"{value:.1%}" for value in (_median(errors), _ninth(errors), max(errors))] if errors else ["–"] * 3
        lines.append(table_row(name, len(members), share, *figures))
    return "\n".join(lines)


def _median(errors: Sequence[float]) -> float:
    return median(errors)


def _ninth(errors: Sequence[float]) -> float:
    return quantiles(errors, n=TENTHS, method="inclusive")[-1] if len(errors) > 1 else errors[0]


def _verdict(test: Sequence[Predicted]) -> str:
    errors = [error for one in test if (error := one.error) is not None]
    reached = [_median(errors) <= 0.02, _ninth(errors) <= 0.1] if errors else [False, False]  # noqa: PLR2004  (the target)
    words = [
        f"The {name} {'is' if is_reached else 'is not'} reached"
        for name, is_reached in zip(("first", "second"), reached, strict=True)
    ]
    return "; ".join(words).replace("; The", ", the") + "."


def _reasons(predicted: Sequence[Predicted]) -> str:
    reasons = Counter(one.prediction.reason for one in predicted if one.error is None)
    return "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common()) or "none"


def _order(predicted: Sequence[Predicted]) -> str:
    lines = ["| difference | pairs | ordered right | target |", "| --- | --- | --- | --- |"]
    pairs = list(_pairs(predicted))
    for low, high, target in CLASSES:
        right = [is_right for difference, is_right in pairs if low <= difference < high]
        name = f"{low:g} to {high:g}%" if high < float("inf") else f"above {low:g}%"
        share = f"{sum(right) / len(right):.1%}" if right else "–"
        lines.append(table_row(name, len(right), share, f"{target:.1%}"))
    return "\n".join(lines)


def _pairs(predicted: Sequence[Predicted]) -> Iterator[tuple[float, bool]]:
    """Yield the difference of each pair of a group in percent, and whether the predictions order it right."""
    known = [one for one in predicted if one.error is not None]
    for members in group_by(known, _group).values():
        for first, second in combinations(members, 2):
            times, predictions = _values(lambda one: one.row.time_us, first, second), _values(_us, first, second)
            difference = 100 * (max(times) / min(times) - 1)
            yield difference, (times[0] - times[1]) * (predictions[0] - predictions[1]) > 0


def _us(predicted: Predicted) -> float | None:
    return predicted.prediction.us


def _values(value: Callable[[Predicted], float | None], *predicted: Predicted) -> tuple[float, ...]:
    return tuple(value(one) or 0.0 for one in predicted)


def _group(predicted: Predicted) -> tuple[str, ...]:
    pattern, _, *rest = predicted.row.case_id.split("/")
    return (predicted.run, pattern, *rest)


def predict_all(folders: Iterable[Path]) -> list[Predicted]:
    """Return the rows of all runs under `folders` with their predictions."""
    runs = [read_run(folder) for folder in find_runs([folder for folder in folders if folder.exists()])]
    return [one for run in runs for one in predict_run(run, requests_of(run))]


def main() -> int:
    """Run as a program; return the exit code."""
    arguments = program(__doc__, PAGE_FILE).parse_args()
    runs = [read_run(folder) for folder in find_runs([RESULTS])]
    devices = list(dict.fromkeys(run.info.device.name for run in runs if run.info.device))
    is_calibrated = any(calibration_of(device) for device in devices)
    constants = "`calibrate`" if is_calibrated else "documents"
    predicted = predict_all([RESULTS])
    later = [one for one in predicted if is_later(one)]
    earlier = [one for one in predicted if not is_later(one)]
    text = page(earlier, [*predict_all([UNSEEN]), *later], devices, constants)
    publish(text, arguments.record)
    return 0

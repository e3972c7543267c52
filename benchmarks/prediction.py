"""Compare the predictions for all rows of the reference runs with their measured times.

    python -m benchmarks prediction                   print the tables
    python -m benchmarks prediction --record          write them to benchmarks/prediction.md

Reads the machine code that ran from the `kernels.zip` of each run under results/ and, where it is there, under
benchmarks/unseen/, with nvdisasm of this environment. Counts in the emulator what the kernels request from memory,
which takes some minutes. Needs no GPU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from statistics import median, quantiles

from benchmarks.common.pages import UNKNOWN, program, publish, table, written_by
from shflbench.analysis.limits.constants import is_fitted
from shflbench.analysis.limits.prediction import Prediction
from shflbench.core.environment import cache_folder
from shflbench.core.grouping import group_by
from shflbench.core.model import Case, Kernel, KernelRequests, Launch, Status
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.kernel_facts.memory_requests import requests_of_all
from shflbench.kernel_facts.run_predictions import Predictor
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import builtin, load
from shflbench.store import Row, Run, find_runs, read_run
from shflbench.store.calibration_file import Calibration, find_shipped, read

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
BLOCK = 128  # threads: the requests of a warp do not depend on their number
WARPS = (1, 2, 4, 8, 16, 24, 32, 48, 64)  # per SM; the upper ends of the classes

PAGE = """\
# Predictions against measurements

{written}

For each timed row of the reference runs on {devices}: the difference between predicted and measured time, divided by
the measured time, without its sign. The prediction knows the machine code that ran, the launch, the clock of the row,
and what the emulator counted of its requests to memory. Its constants are from {constants}, from rows of half of the
patterns, and from cases that were drawn at random over all patterns (`drawn.md`); a pattern belongs to the half that a
hash of its name says (`shflbench/analysis/limits/constants.py`).
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


Name = tuple[str, str, str, tuple[tuple[str, str], ...]]  # of a kernel: pattern, variant, dtype, options


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

    @property
    def half(self) -> str:
        """The half of its pattern; a new pattern belongs to none."""
        if self.row.pattern in LATER_PATTERNS:
            return NEW
        return FIT if is_fitted(self.row.pattern) else TEST

    @property
    def is_later(self) -> bool:
        """Whether it was measured after the prediction was fixed, or is of a pattern that did not exist before."""
        return self.run in LATER_SUITES or self.row.pattern in LATER_PATTERNS


def predict_run(run: Run, requests: Mapping[str, KernelRequests]) -> Iterator[Predicted]:
    """Yield each timed row of a run with its prediction; `requests` to memory are by case."""
    if run.info.device is None:
        return
    predictor = Predictor(run, calibration_of(run.info.device.name))
    for row in predictor.rows:
        launch = predictor.launch_of(row)
        prediction = predictor.predict(row, requests.get(row.case_id))
        waves = (launch.warps, launch.waves) if launch else (0, 0)
        yield Predicted(str(run.info.suite.name), row, prediction, *waves)


def calibration_of(device: str) -> Calibration | None:
    """Return the calibration that comes with shflbench for GPUs of this name; None if there is none."""
    path = find_shipped(device)
    return read(path) if path else None


def requests_of(run: Run) -> Mapping[str, KernelRequests]:
    """Return the requests of the kernels of a run to memory by case, where the emulator can count them."""
    rows = [row for row in run.rows if row.status is Status.TIMED and row.pattern in builtin()]
    patterns = {name: load(builtin()[name]) for name in {row.pattern for row in rows}}
    cases = {}
    for row in rows:
        launch = Launch(row.launch, BLOCK, None)
        cases[_kernel(row)] = Case(row.pattern, row.variant, row.dtype, launch, row.iterations, row.options)
    builder = Builder(find(), run.info.device.arch if run.info.device else "sm_90", cache_folder())
    built = builder.build_all({name: builder.request(patterns[case.pattern], case) for name, case in cases.items()})
    kernels = {name: kernel for name, kernel in built if isinstance(kernel, Kernel)}
    jobs = [(patterns[cases[name].pattern], cases[name], kernel) for name, kernel in kernels.items()]
    counted = dict(zip(kernels, requests_of_all(jobs), strict=True))
    known = ((row.case_id, counted.get(_kernel(row))) for row in rows)
    return {case_id: one for case_id, one in known if isinstance(one, KernelRequests)}


def _kernel(row: Row) -> Name:
    options = tuple((name, value) for name, value in row.options if name not in LAUNCH_OPTIONS)
    return (row.pattern, row.variant, row.dtype, options)


def page(predicted: Sequence[Predicted], unseen: Sequence[Predicted], devices: Iterable[str], constants: str) -> str:
    """Return the page about the rows of the reference runs, and about those of the suite of its own."""
    halves = {half: [one for one in predicted if one.half == half] for half in (TEST, FIT)}
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
        unseen="\n\n".join(_unseen(unseen)) if unseen else "None was measured yet.",
    )


def _unseen(unseen: Sequence[Predicted]) -> Iterator[str]:
    yield "The rows of `benchmarks/unseen.yaml`, of later reference runs, and of later patterns."
    yield _table("suite", group_by(unseen, lambda one: one.run))
    yield _table("rows", {"all": unseen, **_by_waves(unseen)})
    yield _table("pattern", _by_pattern(unseen))
    yield _table("warps", _by_warps(unseen))
    yield _order(unseen)
    yield f"Rows without a prediction: {_reasons(unseen)}."


def _by_pattern(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    groups = group_by(predicted, lambda one: f"{one.row.pattern} ({one.half})")
    return {name: groups[name] for name in sorted(groups)}


def _by_waves(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    several = [one for one in predicted if one.waves > 1]
    return {"one wave": [one for one in predicted if one.waves == 1], "several waves": several}


def _by_warps(predicted: Sequence[Predicted]) -> dict[str, list[Predicted]]:
    classes = {
        f"{low + 1} to {high}" if low + 1 < high else str(high): [one for one in predicted if low < one.warps <= high]
        for low, high in pairwise((0, *WARPS))
    }
    return {name: members for name, members in classes.items() if members}


def _table(name: str, groups: Mapping[str, Sequence[Predicted]]) -> str:
    head = (name, "rows", "predicted", "median", "90% of the rows", "largest")
    return table(head, ((group, len(members), *_figures(members)) for group, members in groups.items()), len(head))


def _figures(members: Sequence[Predicted]) -> list[str]:
    """Return the share of the rows with a prediction, and their errors."""
    errors = _errors(members)
    share = f"{len(errors) / len(members):.0%}" if members else UNKNOWN
    return [share, *(f"{value(errors):.1%}" if errors else UNKNOWN for value in (median, _ninth, max))]


def _errors(predicted: Sequence[Predicted]) -> list[float]:
    return [error for one in predicted if (error := one.error) is not None]


def _ninth(errors: Sequence[float]) -> float:
    return quantiles(errors, n=TENTHS, method="inclusive")[-1] if len(errors) > 1 else errors[0]


def _verdict(test: Sequence[Predicted]) -> str:
    errors = _errors(test)
    reached = (median(errors) <= 0.02, _ninth(errors) <= 0.1) if errors else (False, False)  # noqa: PLR2004  (the target)
    first, second = ("is" if is_reached else "is not" for is_reached in reached)
    return f"The first {first} reached, the second {second} reached."


def _reasons(predicted: Sequence[Predicted]) -> str:
    reasons = Counter(one.prediction.reason for one in predicted if one.error is None)
    return "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common()) or "none"


def _order(predicted: Sequence[Predicted]) -> str:
    pairs, rows = list(_pairs(predicted)), []
    for low, high, target in CLASSES:
        right = [is_right for difference, is_right in pairs if low <= difference < high]
        name = f"{low:g} to {high:g}%" if high < float("inf") else f"above {low:g}%"
        share = f"{sum(right) / len(right):.1%}" if right else UNKNOWN
        rows.append((name, len(right), share, f"{target:.1%}"))
    return table(("difference", "pairs", "ordered right", "target"), rows, 4)


def _pairs(predicted: Sequence[Predicted]) -> Iterator[tuple[float, bool]]:
    """Yield the difference of each pair of a group in percent, and whether the predictions order it right."""
    known = [(one, one.row.time_us, one.prediction.us) for one in predicted]
    timed = [(one, time_us, us) for one, time_us, us in known if time_us and us is not None]
    for members in group_by(timed, lambda item: _group(item[0])).values():
        for (_, first, first_us), (_, second, second_us) in combinations(members, 2):
            difference = 100 * (max(first, second) / min(first, second) - 1)
            yield difference, (first - second) * (first_us - second_us) > 0


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
    constants = "`calibrate`" if any(map(calibration_of, devices)) else "documents"
    predicted = predict_all([RESULTS])
    unseen = [*predict_all([UNSEEN]), *(one for one in predicted if one.is_later)]
    publish(page([one for one in predicted if not one.is_later], unseen, devices, constants), arguments.record)
    return 0

"""Say what changed together with a level: code, compiler, driver, method or environment.

A cause goes with the change, which does not prove it. Identical machine code is never blamed on code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.offset import MOVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.history.levels import Drift, Floats, LevelChange
    from shflbench.analysis.history.series import RunSeries
    from shflbench.store.history.record import HistoryKernel, HistoryMachine

AMBIGUOUS = 0.25  # share of a step: a run so far from the level before, or after, may be of the other one
STAIRS = 3  # changes of machine code that may look like a drift
MOST_AMBIGUOUS = 2  # runs before the new level that may belong to it
BEFORE = 5  # runs, whose median is the level of other cases before
MATTERS = 0.01  # change of another case that counts
SPREADS = 4  # times the spread before that such a change exceeds
VARYING = ("launch", "sentinels")  # recorded changes that differ from case to case
RESOURCES = {
    "registers": "registers",
    "shared_bytes": "shared bytes",
    "local_bytes": "local bytes",
    "spill_bytes": "spill bytes",
}
SHARE, FEWEST = 0.2, 2  # of the other cases of the same code that move where the environment changed


class CauseLabel(StrEnum):
    """What changed with a level."""

    CODE = "code"  # other machine code by the same compiler, or of another source that explains it
    COMPILER = "compiler"  # other machine code of the same source
    CODE_OR_COMPILER = "code or compiler"  # both changed, and the old source was not compiled by the new compiler
    LAUNCH = "launch"  # grid or block, as they were resolved
    DRIVER = "driver"
    GPU = "GPU"
    METHOD = "method"  # of timing
    ENVIRONMENT = "environment"  # the same machine code, and other cases or the sentinels moved, too
    UNEXPLAINED = "unexplained"  # the same machine code, and few other cases moved
    UNKNOWN = "unknown"  # no machine code was recorded


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A value that differs between two runs."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangeCause:
    """A likely cause of a change, with what was recorded of it."""

    label: CauseLabel
    changes: tuple[RecordedChange, ...] = ()
    moved: int = 0  # of the environment: other cases with the same machine code that moved likewise
    others: int = 0  # of so many


@dataclass(frozen=True, slots=True)
class Blame:
    """All likely causes of a change, and the runs between which they lie."""

    old: int  # last run that is certainly of the old level
    new: int  # first run of the new level
    causes: tuple[ChangeCause, ...]

    @property
    def labels(self) -> tuple[CauseLabel, ...]:
        """The labels of the causes."""
        return tuple(cause.label for cause in self.causes)

    @property
    def causes_alike(self) -> tuple[object, ...]:
        """What changes by the same causes have in common: all but the resources of their kernels, and counts."""
        return tuple(
            (cause.label, *(change for change in cause.changes if change.name not in {*RESOURCES.values(), *VARYING}))
            for cause in self.causes
        )


def blame(series: RunSeries, change: LevelChange) -> Blame:
    """Return what changed with a level; of a drift, what goes on changing."""
    if change.drift:
        return _of_drift(series, change, change.drift)
    old, new = _last_of_old(series, change), _first_of_new(series, change)
    causes = _recorded(series, change.series, old, new)
    is_by_record = any(cause.label not in {CauseLabel.CODE, CauseLabel.COMPILER} for cause in causes)
    others = _others(series, change, old, change.first)
    if not is_by_record and others.have_moved:
        causes.append(ChangeCause(CauseLabel.ENVIRONMENT, others.sentinels, others.moved, others.known))
    if None in _codes(series, change.series, old, new):
        causes.append(ChangeCause(CauseLabel.UNKNOWN))
    return Blame(old, new, tuple(causes) or (others.unexplained,))


def _of_drift(series: RunSeries, change: LevelChange, drift: Drift) -> Blame:
    """Return what goes with a drift: code that changes again and again, or the environment.

    One change makes a step. Where an alarm was a step at first, what changed with that is a cause, too.
    """
    case, old, new = change.series, drift.since, drift.named
    known = [kernel.code for run in range(old, new + 1) if (kernel := series.kernel(case, run)) and kernel.code]
    changed = sum(before != after for before, after in pairwise(known))
    causes = [*_of_code(series, case, old, new)] if changed >= STAIRS else []
    if not causes and change.seen != drift.named:
        causes = _recorded(series, case, _last_of_old(series, change), _first_of_new(series, change))
    others = _others(series, change, old, (old + new) // 2)
    if others.have_moved:
        causes.append(ChangeCause(CauseLabel.ENVIRONMENT, others.sentinels, others.moved, others.known))
    if not known:
        causes.append(ChangeCause(CauseLabel.UNKNOWN))
    return Blame(old, new, tuple(causes) or (others.unexplained,))


def _recorded(series: RunSeries, case: int, old: int, new: int) -> list[ChangeCause]:
    return [*_of_code(series, case, old, new), *_of_machine(series, case, old, new)]


def _last_of_old(series: RunSeries, change: LevelChange) -> int:
    """Return the last run before the new level that is certainly of the old one; the first run if none is."""
    moved = _moved_by(series, change)
    earlier = np.flatnonzero(np.isfinite(moved[: change.first]))[::-1][: MOST_AMBIGUOUS + 1].tolist()
    certain = (run for run in earlier if moved[run] < AMBIGUOUS)
    return int(next(certain, earlier[-1] if earlier else max(0, change.first - 1)))


def _first_of_new(series: RunSeries, change: LevelChange) -> int:
    """Return the first run that is certainly of the new level."""
    moved = _moved_by(series, change)
    later = (run for run in range(change.first, change.seen) if moved[run] > 1 - AMBIGUOUS)
    return next(later, change.seen)


def _moved_by(series: RunSeries, change: LevelChange) -> Floats:
    """Return how far each run is from the old level towards the new one, as a share of the step."""
    step = np.log(change.after / change.before)
    return np.asarray(np.log(series.times.times[change.series] / change.before) / step)


def _codes(series: RunSeries, case: int, old: int, new: int) -> tuple[str | None, str | None]:
    """Return the machine code before and after; None where it is unknown."""
    before, after = series.kernel(case, old), series.kernel(case, new)
    return (before.code if before else None) or None, (after.code if after else None) or None


def _of_code(series: RunSeries, case: int, old: int, new: int) -> Iterator[ChangeCause]:
    """Yield why the machine code differs; nothing where it is the same, or unknown."""
    before, after = _codes(series, case, old, new)
    if before is None or after is None or before == after:
        return
    known = [run for run in range(old, new + 1) if (kernel := series.kernel(case, run)) and kernel.code]
    labels = {label: None for pair in pairwise(known) for label in _labels(series, case, *pair)}
    kernels = series.kernel(case, old), series.kernel(case, new)
    for label in labels:
        of_compiler = label is not CauseLabel.CODE
        changes = tuple(_of_compiler(series.runs[old].machine, series.runs[new].machine)) if of_compiler else ()
        yield ChangeCause(label, (*_of_kernel(*kernels), *changes))


def _labels(series: RunSeries, case: int, old: int, new: int) -> Iterator[CauseLabel]:
    """Yield what made the machine code of two successive runs differ."""
    before, after = series.kernel(case, old), series.kernel(case, new)
    if before is None or after is None or before.code == after.code:
        return
    compilers = series.runs[old].machine, series.runs[new].machine
    is_known = all(machine.compiler for machine in compilers)
    same_compiler = is_known and not list(_of_compiler(*compilers))
    same_source = before.source == after.source and bool(before.source)
    if same_source:
        yield CauseLabel.COMPILER  # of the same version: by another patch release, or other headers
    elif same_compiler:
        yield CauseLabel.CODE
    elif not (is_known and before.source and after.recompiled and after.recompiled_of == before.source):
        yield CauseLabel.CODE_OR_COMPILER
    else:
        if after.recompiled != after.code:
            yield CauseLabel.CODE
        if after.recompiled != before.code:
            yield CauseLabel.COMPILER


def _of_kernel(before: HistoryKernel | None, after: HistoryKernel | None) -> Iterator[RecordedChange]:
    for field, name in RESOURCES.items():
        was, now = getattr(before, field, None), getattr(after, field, None)
        if None not in {was, now} and was != now:
            yield RecordedChange(name, str(was), str(now))


def _of_compiler(before: HistoryMachine, after: HistoryMachine) -> Iterator[RecordedChange]:
    for field, name in (
        ("compiler", "NVRTC"),
        ("cccl", "CCCL"),
        ("options", "compiler options"),
        ("arch", "architecture"),
    ):
        yield from _differing(name, getattr(before, field), getattr(after, field))


def _of_machine(series: RunSeries, case: int, old: int, new: int) -> Iterator[ChangeCause]:
    """Yield what the records of two runs say besides machine code."""
    before, after = series.runs[old].machine, series.runs[new].machine
    kernels = series.kernel(case, old), series.kernel(case, new)
    launches = [kernel.launch if kernel else "" for kernel in kernels]
    for label, changes in (
        (CauseLabel.LAUNCH, _differing("launch", *launches)),
        (CauseLabel.DRIVER, _differing("driver", before.driver, after.driver)),
        (CauseLabel.GPU, _of_gpu(before, after)),
        (CauseLabel.METHOD, _differing("method", before.method, after.method)),
        (CauseLabel.ENVIRONMENT, _differing("host", before.host, after.host)),
    ):
        if recorded := tuple(changes):
            yield ChangeCause(label, recorded)


def _of_gpu(before: HistoryMachine, after: HistoryMachine) -> Iterator[RecordedChange]:
    yield from _differing("GPU", before.gpu, after.gpu)
    yield from _differing("settings", before.gpu_settings, after.gpu_settings)


def _differing(name: str, before: str, after: str) -> Iterator[RecordedChange]:
    if before and after and before != after:
        yield RecordedChange(name, before, after)


@dataclass(frozen=True, slots=True)
class _Others:
    """What other cases with the same machine code, and the sentinels, did at the same time."""

    moved: int  # cases that moved likewise
    known: int
    sentinels: tuple[RecordedChange, ...]  # where they moved likewise

    @property
    def have_moved(self) -> bool:
        """Whether the environment changed."""
        return bool(self.sentinels) or (self.moved >= FEWEST and self.moved >= SHARE * self.known)

    @property
    def unexplained(self) -> ChangeCause:
        """That the environment has not changed either."""
        return ChangeCause(CauseLabel.UNEXPLAINED, (), self.moved, self.known)


def _others(series: RunSeries, change: LevelChange, old: int, new: int) -> _Others:
    """Return what others did from run `new` on."""
    sign = 1 if change.after > change.before else -1
    moved, known = _moved(series, change, old, new)
    scale = _level(series.scales, new, change.seen) / _level(series.scales, old - BEFORE + 1, old)
    has_moved = bool(sign * (scale - 1) > MOVED)
    return _Others(moved, known, (RecordedChange("sentinels", "1", f"{scale:.4g}"),) if has_moved else ())


def _moved(series: RunSeries, change: LevelChange, old: int, new: int) -> tuple[int, int]:
    """Return how many cases with the same machine code moved likewise, and how many there are."""
    sign = 1 if change.after > change.before else -1
    times = series.times.times
    codes = zip(series.codes(old), series.codes(change.seen), strict=True)
    same = [case for case, (before, now) in enumerate(codes) if before and before == now and case != change.series]
    if not same:
        return 0, 0
    before, after = times[same, max(0, old - BEFORE + 1) : old + 1], times[same, new : change.seen + 1]
    with np.errstate(all="ignore"):
        middle = _row_medians(before)
        ratio = _row_medians(after) / middle
        spread = _row_medians(np.abs(before - middle[:, None])) / middle
    known = np.isfinite(ratio)
    moved = known & (sign * (ratio - 1) > np.fmax(MATTERS, SPREADS * np.nan_to_num(spread)))
    return int(moved.sum()), int(known.sum())


def _row_medians(values: Floats) -> Floats:
    """Return the median of each row without NaN; NaN for a row that has nothing else."""
    ranked = np.sort(np.where(np.isfinite(values), values, np.nan), axis=1)  # NaN at the end
    known = np.isfinite(ranked).sum(axis=1)
    middle = np.column_stack([np.maximum(known - 1, 0) // 2, known // 2])
    return np.asarray(np.take_along_axis(ranked, middle, axis=1).mean(axis=1))


def _level(values: Floats, first: int, last: int) -> float:
    """Return the median of a range of runs; NaN where nothing is known of them."""
    known = values[max(0, first) : last + 1]
    known = known[np.isfinite(known)]
    return float(np.median(known)) if known.size else float("nan")

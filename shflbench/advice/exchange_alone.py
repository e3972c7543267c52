"""The pattern that is the same exchange as one of a file, and what stored runs say of its shuffle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.advice.advice_request import make_request, resolve
from shflbench.advice.gpu_results import DEFAULT_RESULTS, read_results, usual_results
from shflbench.analysis.answers.group_answers import answers_of
from shflbench.analysis.answers.request import distance
from shflbench.analysis.claims.times import RunTimes
from shflbench.checker import LaneRelation
from shflbench.core.grouping import group_by
from shflbench.core.model import WARP, Status
from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.advice.gpu_results import GpuResults
    from shflbench.checker import ExchangeAdvice
    from shflbench.core.model import Device, Interval
    from shflbench.store import Row

DTYPES = {"f2": "f16", "f4": "f32", "f8": "f64", "u4": "i32", "i4": "i32", "u8": "i64", "i8": "i64"}  # by NumPy's type
SHUFFLE, SHARED = "shfl", "smem"  # variants that every pattern of an exchange has


@dataclass(frozen=True, slots=True)
class SamePattern:
    """A pattern that exchanges values in the same way, with the options for which it does."""

    name: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """The pattern in words: `reduce, width=32`."""
        return ", ".join((self.name, *map("=".join, self.options)))


@dataclass(frozen=True, slots=True)
class ExchangeAlone:
    """The speed of the shuffle relative to shared memory, where a kernel does nothing else."""

    pattern: SamePattern
    setting: str  # that was measured
    gpu: str
    run: str
    speedup: Interval


def same_pattern(exchange: ExchangeAdvice) -> SamePattern | None:
    """Return the pattern with the same exchange; None if there is none."""
    kinds = {relation for relation, _ in exchange.relations} - {
        LaneRelation.THREAD,
        LaneRelation.ACROSS,
        LaneRelation.BLOCKS,
    }
    if not exchange.instead or len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind is LaneRelation.BROADCAST:
        is_of_all = len(exchange.distances) == WARP
        return SamePattern("broadcast-work") if is_of_all else SamePattern("broadcast", (("values", "1"),))
    if kind is LaneRelation.PERMUTATION:
        return SamePattern("neighbor", _mode("idx"))
    if kind is LaneRelation.SEVERAL:
        return _known("transpose", "words", str(exchange.offered))
    return _of_distances(kind, exchange) if kind in {LaneRelation.XOR, LaneRelation.SHIFT} else None


def _of_distances(kind: LaneRelation, exchange: ExchangeAdvice) -> SamePattern | None:
    """Return the pattern that exchanges with lanes at these distances, which the lanes have in common.

    Steps whose distances double are those of a sum only if they combine the values: sorting networks have them as well.
    """
    distances = exchange.distances
    is_up = kind is LaneRelation.SHIFT and distances[0] < 0
    if len(distances) == 1:
        return SamePattern("neighbor", _mode("xor" if kind is LaneRelation.XOR else "up" if is_up else "down"))
    if not exchange.is_combined or sorted(map(abs, distances)) != [1 << step for step in range(len(distances))]:
        return None
    if len({item > 0 for item in distances}) > 1:
        return None
    return SamePattern("scan") if is_up else _known("reduce", "width", str(2 * max(distances)))


def _mode(word: str) -> tuple[tuple[str, str], ...]:
    return (("mode", word),)


def _known(pattern: str, option: str, value: str) -> SamePattern | None:
    """Return a pattern with an option, None if it has no such value."""
    declared = builtin_declaration(pattern)
    is_known = declared is not None and value in declared.options[option]
    return SamePattern(pattern, ((option, value),)) if is_known else None


class StoredExchanges:
    """What the results at hand say of exchanges; each pattern is read once."""

    def __init__(self, results: Sequence[Path], gpu: str | None, arch: str | None, *, of_gpu: bool = True) -> None:
        """Read the runs of results, by default those of the current folder, if there are any.

        ResultsError where a run is damaged, and, of named results or with `of_gpu`, where none is of the GPU.
        """
        self._known: dict[tuple[SamePattern, str, int], tuple[ExchangeAlone, ...]] = {}
        self._times: dict[Path, RunTimes] = {}  # by the run's folder
        is_required = results or (of_gpu and gpu and DEFAULT_RESULTS.is_dir())
        self._of_gpus = read_results(results, gpu, arch) if is_required else usual_results(gpu, arch)

    @property
    def device(self) -> Device | None:
        """The first GPU that the results are of; None if there is none."""
        return next((item.device for item in self._of_gpus if item.device is not None), None)

    def alone(self, exchange: ExchangeAdvice, block: int) -> tuple[ExchangeAlone, ...]:
        """Return the ratio of the same exchange on each GPU, in the setting nearest to blocks of so many threads."""
        pattern = same_pattern(exchange)
        if pattern is None:
            return ()
        key = pattern, DTYPES.get(exchange.element, "f32"), block
        if key not in self._known:
            self._known[key] = tuple(filter(None, (_ratio(item, self._times, *key) for item in self._of_gpus)))
        return self._known[key]


def _ratio(
    results: GpuResults, times: dict[Path, RunTimes], pattern: SamePattern, dtype: str, block: int
) -> ExchangeAlone | None:
    """Return the ratio in the nearest setting; of one that several runs measured, that of the newest run."""
    declared = builtin_declaration(pattern.name)
    chosen = dtype if declared is not None and dtype in declared.dtypes else None
    request = resolve(make_request(pattern.name, chosen, block, None, dict(pattern.options)), results.device)
    groups = [
        (run, rows)
        for run in sorted(results.runs, key=lambda run: run.info.started, reverse=True)
        for rows in group_by((row for row in run.rows if row.pattern == pattern.name), _setting).values()
        if set(pattern.options) <= set(rows[0].options) and {SHUFFLE, SHARED} <= _timed(rows)
    ]
    if not groups:
        return None
    run, rows = min(groups, key=lambda group: distance(request, group[1][0]))
    of_run = times.setdefault(run.folder, RunTimes(run))
    (answer,) = answers_of(replace(run, rows=tuple(rows)), results.limits[run.folder], of_run)
    speedup = answer.speedup(SHUFFLE, SHARED)
    return ExchangeAlone(pattern, answer.setting, results.title, answer.run, speedup) if speedup else None


def _setting(row: Row) -> tuple[object, ...]:
    return row.dtype, row.launch, row.iterations, row.options


def _timed(rows: Sequence[Row]) -> set[str]:
    return {row.variant for row in rows if row.status is Status.TIMED and row.time_us}

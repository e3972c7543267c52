"""Look up what the reference runs measured: the rankings of all settings, and what they say together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.ranking import Ranking, rankings_of, times
from shflbench.core.model import Mechanism
from shflbench.store import find_runs, read_run
from tools.docs.opponents import all_settings, side
from tools.docs.records.opponents import has_other_layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.store import Row

ROOT = Path(__file__).parents[2]
DEVICE = "nvidia-h200"
ONE_BARRIER = "smem-double"  # one block barrier per step, as the talk at GTC 2013 prints
WARP_BARRIERS = "smem-syncwarp"  # the usual best of shared memory, as the text says: the table names others only
MOSTLY = 2 / 3  # of the settings of a pattern
MODEL = "h200"  # of the record of the suite `opponents`
OVERVIEW = "quick"  # the suite whose cases are those of other suites with fewer iterations


@dataclass(frozen=True, slots=True)
class Setting:
    """The ranking between the variants of a setting: candidates and ties are those of every other answer."""

    ranking: Ranking

    @property
    def rows(self) -> Mapping[str, Row]:
        """The timed rows, by variant."""
        return {row.variant: row for row in self.ranking.rows}

    def leaders(self) -> list[str]:
        """Return the fastest candidates, those that tie, in alphabetical order."""
        return list(self.ranking.variants)

    def best(self) -> str:
        """Name the fastest candidates, those that tie, and library calls that are at least as fast."""
        ranking = self.ranking
        names = ", ".join(f"`{name}`" for name in self.leaders())
        calls = ", ".join(
            f"`{row.variant}`{'' if ranking.tie(row, ranking.fastest) else f' {times(1 / self.ratio(row.variant))}'}"
            for row in ranking.libraries
        )
        return f"{names} (also {calls})" if calls else names

    def ratio(self, slow: str, fast: str | None = None) -> float:
        """Return the time per iteration of `slow` divided by that of `fast`, by default the fastest candidate."""
        return per_iteration(self.rows[slow]) / per_iteration(self.rows[fast] if fast else self.ranking.fastest)

    def fastest(self, mechanism: Mechanism) -> Row | None:
        """Return the fastest candidate of a mechanism; None if there is none."""
        rows = (row for row in self.ranking.candidates if row.mechanism == mechanism.value)
        return next(rows, None)

    @property
    def rivals(self) -> list[Row]:
        """The safe rows, fastest first: candidates and library calls that read the same layout of the data."""
        rows = (row for row in self.ranking.rows if row.safe and not has_other_layout(row.pattern, row.variant))
        return sorted(rows, key=per_iteration)

    def ratio_of_launches(self, slow: str, fast: str) -> float:
        """Return the time of a launch of `slow` divided by that of one of `fast`, as the claims of code bases are."""
        return _time(self.rows[slow]) / _time(self.rows[fast])

    def best_of(self, kind: Mechanism) -> Row | None:
        """Return the fastest row that exchanges values through something, of a library too; None if there is none."""
        return next((row for row in self.rivals if side(row) == kind.value), None)

    def over(self, kind: Mechanism) -> str:
        """Return the speed of the fastest over the best of a kind; a dash if that is among the fastest."""
        return self.over_row(self.best_of(kind), {WARP_BARRIERS, Mechanism.SHFL.value})

    def over_block_barriers(self) -> str:
        """Return the speed over the best that waits at block barriers in each step."""
        waiting = (row for row in self.rivals if (row.sass_per_iteration or {}).get("BAR"))
        return self.over_row(next(waiting, None), {ONE_BARRIER})

    def over_row(self, row: Row | None, usual: Iterable[str] = ()) -> str:
        """Return the speed of the fastest over a row, and its name unless it is a usual one."""
        if row is None or row.variant in self.leaders() or row in self.ranking.libraries:
            return "–"
        return times(self.ratio(row.variant)) + ("" if row.variant in usual else f" `{row.variant}`")

    def faster(self) -> str | None:
        """Return which mechanism has the faster safe variant: `shfl`, `smem` or `tie`; None unless both have one."""
        shfl, smem = self.fastest(Mechanism.SHFL), self.fastest(Mechanism.SMEM)
        if shfl is None or smem is None:
            return None
        if self.ranking.tie(shfl, smem):
            return "tie"
        return "shfl" if _time(shfl) < _time(smem) else "smem"


def _time(row: Row) -> float:
    if row.time_us is None:
        raise ValueError(row.case_id)  # `settings` has only timed rows
    return row.time_us


def per_iteration(row: Row) -> float:
    """Return a row's time per iteration in ns, without the cost of a launch; of one-pass kernels that of a launch."""
    return row.ns_per_iteration if row.ns_per_iteration is not None else 1000 * _time(row)


@cache
def settings(device: str = DEVICE) -> dict[str, Setting]:
    """Return the settings of a GPU's reference runs, each by a text such as `gtc2013 reduce f32 26x1024 width=32`."""
    found: dict[str, Setting] = {}
    for folder in find_runs([ROOT / "results"]):
        run = read_run(folder)
        if folder.name != device or run.info.suite.name == OVERVIEW:
            continue
        for ranking in rankings_of(run.rows, RunTimes(run)):
            row = ranking.fastest
            name = " ".join((run.info.suite.name, row.pattern, row.dtype, row.launch, *row.option_texts))
            found[name] = Setting(ranking)
    return found


@cache
def by_pattern() -> dict[str, Counter[str]]:
    """Return in how many settings of a pattern shuffles are faster than shared memory, slower, or neither."""
    later = all_settings(MODEL)  # with variants that the runs do not have
    outcomes = [(name.split()[0], it.faster()) for name, it in later.items()]
    for name, setting in settings().items():
        if name.partition(" ")[2] not in later:
            outcomes.append((setting.ranking.fastest.pattern, setting.faster()))
    found: dict[str, Counter[str]] = {}
    for pattern, faster in outcomes:
        if faster:
            found.setdefault(pattern, Counter())[faster] += 1
    return dict(sorted(found.items()))


def patterns_where(faster: str) -> list[str]:
    """Return the patterns of whose settings more than two thirds have this outcome of `Setting.faster`."""
    return [f"`{name}`" for name, counts in by_pattern().items() if counts[faster] > MOSTLY * counts.total()]


def unsteady() -> list[str]:
    """Return the suites whose reference runs were not made on a quiet GPU."""
    infos = [read_run(folder).info for folder in find_runs([ROOT / "results"]) if folder.name == DEVICE]
    return [f"`{info.suite.name}`" for info in infos if info.noise and not info.noise.quiet]


def unsafe_gain() -> float:
    """Return the largest speed of shared memory without barriers relative to that with warp barriers."""
    both = [it for it in settings().values() if {"smem-unsafe", "smem-syncwarp"} <= it.rows.keys()]
    return ceil(10 * max(it.ratio("smem-syncwarp", "smem-unsafe") for it in both)) / 10  # it is called an upper bound


def launch_costs() -> tuple[float, float]:
    """Return the least and the largest median of what a launch costs, of the suites with a timed loop, in µs."""
    runs = [read_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == DEVICE]
    costs = [[row.launch_overhead_us for row in run.rows if row.launch_overhead_us is not None] for run in runs]
    medians = [median(of_run) for of_run in costs if of_run]
    return min(medians), max(medians)

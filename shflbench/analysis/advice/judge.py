"""The answer of each group of a run that has at least two candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.advice.answer import Answer, Certainty, RankedVariant, Role
from shflbench.analysis.advice.safety import safety_notes
from shflbench.analysis.advice.simplicity import simplicity
from shflbench.analysis.contest import competes, time_us
from shflbench.analysis.settings import factors, words
from shflbench.grouping import group_by
from shflbench.model import Interval, Mechanism, Status
from shflbench.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.claims.times import RunTimes
    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit

MATTERS = 0.01  # of the time: processes with the same code differ by up to as much, and no reader gains by less
NO_CHOICE = frozenset({"memory-ladder"})  # its variants read different memories: none can replace another


def answers_of(run: Run, limits: Mapping[str, CaseLimit], times: RunTimes | None = None) -> list[Answer]:
    """Return the answer of each group of a run with at least two candidates, in file order; `limits` are by case.

    With `times` of the run, the intervals of a group hold jointly, with an error of 1%, and include what processes
    differ; they need the samples. Otherwise they are those of the rows: 95% each.
    """
    groups = group_by(run.rows, lambda row: (row.pattern, row.dtype, row.launch, row.iterations, row.options))
    return [_Setting.of(run, rows, limits, times).answer() for rows in groups.values() if _is_contested(rows)]


def _is_contested(rows: Sequence[Row]) -> bool:
    return rows[0].pattern not in NO_CHOICE and sum(map(competes, rows)) > 1


@dataclass(frozen=True, slots=True)
class _Setting:
    """The timed rows of one group, with their times."""

    run: Run
    rows: tuple[Row, ...]  # fastest first
    times_us: Mapping[str, Interval]  # by case
    limits: Mapping[str, CaseLimit]

    @classmethod
    def of(cls, run: Run, rows: Sequence[Row], limits: Mapping[str, CaseLimit], times: RunTimes | None) -> _Setting:
        timed = sorted((row for row in rows if row.status is Status.TIMED and row.time_us), key=time_us)
        return cls(run, tuple(timed), {row.case_id: _interval(row, times, len(timed)) for row in timed}, limits)

    def slowdown(self, row: Row, best: Row) -> Interval:
        """Return the time of a row divided by that of another."""
        return ratio(self.times_us[row.case_id], self.times_us[best.case_id])

    def answer(self) -> Answer:
        """Return which variant to use."""
        candidates = [row for row in self.rows if competes(row)]
        certainty, leaders = self._leaders(candidates)
        best = min(self._equals(certainty, leaders), key=simplicity)
        others = [row for row in candidates if row not in leaders]
        baseline = next((row for row in self.rows if row.variant == best.baseline), None)
        limit = self.limits.get(best.case_id)
        device = self.run.info.device
        return Answer(
            run=str(self.run.folder),
            suite=self.run.info.suite.name,
            gpu=device.name if device else "",
            arch=self.run.info.arch,
            pattern=best.pattern,
            dtype=best.dtype,
            launch=best.launch,
            grid=best.grid,
            block=best.block,
            iterations=best.iterations,
            options=best.options,
            setting=words(factors(best)),
            variant=best.variant,
            mechanism=best.mechanism,
            certainty=certainty,
            tied=tuple(row.variant for row in leaders if row is not best),
            baseline=baseline.variant if baseline else None,
            over_baseline=self.slowdown(baseline, best) if baseline and baseline is not best else None,
            runner_up=others[0].variant if others else None,
            over_runner_up=self.slowdown(others[0], best) if others else None,
            limit_fraction=limit.limit_fraction if limit else None,
            limit_by=limit.limit_by if limit else None,
            notes=safety_notes(best, self._faster_unsafe(best)),
            ranking=tuple(self._ranked(row, best) for row in self.rows),
        )

    def _leaders(self, candidates: Sequence[Row]) -> tuple[Certainty, list[Row]]:
        """Return how sure it is which candidate is fastest, and those that are not clearly slower; fastest first."""
        fastest = candidates[0]
        leaders = [row for row in candidates if row is fastest or self.slowdown(row, fastest).low <= 1 + MATTERS]
        if len(leaders) == 1:
            return Certainty.CLEAR, leaders
        within = all(self.slowdown(row, fastest).high <= 1 + MATTERS for row in leaders[1:])
        return Certainty.TIE if within else Certainty.UNDECIDED, leaders

    def _equals(self, certainty: Certainty, leaders: Sequence[Row]) -> list[Row]:
        """Return the leaders of which the simplest is recommended.

        Where it is undecided, those that are not shown to be slower, and whose times are within what matters.
        """
        if certainty is Certainty.TIE:
            return list(leaders)
        slowdowns = [(row, self.slowdown(row, leaders[0])) for row in leaders]
        return [row for row, slowdown in slowdowns if slowdown.low <= 1 and slowdown.value <= 1 + MATTERS]

    def _faster_unsafe(self, best: Row) -> list[tuple[Row, float]]:
        """Return the unsafe rows that are shown to be faster, each with its speed relative to the best."""
        slowdowns = [(row, self.slowdown(row, best)) for row in self.rows if not row.safe]
        return [(row, 1 / slowdown.value) for row, slowdown in slowdowns if slowdown.high < 1]

    def _ranked(self, row: Row, best: Row) -> RankedVariant:
        role = Role.UNSAFE if not row.safe else Role.LIBRARY if row.mechanism == Mechanism.LIBRARY else Role.CANDIDATE
        limit = self.limits.get(row.case_id)
        return RankedVariant(
            variant=row.variant,
            mechanism=row.mechanism,
            role=role,
            case_id=row.case_id,
            time_us=self.times_us[row.case_id],
            slowdown=self.slowdown(row, best),
            limit_fraction=limit.limit_fraction if limit else None,
            limit_by=limit.limit_by if limit else None,
        )


def _interval(row: Row, times: RunTimes | None, family: int) -> Interval:
    """Return the time of a timed row in µs, one of `family` that are compared; without an interval it is a point."""
    measured = times.measured(row, "time") if times else None
    if measured and (joint := measured.interval(family)).low > 0:
        return joint
    time = row.time_us or 0.0
    return Interval(time, row.time_low_us or time, row.time_high_us or time)

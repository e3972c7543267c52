"""The answer of a tuning run at one launch: the fastest candidate, and what it brings beside the pattern's variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.contest import MATTERS, contest_of, times_within
from shflbench.grouping import group_by
from shflbench.model import Status
from shflbench.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.contest import Contest
    from shflbench.store import Row, Run
    from shflbench.tuner.candidates import RankedSetting
    from shflbench.tuner.record import TriedCandidate


@dataclass(frozen=True, slots=True)
class TunedSetting:
    """The last rung at one launch."""

    launch: str
    rows: tuple[Row, ...]  # fastest first; those that failed at the end
    contest: Contest | None  # None where fewer than two candidates have a time
    members: frozenset[str]  # of the candidates, those of the family
    lost: tuple[str, ...] = ()  # that took less time in an earlier rung, and were dropped beside one that failed later

    @property
    def sentence(self) -> str:
        """What is fastest, and by how much it beats the best variant of the pattern."""
        if self.contest is None:
            timed = [row for row in self.rows if row.status is Status.TIMED]
            return f"{self.launch}: only {timed[0].variant} was timed" if timed else f"{self.launch}: nothing was timed"
        fastest = self.contest.fastest
        what = "a member of the family" if fastest.variant in self.members else "a variant of the pattern"
        tied = [row.variant for row in self.contest.leaders[1:]]
        tie = f", tied with {join_words(tied)}" if tied else ""
        lost = (
            f"; faster before, and dropped beside one that failed later: {join_words(self.lost)}" if self.lost else ""
        )
        return f"{self.launch}: {fastest.variant}, {what}, is fastest{tie}{self._gain(fastest)}{lost}"

    def _gain(self, fastest: Row) -> str:
        assert self.contest is not None  # noqa: S101  (asked where there is one)
        others = [row for row in self.contest.candidates if row.variant not in self.members]
        if fastest.variant not in self.members or not others:
            return ""
        gain = times_within(self.contest.slowdown(others[0], fastest))
        return f"; {gain} the speed of {others[0].variant}, by times of launches"


def tuned_settings(
    last: Run, settings: Sequence[RankedSetting], tried: Sequence[TriedCandidate]
) -> Iterator[TunedSetting]:
    """Yield the answer at each launch from the run of the last rung, and what was tried in all."""
    times = RunTimes(last) if any(row.time_us for row in last.rows) else None
    rows = group_by(last.rows, lambda row: row.launch)
    for setting in settings:
        of_launch = sorted(rows.get(setting.launch, ()), key=lambda row: row.time_us or float("inf"))
        least = min((row.time_us or 0.0 for row in of_launch if row.status is Status.TIMED), default=0.0)
        reached = {row.variant for row in of_launch}
        yield TunedSetting(
            launch=setting.launch,
            lost=tuple(
                one.variant
                for one in tried
                if one.launch == setting.launch
                and one.variant not in reached
                and not one.has_failed
                and one.time_us
                and one.time_us < least * (1 - MATTERS)
            ),
            rows=tuple(of_launch),
            contest=contest_of(of_launch, times),
            members=frozenset(one.variant for one in setting.candidates if one.is_member),
        )


def gpu_seconds(run: Run) -> float:
    """Return the time in which a run took samples: from the first to the last one of each process."""
    if not any(row.time_us for row in run.rows):
        return 0.0
    seconds = run.samples(("process", "seconds")).groupby("process")["seconds"]
    return float((seconds.max() - seconds.min()).sum())

"""The answer of a tuning run at one launch: the fastest candidate, and what it brings beside the pattern's variants."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from shflbench.advice.tuner.rules import RUNGS, rank_time
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.ranking import ranking_of, times_within
from shflbench.core.grouping import group_by
from shflbench.core.model import SENTINEL, Status
from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.advice.tuner.candidates import RankedSetting
    from shflbench.advice.tuner.record import TriedCandidate
    from shflbench.analysis.ranking import Ranking
    from shflbench.store import Row, Run


@dataclass(frozen=True, slots=True)
class TunedSetting:
    """The last rung at one launch."""

    launch: str
    rows: tuple[Row, ...]  # fastest first; those that failed at the end
    ranking: Ranking | None  # None where fewer than two candidates have a time
    members: frozenset[str]  # of the candidates, those of the family
    rung: int  # number, from 1; 0 where none measured the launch
    processes: int  # of that rung
    best: tuple[TriedCandidate, ...]  # the fastest of each mechanism, by the last rung that measured it

    @property
    def sentence(self) -> str:
        """What is fastest, and by how much it beats the best variant of the pattern."""
        if self.ranking is None:
            timed = [row for row in self.rows if row.status is Status.TIMED]
            return f"{self.launch}: only {timed[0].variant} was timed" if timed else f"{self.launch}: nothing was timed"
        fastest = self.ranking.fastest
        what = "a member of the family" if fastest.variant in self.members else "a variant of the pattern"
        tied = [row.variant for row in self.ranking.leaders[1:]]
        tie = f", tied with {join_words(tied)}" if tied else ""
        extent = "" if self.rung == len(RUNGS) else f", decided in {self.processes} processes"
        return f"{self.launch}: {fastest.variant}, {what}, is fastest{tie}{self._gain(fastest)}{extent}"

    @property
    def mechanisms(self) -> str:
        """What was measured of each mechanism; empty for one mechanism."""
        if len(self.best) < 2:  # noqa: PLR2004  (one is what the sentence names)
            return ""
        parts = (
            f"{one.mechanism} {one.variant} {one.time_us:#.4g} µs (rung {one.rung})" for one in self.best if one.time_us
        )
        return f"{self.launch}: the fastest measured of each mechanism: {', '.join(parts)}"

    def _gain(self, fastest: Row) -> str:
        assert self.ranking is not None  # noqa: S101  (asked where there is one)
        others = [row for row in self.ranking.candidates if row.variant not in self.members]
        if fastest.variant not in self.members or not others:
            return ""
        gain = times_within(self.ranking.slowdown(others[0], fastest))
        return f"; {gain} the speed of {others[0].variant}, by times of launches"


def tuned_settings(
    last: Mapping[str, tuple[int, Run]], settings: Sequence[RankedSetting], tried: Sequence[TriedCandidate]
) -> Iterator[TunedSetting]:
    """Yield the answer at each launch from the last rung that measured it; `last` is its number and run, by launch."""
    times = {run.folder: _times(run) for _, run in last.values()}
    for setting in settings:
        number, run = last.get(setting.launch, (0, None))
        of_launch = [row for row in run.rows if row.launch == setting.launch] if run else []
        of_launch.sort(key=lambda row: row.time_us or float("inf"))
        yield TunedSetting(
            launch=setting.launch,
            rows=tuple(of_launch),
            ranking=ranking_of(of_launch, times[run.folder]) if run else None,
            members=frozenset(one.variant for one in setting.candidates if one.is_member),
            rung=number,
            processes=RUNGS[number - 1].processes if run else 0,
            best=tuple(_best_of_mechanisms(one for one in tried if one.launch == setting.launch)),
        )


def _times(run: Run) -> RunTimes | None:
    return RunTimes(run) if any(row.time_us for row in run.rows) else None


def _best_of_mechanisms(tried: Iterable[TriedCandidate]) -> Iterable[TriedCandidate]:
    """Return the fastest of each mechanism by the last rung that measured it, fastest first."""
    timed = [one for one in tried if one.time_us and one.rung and not one.has_failed]
    order = sorted(timed, key=lambda one: rank_time(one.time_us or 0.0, one.rung or 0))
    return [alike[0] for alike in group_by(order, lambda one: one.mechanism).values()]


def sampling_seconds(run: Run) -> float:
    """Return the time in which a run sampled kernels, without the warm-up of its processes.

    It goes from the first burst of a round to the first burst of the next one that shares a case with it: between
    others, the host verifies kernels. The last round counts from its first burst to its last. Those that choose the
    number of samples, before the first round of cases, are not counted.
    """
    if not any(row.time_us for row in run.rows):
        return 0.0
    samples = run.samples(("case_id", "process", "round", "seconds"))
    seconds = 0.0
    for _, of_process in samples.groupby("process"):
        rounds = [
            (of_round["seconds"].min(), of_round["seconds"].max(), {*map(str, of_round["case_id"])})
            for _, of_round in of_process.groupby("round", sort=True)
        ]
        for (first, last, cases), following in zip_longest(rounds, rounds[1:]):
            is_next = following is not None and any(
                not case.startswith(f"{SENTINEL}/") for case in cases & following[2]
            )
            seconds += float((following[0] if is_next else last) - first)
    return seconds

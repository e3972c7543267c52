"""What comes out of comparing two sides: a verdict for every case, and what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.analysis.compare.verdict import Outcome

if TYPE_CHECKING:
    from shflbench.analysis.compare.verdict import Verdict

FINDINGS = frozenset({Outcome.SLOWER, Outcome.MISSING, Outcome.FAILED})
UNDECIDED = frozenset({Outcome.SUSPECTED, Outcome.INCONCLUSIVE, Outcome.NOT_COMPARABLE})

FOUND = 1
UNCERTAIN = 6


class Metric(StrEnum):
    """What is compared."""

    TIME = "time"
    NS_PER_ITERATION = "ns_per_iteration"
    CYCLES_PER_ITERATION = "cycles_per_iteration"
    REGISTERS = "registers"

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return {"time": "µs", "ns_per_iteration": "ns", "cycles_per_iteration": "cycles", "registers": "registers"}[
            self
        ]


@dataclass(frozen=True, slots=True)
class SideInfo:
    """One side of a comparison, for its reader."""

    name: str  # the folders of its runs, or the name of a baseline
    suite: str
    device: str  # model of the GPU; empty where there was none
    gpus: tuple[str, ...]  # UUIDs
    driver: str
    nvrtc: str
    started: str  # of its first run, UTC
    commit: str  # of the checkout that shflbench ran from; empty if unknown
    runs: int
    processes: int  # the fewest that any timed case was measured in


@dataclass(frozen=True, slots=True)
class NoiseUsed:
    """What was taken for the noise of a process's time: sd² = a² + (b·time)²."""

    source: str  # in words: "learned from 24 processes on this GPU", "fitted to the spread within both sides", …
    a_us: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The verdict for every case of either side, in the order of the base's cases, then of the new ones."""

    base: SideInfo
    new: SideInfo
    metric: Metric
    verdicts: tuple[Verdict, ...]
    noise: NoiseUsed | None  # None where none was needed
    offset_us: float | None = None  # by how much longer the sentinels say that everything took on the new side
    across: tuple[str, ...] = ()  # what keeps the sides from being compared, where a report was asked for all the same
    notes: tuple[str, ...] = ()  # what else differs between the sides, a sentence each
    warnings: tuple[str, ...] = ()  # what to doubt, a sentence each
    allowed: frozenset[Outcome] = frozenset()  # judgments that do not fail the gate

    def count(self, outcome: Outcome) -> int:
        """Return how many cases came out so."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    def counts(self) -> dict[str, int]:
        """Return how many cases came out how, the most important first; none is 0."""
        return {outcome.value: count for outcome in Outcome if (count := self.count(outcome))}

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 for a judgment, 6 where `strict` asks for certainty and a case is undecided, else 0."""
        if self.across:
            return 0
        outcomes = {verdict.outcome for verdict in self.verdicts}
        if outcomes & FINDINGS - self.allowed:
            return FOUND
        return UNCERTAIN if strict and outcomes & UNDECIDED else 0

    def by_importance(self) -> tuple[Verdict, ...]:
        """Return the verdicts, judgments first, and the largest change first among those of an outcome."""

        def importance(verdict: Verdict) -> tuple[int, float]:
            return verdict.outcome.rank, -abs(math.log(verdict.ratio.value)) if verdict.ratio else 0.0

        return tuple(sorted(self.verdicts, key=importance))

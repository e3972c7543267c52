"""Draw processes from batches and compare them by the rule of `compare`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from benchmarks.compare_power.recording import Process
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.noise import NoiseModel
from shflbench.analysis.compare.pool import Pool, contrasts_of, evidence_of, judgments
from shflbench.core.thresholds import Threshold, Thresholds

Sides = tuple[Sequence[Process], Sequence[Process]]

ALARMS = frozenset({Outcome.SLOWER, Outcome.FASTER})
OPEN = frozenset({Outcome.INCONCLUSIVE, Outcome.SUSPECTED})


@dataclass(frozen=True, slots=True)
class Mode:
    """A number of processes per side and a threshold."""

    name: str
    processes: int  # per side
    threshold: Threshold | None = None  # None: the default of `compare`

    def __str__(self) -> str:
        """Return its name, processes and threshold, for a table."""
        threshold = self.threshold or Threshold(0.02 if self.processes == 1 else 0.01)
        return f"{self.name}: {self.processes} {'processes' if self.processes > 1 else 'process'} per side, {threshold}"


QUICK = Mode("quick", 1)
PAIR = Mode("two", 2)
DEFAULT = Mode("default", 3)
FINE = Mode("fine", 5, Threshold(0.005))
MODES = (QUICK, PAIR, DEFAULT, FINE)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One comparison of a suite."""

    processes: frozenset[Process]  # of both sides
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by case; empty if refused because of the sentinels

    @property
    def refused(self) -> bool:
        """Whether the sentinels show that the machine changed."""
        return not self.outcomes

    @property
    def alarms(self) -> list[str]:
        """The cases that are called slower or faster."""
        return [case for case, outcome in self.outcomes.items() if outcome in ALARMS]


def within(processes: Sequence[Process], size: int, count: int, random: random.Random) -> Iterator[Sides]:
    """Yield pairs of sides of `size` processes: all pairs if one process per side gives at most `count` of them.

    Otherwise `count` random pairs: each shuffle of the processes gives as many disjoint pairs of sides as possible, so
    that all processes occur equally often.
    """
    if size == 1 and len(processes) * (len(processes) - 1) // 2 <= count:
        for base, new in combinations(processes, 2):
            yield ([base], [new]) if random.random() < 0.5 else ([new], [base])  # noqa: PLR2004  (either order)
        return
    for _ in range(-(-count // disjoint(processes, size))):
        dealt = random.sample(processes, len(processes))
        for pair in range(disjoint(processes, size)):
            first = 2 * size * pair
            yield dealt[first : first + size], dealt[first + size : first + 2 * size]


def disjoint(processes: Sequence[Process], size: int) -> int:
    """Return the number of comparisons with `size` processes per side of which no two share a process."""
    return len(processes) // (2 * size)


def between(
    base: Sequence[Process], new: Sequence[Process], size: int, count: int, random: random.Random
) -> Iterator[Sides]:
    """Yield `count` pairs of sides, one from `base` and one from `new`; no process is on both."""
    for _ in range(count):
        after = random.sample(new, size)
        yield random.sample([process for process in base if process not in after], size), after


def compared(base: Pool, new: Pool, mode: Mode, pairs: Iterator[Sides], noise: NoiseModel | None = None) -> list[Drawn]:
    """Compare each pair of sides."""
    thresholds = Thresholds(mode.threshold)
    draws = []
    for before, after in pairs:
        results = judgments(base.select(before), new.select(after), thresholds, noise)
        draws.append(Drawn(frozenset((*before, *after)), {result.case_id: result.outcome for result in results}))
    return draws


def true_slowdowns(base: Pool, new: Pool) -> dict[str, float]:
    """Return the fraction by which each case became slower, from all processes of both pools."""
    contrasts = contrasts_of(base, new, evidence_of(base, new))
    return {each.case_id: float(each.new.values.mean() / each.base.values.mean()) - 1 for each in contrasts}

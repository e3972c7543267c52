"""Draw processes from batches, hold them against each other by the rule of `compare`, and note what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.pool import contrasts_of, evidence_of, judgments
from shflbench.thresholds import Threshold, Thresholds

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Process
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.pool import Pool

    Sides = tuple[Sequence[Process], Sequence[Process]]

ALARMS = frozenset({Outcome.SLOWER, Outcome.FASTER})
OPEN = frozenset({Outcome.INCONCLUSIVE, Outcome.SUSPECTED})


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to use `compare`."""

    name: str
    processes: int  # a side
    asked: Threshold | None = None  # None: what `compare` takes by itself

    def __str__(self) -> str:
        """Return it with its processes and its threshold, for a table."""
        threshold = self.asked or Threshold(0.02 if self.processes == 1 else 0.01)
        several = "processes" if self.processes > 1 else "process"
        return f"{self.name}: {self.processes} {several} a side, {str(threshold).replace('%', ' %')}"


QUICK = Mode("quick", 1)
PAIR = Mode("two", 2)
DEFAULT = Mode("default", 3)
FINE = Mode("fine", 5, Threshold(0.005))
MODES = (QUICK, PAIR, DEFAULT, FINE)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One comparison of a suite."""

    processes: frozenset[Process]  # of both sides
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by case; none where the sentinels refused

    @property
    def refused(self) -> bool:
        """Whether the sentinels say that the machine changed."""
        return not self.outcomes

    @property
    def alarms(self) -> list[str]:
        """The cases that are called slower or faster."""
        return [case for case, outcome in self.outcomes.items() if outcome in ALARMS]


def within(processes: Sequence[Process], size: int, count: int, random: random.Random) -> Iterator[Sides]:
    """Yield pairs of sides of `size` processes: every pair, where one process a side makes no more than `count`.

    Else `count` random ones, by turns: each shuffle of the processes is dealt out to as many disjoint pairs of sides as
    it has processes for, so that all processes come up equally often.
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
    """Return how many comparisons of `size` processes a side these are enough for, if none may take part in two."""
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
    thresholds = Thresholds(mode.asked)
    found = []
    for before, after in pairs:
        verdicts = judgments(base.select(before), new.select(after), thresholds, noise)
        found.append(Drawn(frozenset((*before, *after)), {each.case_id: each.outcome for each in verdicts}))
    return found


def true_slowdowns(base: Pool, new: Pool) -> dict[str, float]:
    """Return by which fraction each case became slower, by all processes of both pools."""
    contrasts = contrasts_of(base, new, evidence_of(base, new))
    return {each.case_id: float(each.new.values.mean() / each.base.values.mean()) - 1 for each in contrasts}

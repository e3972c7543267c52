"""Hold processes of unchanged code against each other: what the rule says of them is right only if it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.evidence import set_threshold
from shflbench.analysis.compare.pool import contrasts_of, evidence_of
from shflbench.analysis.compare.rule import judge, without_outlier
from shflbench.grouping import group_by
from shflbench.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from shflbench.analysis.compare.estimates import Floats, Process
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.pool import Pool
    from shflbench.analysis.compare.rule import Contrast

    Pair: TypeAlias = tuple[tuple[Process, ...], tuple[Process, ...]]

ATTEMPTS = 10  # times as many draws as are asked for, which find nearly all pairs where there are no more


def pairs(processes: Sequence[Process], a_side: int, count: int, seed: int = 0) -> list[Pair]:
    """Draw up to `count` different pairs of sides that share no process; fewer where there are not as many.

    Where two runs have enough processes, each side is of one run and the other side of another, as in use: what runs
    of different days differ by then lies between the sides. Nothing where the processes are too few.
    """
    random = np.random.default_rng(seed)
    every, runs = list(processes), _enough(processes, a_side)
    if len(runs) < 2 and len(every) < 2 * a_side:  # noqa: PLR2004  (two sides)
        return []
    distinct: dict[frozenset[frozenset[Process]], Pair] = {}
    for _ in range(ATTEMPTS * count):
        if len(distinct) == count:
            break
        if len(runs) > 1:
            chosen = [runs[place] for place in random.permutation(len(runs))[:2]]
            base, new = (tuple(run[place] for place in random.permutation(len(run))[:a_side]) for run in chosen)
        else:
            both = [every[place] for place in random.permutation(len(every))[: 2 * a_side]]
            base, new = tuple(both[:a_side]), tuple(both[a_side:])
        distinct.setdefault(frozenset({frozenset(base), frozenset(new)}), (base, new))
    return list(distinct.values())


def apart(processes: Sequence[Process], a_side: int) -> int:
    """Return how many pairs of sides there are if no process may be in two of them."""
    sides = [len(run) // a_side for run in _enough(processes, a_side)]
    if len(sides) > 1:
        return min(sum(sides) // 2, sum(sides) - max(sides))
    return len(processes) // (2 * a_side)


def _enough(processes: Iterable[Process], a_side: int) -> list[list[Process]]:
    """Return the runs that have processes enough for a side."""
    return [run for run in group_by(processes, lambda process: process[0]).values() if len(run) >= a_side]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the rule says of the cases of two sides at any threshold: arrays of a fraction of the base's time for each.

    A case is judged once, and again without its outlier process if it has one. Its change is real or not whatever the
    threshold, which only decides whether it matters.
    """

    sizes: Floats  # of the changes
    reaches: Floats  # half the widths of their intervals
    blurs: Floats  # by how much a change is off at most
    scales: Floats  # the smaller side: thresholds are fractions of it
    hidden: Floats  # changes, as fractions of the smaller side, that are certain without an outlier process; 0 for none
    limits: Callable[[float], Contrast]  # what a comparison makes of a threshold: any case, with it and with a doubt

    def smallest(self, threshold: float) -> float:
        """Return the threshold that is taken where this one is asked for: one process a side has a least one."""
        return self.limits(threshold).threshold

    def certain(self, threshold: float) -> float:
        """Return the change from which on a case is called slower or faster; a smaller one is suspected at most."""
        limit = self.limits(threshold)
        return limit.doubt.certain(limit.threshold) if limit.doubt else limit.threshold

    def alarms(self, threshold: float) -> NDArray[np.bool_]:
        """Return which cases are called slower or faster."""
        smallest, certain = self.smallest(threshold) * self.scales, self.certain(threshold)
        real = self.sizes > self.reaches
        unclear = ~(real & (self.sizes >= smallest)) & (self.sizes + self.blurs >= smallest)
        return (real & (self.sizes >= certain * self.scales)) | (unclear & (self.hidden >= certain))

    def same_thresholds(self) -> Floats:
        """Return the threshold of each case from which on it is called the same, if it may be asked for."""
        return (self.sizes + self.blurs) / self.scales

    def undecided(self, threshold: float) -> NDArray[np.bool_]:
        """Return which cases are suspected or inconclusive."""
        return ~self.alarms(threshold) & (self.same_thresholds() >= self.smallest(threshold))

    def detectable(self, threshold: float) -> Floats:
        """Return the smallest slowdown that nearly all such comparisons find; see `rule.MISSED`."""
        return np.maximum(self.reaches, self.certain(threshold)) + self.blurs


def outcomes(base: Pool, new: Pool, noise: NoiseModel | None, *, believed: bool = False) -> Outcomes | None:
    """Judge two sides as `compare` does, by its own noise or by one that was learned; None where the machine changed.

    `believed`: reckon with the noise that was learned even where the sides contradict it.
    """
    evidence = evidence_of(base, new)
    if evidence.machine_change:
        return None
    contrasts = contrasts_of(base, new, evidence)
    model = noise if noise and believed else evidence.noise(contrasts, noise)[0]
    judgments = judge(contrasts, model)  # at a threshold of 0: reach and blur are then the whole of what is detectable
    before = np.array([judgment.base for judgment in judgments])
    after = np.array([judgment.new for judgment in judgments])
    reaches = np.array([judgment.ratio.high - judgment.ratio.value for judgment in judgments])
    blurs = np.array([judgment.detectable for judgment in judgments]) - reaches
    unknown = np.array([judgment.reason is Reason.TOO_FEW_ROUNDS for judgment in judgments])
    return Outcomes(
        sizes=np.abs(after - before) / before,
        reaches=np.where(unknown, np.inf, reaches),
        blurs=np.where(unknown, np.inf, blurs),
        scales=np.minimum(before, after) / before,
        hidden=np.where(unknown, 0.0, [_hidden(contrast, model, len(contrasts)) for contrast in contrasts]),
        limits=lambda threshold: set_threshold(contrasts[0], Threshold(threshold), evidence, learned=model is noise),
    )


def _hidden(contrast: Contrast, model: NoiseModel, family: int) -> float:
    """Return the change that is certain without an outlier process, as a fraction of the smaller side; else 0."""
    others = without_outlier(contrast, model)
    if others is None:
        return 0.0
    (judgment,) = judge([others], model, family)
    change = abs(judgment.new - judgment.base) / min(judgment.base, judgment.new)
    return change if judgment.reason is Reason.BEYOND_THRESHOLD else 0.0


def judge_pairs(
    pool: Pool, sides: Sequence[Pair], noise: NoiseModel | None, *, believed: bool = False
) -> list[Outcomes]:
    """Judge pairs of sides out of a pool; those between which the machine changed are left out."""
    results = (outcomes(pool.select(base), pool.select(new), noise, believed=believed) for base, new in sides)
    return [outcome for outcome in results if outcome is not None]

"""Compare processes of unchanged code with one another: each change that the rule reports is a false alarm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.evidence import set_threshold
from shflbench.analysis.compare.pool import contrasts_of, evidence_of
from shflbench.analysis.compare.rule import judge, without_outlier
from shflbench.core.grouping import group_by
from shflbench.core.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from shflbench.analysis.compare.estimates import Floats, Process
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.pool import Pool
    from shflbench.analysis.compare.rule import Contrast

    Pair: TypeAlias = tuple[tuple[Process, ...], tuple[Process, ...]]

ATTEMPTS = 10  # draws per requested pair: they find nearly all pairs if there are fewer than requested


def draw_pairs(processes: Sequence[Process], per_side: int, count: int, seed: int = 0) -> list[Pair]:
    """Draw up to `count` different pairs of sides that share no process; fewer if fewer exist.

    If two runs have enough processes, each side comes from one run, as in use: the difference between runs of different
    days is then a difference between the sides. Empty if there are too few processes.
    """
    random = np.random.default_rng(seed)
    pool, runs = list(processes), _runs_of_size(processes, per_side)
    if len(runs) < 2 and len(pool) < 2 * per_side:  # noqa: PLR2004  (two sides)
        return []
    distinct: dict[frozenset[frozenset[Process]], Pair] = {}
    for _ in range(ATTEMPTS * count):
        if len(distinct) == count:
            break
        if len(runs) > 1:
            chosen = [runs[place] for place in random.permutation(len(runs))[:2]]
            base, new = (tuple(run[place] for place in random.permutation(len(run))[:per_side]) for run in chosen)
        else:
            both = [pool[place] for place in random.permutation(len(pool))[: 2 * per_side]]
            base, new = tuple(both[:per_side]), tuple(both[per_side:])
        distinct.setdefault(frozenset({frozenset(base), frozenset(new)}), (base, new))
    return list(distinct.values())


def count_disjoint_pairs(processes: Sequence[Process], per_side: int) -> int:
    """Return the largest number of pairs of sides of which no two share a process."""
    sides = [len(run) // per_side for run in _runs_of_size(processes, per_side)]
    if len(sides) > 1:
        return min(sum(sides) // 2, sum(sides) - max(sides))
    return len(processes) // (2 * per_side)


def _runs_of_size(processes: Iterable[Process], per_side: int) -> list[list[Process]]:
    """Return the processes of each run that has enough of them for a side."""
    return [run for run in group_by(processes, lambda process: process[0]).values() if len(run) >= per_side]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The rule's results for the cases of two sides at any threshold: arrays with an element per case, as fractions.

    Each case is judged once, and again without its outlier process if it has one. Whether a change is real does not
    depend on the threshold, which only decides whether the change matters.
    """

    sizes: Floats  # of the changes
    half_widths: Floats  # of their intervals
    miss_margins: Floats  # upper bounds for the error of a change
    scales: Floats  # the smaller side: thresholds are fractions of it
    hidden: Floats  # changes that are certain without an outlier process, as fractions of the smaller side; 0 for none
    placements: Floats  # changes up to which a case is only suspected, because it may have other pages; 0 for most
    limits: Callable[[float], Contrast]  # a requested threshold → any other case with the threshold and doubt in force

    def smallest(self, threshold: float) -> float:
        """Return the threshold in force where this one is requested: one process per side has a minimum."""
        return self.limits(threshold).threshold

    def certain(self, threshold: float) -> float:
        """Return the change from which a case is slower or faster, whatever its pages; a smaller one is suspected."""
        limit = self.limits(threshold)
        return limit.doubt.certain(limit.threshold) if limit.doubt else limit.threshold

    def _certain_of_each(self, threshold: float) -> Floats:
        return np.maximum(self.certain(threshold), self.placements)

    def alarms(self, threshold: float) -> NDArray[np.bool_]:
        """Return which cases are slower or faster."""
        smallest, certain = self.smallest(threshold) * self.scales, self._certain_of_each(threshold)
        real = self.sizes > self.half_widths
        unclear = ~(real & (self.sizes >= smallest)) & (self.sizes + self.miss_margins >= smallest)
        return (real & (self.sizes >= certain * self.scales)) | (unclear & (self.hidden >= certain))

    def same_thresholds(self) -> Floats:
        """Return for each case the smallest threshold at which it is the same."""
        return (self.sizes + self.miss_margins) / self.scales

    def undecided(self, threshold: float) -> NDArray[np.bool_]:
        """Return which cases are suspected or inconclusive."""
        return ~self.alarms(threshold) & (self.same_thresholds() >= self.smallest(threshold))

    def detectable(self, threshold: float) -> Floats:
        """Return the smallest slowdown that nearly all such comparisons find; see `rule.MISSED`."""
        return np.maximum(self.half_widths, self._certain_of_each(threshold)) + self.miss_margins


def judge_pair(base: Pool, new: Pool, noise: NoiseModel | None, *, trust_learned: bool = False) -> Outcomes | None:
    """Judge two sides as `compare` does, with fitted or learned `noise`; None if the machine changed.

    `trust_learned`: use the learned noise even if the sides contradict it.
    """
    evidence = evidence_of(base, new)
    if evidence.machine_change:
        return None
    contrasts = contrasts_of(base, new, evidence)
    model = noise if noise and trust_learned else evidence.noise(contrasts, noise)[0]
    known = model is noise  # learned, so that it contains the spread of each case
    judgments = judge(contrasts, model)  # at a threshold of 0: `detectable` is then half width + miss margin
    before = np.array([judgment.base for judgment in judgments])
    after = np.array([judgment.new for judgment in judgments])
    half_widths = np.array([judgment.ratio.high - judgment.ratio.value for judgment in judgments])
    miss_margins = np.array([judgment.detectable for judgment in judgments]) - half_widths
    unknown = np.array([judgment.reason is Reason.TOO_FEW_ROUNDS for judgment in judgments])
    return Outcomes(
        sizes=np.abs(after - before) / before,
        half_widths=np.where(unknown, np.inf, half_widths),
        miss_margins=np.where(unknown, np.inf, miss_margins),
        scales=np.minimum(before, after) / before,
        hidden=np.where(unknown, 0.0, [_hidden(contrast, model, len(contrasts)) for contrast in contrasts]),
        placements=np.array([0.0 if known else contrast.placement for contrast in contrasts]),
        limits=lambda threshold: set_threshold(
            replace(contrasts[0], placement=0.0), Threshold(threshold), evidence, learned=known
        ),
    )


def _hidden(contrast: Contrast, model: NoiseModel, family: int) -> float:
    """Return the change that is certain without the outlier process, as a fraction of the smaller side; else 0."""
    without = without_outlier(contrast, model)
    if without is None:
        return 0.0
    (judgment,) = judge([without], model, family)
    change = abs(judgment.new - judgment.base) / min(judgment.base, judgment.new)
    return change if judgment.reason is Reason.BEYOND_THRESHOLD else 0.0


def judge_pairs(
    pool: Pool, sides: Sequence[Pair], noise: NoiseModel | None, *, trust_learned: bool = False
) -> list[Outcomes]:
    """Judge pairs of sides from a pool, except those between which the machine changed."""
    pools = ((pool.select(base), pool.select(new)) for base, new in sides)
    results = (judge_pair(*pair, noise, trust_learned=trust_learned) for pair in pools)
    return [outcome for outcome in results if outcome is not None]

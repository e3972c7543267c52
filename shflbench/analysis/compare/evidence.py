"""What a comparison rests on: samples, sentinels, several processes, learned noise; and what to doubt without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.noise import ASSUMED, NoiseModel, misfit
from shflbench.analysis.compare.offset import Offsets, machine_change, offsets
from shflbench.analysis.compare.rule import Doubt, judge_robustly, model_of
from shflbench.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Estimates
    from shflbench.analysis.compare.rule import Contrast, Judgment
    from shflbench.analysis.compare.sides import Side
    from shflbench.thresholds import Thresholds

USUAL_THRESHOLD = Threshold(0.01)
# One process a side says nothing of what processes differ by: below 2 % nothing can be said at all.
QUICK_THRESHOLD = Threshold(0.02)
# What is not three times the threshold may be two processes that differ, and with two a side twice: a ring in the L2
# cache that takes one of several times alarmed in 1.2 to 1.6 % of unchanged comparisons of two and two. Noise that was
# learned on the GPU knows such cases.
FEW_PROCESSES = {0: 3.0, 2: 2.0}  # degrees of freedom, at most → thresholds that a change is certain from
LEARNED = 1.0  # thresholds less
# Of five H200s one was up to 1.7 % faster than another where a kernel passes over memory (benchmarks/compare_power);
# kernels that do not wait for memory agreed to 0.7 % from 10 µs on.
OTHER_GPU = 0.03
# Without sentinels or samples the machine may be another than it was.
CRUDE = 0.05

FEWEST_FOR_FIT = 5  # cases, that can contradict a noise model
MISFIT = 1.4  # times the noise that a model says: too little makes false alarms, too much only costs sensitivity


class Judgments(NamedTuple):
    """What the rule says of the cases of a comparison."""

    contrasts: Sequence[Contrast]  # with their thresholds
    judgments: Sequence[Judgment]  # one for each
    noise: NoiseModel
    doubtful: str  # a warning where the noise that was learned does not fit, else empty


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two sides have in common that tells a change of a case from one of the machine."""

    sampled: bool  # whether both sides have samples
    offsets: Offsets | None  # of the processes, by their sentinels
    machine_change: float  # by which fraction the sentinels say that the machine became slower
    one_gpu: bool = True  # whether all runs are from the same one

    @classmethod
    def of(cls, base: Side, new: Side) -> Evidence:
        """Ask the sentinels of both sides, if they are the same."""
        sampled = bool(base.kernels) and bool(new.kernels)
        one_gpu = len({run.info.device.uuid for run in (*base.runs, *new.runs) if run.info.device}) < 2  # noqa: PLR2004
        if not base.sentinels or base.sentinels != new.sentinels:
            return cls(sampled, None, 0.0, one_gpu)
        return cls.of_sentinels(base.sentinel_estimates(), new.sentinel_estimates(), sampled=sampled, one_gpu=one_gpu)

    @classmethod
    def of_sentinels(
        cls, base: Mapping[str, Estimates], new: Mapping[str, Estimates], *, one_gpu: bool, sampled: bool = True
    ) -> Evidence:
        """Take what the same sentinels say on both sides."""
        shifts = offsets(base, new)
        return cls(sampled, shifts, machine_change(base, new, shifts.difference) if shifts else 0.0, one_gpu)

    def judge(self, contrasts: Sequence[Contrast], thresholds: Thresholds, learned: NoiseModel | None) -> Judgments:
        """Give each case its threshold, and judge all of them together by the noise that fits."""
        noise, doubtful = self.noise(contrasts, learned)
        known = noise is learned
        cases = [
            set_threshold(contrast, thresholds.of(contrast.case_id), self, learned=known) for contrast in contrasts
        ]
        return Judgments(cases, judge_robustly(cases, noise), noise, doubtful)

    def doubts(self) -> Iterator[Doubt]:
        """Yield why changes are only suspected, whatever the number of processes."""
        if not self.sampled:
            yield Doubt(Reason.NO_SAMPLES, factor=FEW_PROCESSES[0], least=CRUDE)  # of how many processes nobody knows
        elif self.offsets is None:
            yield Doubt(Reason.NO_SENTINELS, least=CRUDE)
        if not self.one_gpu:
            yield Doubt(Reason.OTHER_GPU, least=OTHER_GPU)

    def warnings(self) -> Iterator[str]:
        """Yield a sentence for what is missing."""
        limit = f"{100 * CRUDE:.0f} %"
        if not self.sampled:
            yield (
                "a side has no samples, only medians and their intervals: "
                f"changes below {limit} or {FEW_PROCESSES[0]:.0f} thresholds are only suspected"
            )
        elif self.offsets is None:
            yield (
                "the sides have no sentinels in common, which tell the machine from the kernels: "
                f"changes below {limit} are only suspected"
            )

    def noise(self, contrasts: Sequence[Contrast], learned: NoiseModel | None) -> tuple[NoiseModel, str]:
        """Return the noise to reckon with, and a warning where the learned one does not fit, else empty."""
        replicated = [contrast for contrast in contrasts if contrast.freedom]
        fit = model_of(contrasts) if replicated else ASSUMED
        if self.offsets is None and not replicated:
            fit = fit.with_offsets()
        if learned is None:
            return fit, ""
        if len(replicated) >= FEWEST_FOR_FIT:
            weights, spreads = zip(*((contrast.weights, contrast.spread) for contrast in replicated), strict=True)
            times = misfit(learned, weights, spreads)
            if times > MISFIT:
                sentence = (
                    f"the processes of a side differ {times:.1f} times as much as the noise that was learned says"
                )
                return fit, f"{sentence}: it is not used; learn it again"
        return learned, ""


def set_threshold(contrast: Contrast, override: Threshold | None, evidence: Evidence, *, learned: bool) -> Contrast:
    """Return the case with its threshold, and with the largest doubt that is left of a change."""
    shorter = min(float(side.values.mean()) for side in (contrast.base, contrast.new))
    threshold = usual = (override or USUAL_THRESHOLD).fraction_of(shorter)
    if not contrast.freedom and not learned:
        threshold = max(usual, QUICK_THRESHOLD.amount)
    doubts = [*evidence.doubts(), *_of_few(contrast.freedom, learned=learned)]
    largest = max(doubts, key=lambda doubt: doubt.certain(threshold), default=None)
    return replace(contrast, threshold=threshold, usual=usual, doubt=largest)


def _of_few(freedom: int, *, learned: bool) -> Iterator[Doubt]:
    for most, factor in FEW_PROCESSES.items():
        if freedom <= most:
            yield Doubt(Reason.FEW_PROCESSES, factor=factor - LEARNED if learned else factor)
            return

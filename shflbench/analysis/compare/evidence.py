"""The evidence of a comparison: samples, sentinels, processes, learned noise; and what is uncertain without them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.machine_evidence import CRUDE, MachineEvidence
from shflbench.analysis.compare.metrics import PASSES
from shflbench.analysis.compare.noise import ASSUMED, OFFSET_US, USUAL, NoiseModel, misfit
from shflbench.analysis.compare.offset import Offsets, machine_change, offsets
from shflbench.analysis.compare.rule import Doubt, judge_robustly, model_of
from shflbench.core.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Estimates
    from shflbench.analysis.compare.rule import Contrast, JudgedChange
    from shflbench.analysis.compare.sides import Side
    from shflbench.core.thresholds import Thresholds

USUAL_THRESHOLD = Threshold(0.01)
# One process per side does not show how processes differ: changes below 2% cannot be decided.
QUICK_THRESHOLD = Threshold(0.02)
# With one process per side, a difference between processes reaches three times the threshold, and with two per side
# twice: a ring in the L2 cache whose processes take one of several times raised false alarms in 1.2 to 1.6% of
# unchanged comparisons with two processes per side. Learned noise contains the spread of such cases.
FEW_PROCESSES = {0: 3.0, 2: 2.0}  # degrees of freedom, at most → multiple of the threshold that is certain
LEARNED = 1.0  # subtracted from that multiple if the noise was learned
# Of five H200s one was up to 1.7% faster than another where a kernel passes over memory (benchmarks/compare_power);
# kernels that do not wait for memory agreed within 0.7% from 10 µs on.
OTHER_GPU = 0.03
# The offset of a process is common to all its cases: three processes per side show three offsets, however many cases
# there are, and the fit may find too little noise. Every case counts as a pass over memory, which has `PASSES` times a.
LEAST_WITH_OFFSETS_US = math.hypot(USUAL.a_us, OFFSET_US) / PASSES

FEWEST_FOR_FIT = 5  # cases with several processes, to contradict a noise model
MISFIT = 1.4  # times the model's noise: a model with too little noise raises false alarms


class Judgments(NamedTuple):
    """The rule's results for the cases of a comparison."""

    contrasts: Sequence[Contrast]  # with their thresholds
    judgments: Sequence[JudgedChange]  # one per contrast
    noise: NoiseModel
    misfit: str  # a warning if the learned noise does not fit, else empty


@dataclass(frozen=True, slots=True)
class ComparisonEvidence:
    """What separates a change of a case from a change of the machine."""

    sampled: bool  # whether both sides have samples
    offsets: Offsets | None  # of the processes, measured by their sentinels
    machine_change: float  # the fraction by which the machine became slower, measured by the sentinels
    one_gpu: bool = True  # whether all runs used the same GPU
    machine: MachineEvidence | None = None  # what stands in for sentinels in results of other tools

    @classmethod
    def of(cls, base: Side, new: Side, *, alternated: bool = False) -> ComparisonEvidence:
        """Collect the evidence of two sides; that of sentinels only if both sides have the same ones.

        `alternated`: the user states that the processes of both sides ran in turn.
        """
        sampled = bool(base.kernels) and bool(new.kernels)
        one_gpu = len({run.info.device.uuid for run in (*base.runs, *new.runs) if run.info.device}) < 2  # noqa: PLR2004
        if not base.sentinels or base.sentinels != new.sentinels:
            machine = MachineEvidence.of(base, new, stated=alternated) if sampled else None
            return cls(sampled, None, 0.0, one_gpu, machine)
        return cls.of_sentinels(base.sentinel_estimates(), new.sentinel_estimates(), sampled=sampled, one_gpu=one_gpu)

    @classmethod
    def of_sentinels(
        cls, base: Mapping[str, Estimates], new: Mapping[str, Estimates], *, one_gpu: bool, sampled: bool = True
    ) -> ComparisonEvidence:
        """Collect the evidence of the same sentinels on both sides."""
        shifts = offsets(base, new)
        return cls(sampled, shifts, machine_change(base, new, shifts.difference) if shifts else 0.0, one_gpu)

    def judge(self, contrasts: Sequence[Contrast], thresholds: Thresholds, learned: NoiseModel | None) -> Judgments:
        """Set each case's threshold and judge all cases together, with the noise model that fits."""
        noise, warning = self.noise(contrasts, learned)
        known = noise is learned
        cases = [
            set_threshold(contrast, thresholds.of(contrast.case_id), self, learned=known) for contrast in contrasts
        ]
        return Judgments(cases, judge_robustly(cases, noise), noise, warning)

    def offset_of(self, contrast: Contrast) -> float:
        """Return how much longer the sentinels ran in the new side's processes of a case, in µs; 0 if unknown."""
        return self.offsets.between(contrast.base.processes, contrast.new.processes) if self.offsets else 0.0

    def doubts(self) -> Iterator[Doubt]:
        """Yield why changes are only suspected, whatever the number of processes."""
        if not self.sampled:
            yield Doubt(Reason.NO_SAMPLES, factor=FEW_PROCESSES[0], least=CRUDE)  # the number of processes is unknown
        elif self.offsets is None and self.machine is None:
            yield Doubt(Reason.NO_SENTINELS, least=CRUDE)
        if not self.one_gpu:
            yield Doubt(Reason.OTHER_GPU, least=OTHER_GPU)

    def warnings(self, contrasts: Sequence[Contrast] = ()) -> Iterator[str]:
        """Yield sentences about missing evidence."""
        limit = f"{100 * CRUDE:.0f}%"
        if not self.sampled:
            yield (
                "a side has no samples, only medians and their intervals: "
                f"changes below {limit} or {FEW_PROCESSES[0]:.0f} times the threshold are only suspected"
            )
        elif self.machine:
            yield from self.machine.warnings(contrasts)
        elif self.offsets is None:
            yield (
                "the sides have no sentinels in common, so a change of the machine cannot be excluded: "
                f"changes below {limit} are only suspected"
            )

    def noise(self, contrasts: Sequence[Contrast], learned: NoiseModel | None) -> tuple[NoiseModel, str]:
        """Return the noise model to use, and a warning if the learned one does not fit, else empty."""
        replicated = [contrast for contrast in contrasts if contrast.freedom]
        fit = model_of(contrasts) if replicated else ASSUMED
        if self.offsets is None and not replicated:
            fit = fit.with_offsets()
        elif self.machine:
            fit = replace(fit, a_us=max(fit.a_us, LEAST_WITH_OFFSETS_US))
        if learned is None:
            return fit, ""
        if len(replicated) >= FEWEST_FOR_FIT:
            weights, spreads = zip(*((contrast.weights, contrast.spread) for contrast in replicated), strict=True)
            times = misfit(learned, weights, spreads)
            if times > MISFIT:
                return fit, (
                    f"the learned noise is not used: the processes of a side differ by {times:.1f}× as much; "
                    "estimate the noise again: shflbench noise learn RUN"
                )
        return learned, ""


def set_threshold(
    contrast: Contrast, override: Threshold | None, evidence: ComparisonEvidence, *, learned: bool
) -> Contrast:
    """Return the case with its threshold, and with the largest doubt that applies to a change."""
    shorter = min(float(side.values.mean()) for side in (contrast.base, contrast.new))
    threshold = usual = (override or USUAL_THRESHOLD).fraction_of(shorter)
    if not contrast.freedom and not learned:
        threshold = max(usual, QUICK_THRESHOLD.amount)
    of_machine = evidence.machine.doubts(contrast) if evidence.machine else ()
    doubts = [*evidence.doubts(), *of_machine, *_doubt_of_few_processes(contrast.freedom, learned=learned)]
    if contrast.placement and not learned:  # learned noise contains the spread of each case
        doubts.append(Doubt(Reason.PAGE_PLACEMENT, least=contrast.placement))
    largest = max(doubts, key=lambda doubt: doubt.certain(threshold), default=None)
    return replace(contrast, threshold=threshold, usual=usual, doubt=largest)


def _doubt_of_few_processes(freedom: int, *, learned: bool) -> Iterator[Doubt]:
    for most, factor in FEW_PROCESSES.items():
        if freedom <= most:
            yield Doubt(Reason.FEW_PROCESSES, factor=factor - LEARNED if learned else factor)
            return

"""Estimates that are no bounds: the ceiling by the rates of a calibrated GPU, and a simulation of one SM."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits import limit
from shflbench.analysis.limits.calibrated import apply_calibration
from shflbench.analysis.limits.constants import PREDICTED_ARCH
from shflbench.analysis.limits.prediction import PredictedLaunch, predict
from shflbench.core.arch import load
from shflbench.core.processes import map_in_processes
from shflbench.cuda.compile.timed_code import timed_code
from shflbench.kernel_facts.inspected_kernel import CycleEstimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import KernelRequests, TimedCode
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.store.calibration_file import Calibration

    Job = tuple[TimedCode, PredictedLaunch, KernelRequests | None]


def with_ceilings(
    inspected: Sequence[InspectedKernel],
    requests: Mapping[KernelSubject, KernelRequests],
    resident: ResidentBlocks,
    calibration: Calibration,
) -> Iterator[InspectedKernel]:
    """Yield each kernel with its ceiling, where it has a timed loop and the calibration is of its architecture."""
    for one in inspected:
        code, figures = timed_code(one.kernel) if one.kernel else None, load(one.arch)
        if code is None or figures is None or one.cycles is None:
            yield one
        elif load(calibration.arch) != figures:
            yield replace(one, ceiling=CycleEstimate(None, reason=f"the calibration is of {calibration.arch}"))
        else:
            bound = limit(code, apply_calibration(figures, calibration), resident.residency, requests.get(one.subject))
            yield replace(one, ceiling=CycleEstimate(bound.cycles, str(bound.by)) if bound else None)


def with_predictions(
    inspected: Sequence[InspectedKernel], requests: Mapping[KernelSubject, KernelRequests], resident: ResidentBlocks
) -> Iterator[InspectedKernel]:
    """Yield each kernel with its prediction, where it has a timed loop; uses all cores.

    A simulation of few passes can end up to 2% below the limit; the prediction is then the limit.
    """
    jobs: list[Job] = []
    predictable: list[InspectedKernel] = []
    for one in inspected:
        code = timed_code(one.kernel) if one.kernel and one.arch == PREDICTED_ARCH else None
        if code and one.facts and one.occupancy and one.occupancy.blocks:
            blocks = min(one.occupancy.blocks, resident.blocks)
            launch = PredictedLaunch(
                grid=resident.blocks,
                block=resident.threads,
                sms=1,
                resident_blocks=blocks,
                clock_mhz=1.0,  # matters for the time only
                local_bytes=one.facts.local_bytes,
            )
            jobs.append((code, launch, requests.get(one.subject)))
            predictable.append(one)
    results = (map if len(jobs) <= 1 else map_in_processes)(_predicted, jobs)
    estimates = {(one.arch, one.subject): result for one, result in zip(predictable, results, strict=True)}
    for one in inspected:
        if one.loop is None:
            yield one
            continue
        estimate = estimates.get((one.arch, one.subject)) or CycleEstimate(None, reason=_why(one))
        if estimate.cycles is not None:
            estimate = replace(estimate, cycles=max(estimate.cycles, one.cycles or 0.0))
        yield replace(one, predicted=estimate)


def _why(one: InspectedKernel) -> str:
    if one.arch != PREDICTED_ARCH:
        return f"its constants are known of {PREDICTED_ARCH} only"
    return "no block of this size is resident"


def _predicted(job: Job) -> CycleEstimate:
    result = predict(*job)
    return CycleEstimate(result.cycles, reason=result.reason)

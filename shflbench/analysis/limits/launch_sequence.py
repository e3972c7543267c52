"""Predict a case that launches several kernels one after another."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003  (dataclasses)
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.path_prediction import kernel_time, overhead_of
from shflbench.analysis.limits.prediction import Prediction, PredictionKind
from shflbench.core.model import OnePassCode, TimedCode

if TYPE_CHECKING:
    from shflbench.analysis.limits.memory_prediction import MemoryUse
    from shflbench.analysis.limits.path_prices import PathModel
    from shflbench.analysis.limits.prediction import PredictedLaunch

SIGNAL, WAIT = "PREEXIT", "ACQBULK"  # let the next kernel begin; wait for the end of the one before
EARLY = 8  # instructions before a signal, at most, that a kernel gives when it begins


@dataclass(frozen=True, slots=True)
class SequenceKernel:
    """One of the kernels, and how it is launched."""

    code: OnePassCode
    launch: PredictedLaunch
    is_programmatic: bool = False  # whether it may begin before the end of the kernel before


def predict_sequence(
    kernels: Sequence[SequenceKernel],
    memory: MemoryUse | None,
    model: PathModel,
) -> Prediction:
    """Return the predicted time of kernels of one pass that follow one another."""
    first, *others = kernels
    if any(one.is_programmatic for one in others) and any(one.launch.waves > 1 for one in kernels[:-1]):
        return Prediction(None, reason="blocks that wait for the kernel before take the place of its blocks")
    prices = model.prices
    times: list[float] = []
    for kernel in kernels:
        known = kernel_time(kernel.code, kernel.launch, memory, None, model)
        if isinstance(known, str):
            return Prediction(None, reason=known)
        times.append(known)
    total = overhead_of(first.launch, model) + times[0]
    for before, before_us, kernel, us in zip(kernels, times, others, times[1:], strict=False):
        if not kernel.is_programmatic:
            total += prices.next_launch_us + us
            continue
        total += prices.dependent_launch_us + us
        if _overlaps(before, kernel):
            early = kernel_time(_until_wait(kernel.code), kernel.launch, None, None, model)
            hidden = early if isinstance(early, float) else 0.0
            total -= min(hidden, max(0.0, before_us - prices.overlap_begins_us))
    return Prediction(total, kind=PredictionKind.SEQUENCE)


def _overlaps(before: SequenceKernel, kernel: SequenceKernel) -> bool:
    """Whether all blocks of a kernel have room on the SMs while the one before runs, which signals when it begins."""
    signals = [number for number, item in enumerate(before.code.every.instructions) if item.instruction.base == SIGNAL]
    if not signals or signals[0] > EARLY:
        return False
    share = sum(one.launch.blocks / one.launch.resident_blocks for one in (before, kernel))
    return share <= 1


def _until_wait(code: OnePassCode) -> OnePassCode:
    """Return the part of a kernel before it waits for the one before."""
    items = code.every.instructions
    end = next((number for number, item in enumerate(items) if item.instruction.base == WAIT), len(items))
    return replace(code, every=TimedCode(items[: max(1, end)], code.every.unroll))

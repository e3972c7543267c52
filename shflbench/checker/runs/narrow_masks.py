"""The launch of a kernel whose constant masks name fewer lanes than a warp has: a block of so many threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.ptx.syntax import PtxInstruction


def launch_of_masks(launches: Sequence[LaunchEvidence], slicer: Slicer) -> PlannedLaunch | None:
    """Return a launch whose blocks have a thread for each lane of the masks, None if other launches fit.

    `__shfl_sync(0xffff, …)` without a condition is right in blocks of 16 threads, and in no others.
    """
    outside = [list(_outside(item)) for item in launches]
    if not launches or not all(outside) or any(not _is_free(item.launch) for item in launches):
        return None
    (lanes, *others) = {_lanes(instruction, slicer) for instruction in outside[0]}
    if others or not 0 < lanes < WARP:
        return None
    widest = max(launches, key=lambda item: item.launch.shape.blocks).launch
    basis = widest.basis if widest.origin.has_suggested_block else Origin.SUGGESTED
    return replace(widest, shape=replace(widest.shape, block=(lanes, 1, 1)), basis=basis)


def _is_free(launch: PlannedLaunch) -> bool:
    return launch.origin.has_synthesized_block and launch.shape.block[1:] == (1, 1)


def _outside(item: LaunchEvidence) -> Iterator[PtxInstruction]:
    for hazard in item.results[0].hazards:
        if hazard.kind is HazardKind.NOT_IN_OWN_MASK:
            yield hazard.instruction


def _lanes(instruction: PtxInstruction, slicer: Slicer) -> int:
    """Return the lanes that a constant mask of the lowest lanes names, 0 for any other mask."""
    op = next(op for op in slicer.ops if op.instruction is instruction)
    mask = slicer.kept(IndexValues).of(op.sources[-1]) if op.sources else {}
    bits = mask.get((), 0) % (1 << WARP) if set(mask) <= {()} else 0  # without the sign of an immediate
    return bits.bit_length() if bits > 0 and bits & (bits + 1) == 0 else 0

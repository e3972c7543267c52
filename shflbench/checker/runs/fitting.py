"""Drop chosen launches that a kernel is not written for: its text asserts others, or suggests a block that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.races.hazards import Hazard

# In shared memory, which has the size that its declaration gives it, they say that the block is too large or too small.
OF_SIZE = {HazardKind.OUT_OF_BOUNDS, HazardKind.UNINITIALIZED, HazardKind.UNINITIALIZED_UNUSED}


def set_aside(launches: Sequence[LaunchEvidence], slicer: Slicer) -> Mapping[str, tuple[HazardKind, ...]]:
    """Return the chosen launches, by shape, that the kernel is not written for, with what happens in them."""
    excluded = _excluded(launches, slicer)
    kept = [item for item in launches if str(item.launch.shape) not in excluded]
    return {**excluded, **_too_large(kept)} if kept else _too_large(launches)


def _excluded(launches: Sequence[LaunchEvidence], slicer: Slicer) -> dict[str, tuple[HazardKind, ...]]:
    """Return the chosen launches, by shape, that assertions of the kernel about its launch exclude."""
    return {
        str(item.launch.shape): (HazardKind.ASSERT_FAILED,)
        for item in launches
        if (item.launch.origin.is_synthesized or item.launch.assumed)
        and any(is_about_launch(hazard, slicer) for hazard in item.results[0].hazards)
    }


def is_about_launch(hazard: Hazard, slicer: Slicer) -> bool:
    """Whether a failed assertion is one about the size of blocks or the grid, and nothing else."""
    if hazard.kind is not HazardKind.ASSERT_FAILED:
        return False
    branches = [branch for op in slicer.ops_of(hazard.instruction) for branch in slicer.all_conditions(op)]
    depends = slicer.of(branches)
    varies = depends.thread or depends.block or depends.contents or depends.parameters or depends.variables
    return depends.launch and not varies and not depends.unknown and not depends.textures


def _too_large(launches: Sequence[LaunchEvidence]) -> dict[str, tuple[HazardKind, ...]]:
    """Return the chosen launches, by shape, whose block does not fit the arrays in shared memory, with what happens.

    Empty unless a block that the code suggests fits in all of its launches: otherwise the arrays may be what is wrong.
    """
    unsupported: dict[str, tuple[HazardKind, ...]] = {}
    for item in launches:  # what happens with one seed counts for all
        shape = str(item.launch.shape)
        unsupported[shape] = tuple(dict.fromkeys((*unsupported.get(shape, ()), *_unsupported(item))))
    plans = {str(item.launch.shape): item.launch for item in launches}
    wrong = {plans[shape].shape.block for shape, kinds in unsupported.items() if kinds}
    suggested = {launch.shape.block for launch in plans.values() if launch.origin.has_suggested_block}
    if not suggested - wrong:
        return {}
    chosen = {shape for shape, launch in plans.items() if launch.origin.has_synthesized_block}
    return {shape: kinds for shape, kinds in unsupported.items() if kinds and shape in chosen}


def _unsupported(item: LaunchEvidence) -> Iterator[HazardKind]:
    for hazard in item.results[0].hazards:  # in lockstep, in which every launch runs
        if hazard.kind in OF_SIZE and hazard.space == "shared" and not hazard.after_fault:
            yield hazard.kind

"""Drop derived launches that a kernel is not written for: the block that its code suggests fits, and they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence

# In shared memory, which has the size that its declaration gives it, they say that the block is too large or too small.
OF_SIZE = {HazardKind.OUT_OF_BOUNDS, HazardKind.UNINITIALIZED, HazardKind.UNINITIALIZED_UNUSED}


def set_aside(launches: Sequence[LaunchEvidence]) -> Mapping[str, tuple[HazardKind, ...]]:
    """Return the derived launches, by shape, whose block does not fit the arrays in shared memory, with what happens.

    Empty unless a block that the code suggests fits in all of its launches: otherwise the arrays may be what is wrong.
    """
    misfits: dict[str, tuple[HazardKind, ...]] = {}
    for item in launches:  # what happens with one seed counts for all
        shape = str(item.launch.shape)
        misfits[shape] = tuple(dict.fromkeys((*misfits.get(shape, ()), *_misfits(item))))
    plans = {str(item.launch.shape): item.launch for item in launches}
    wrong = {plans[shape].shape.block for shape, kinds in misfits.items() if kinds}
    suggested = {launch.shape.block for launch in plans.values() if launch.origin.has_suggested_block}
    if not suggested - wrong:
        return {}
    derived = {shape for shape, launch in plans.items() if launch.origin.has_derived_block}
    return {shape: kinds for shape, kinds in misfits.items() if kinds and shape in derived}


def _misfits(item: LaunchEvidence) -> Iterator[HazardKind]:
    for hazard in item.results[0].hazards:  # in lockstep, in which every launch runs
        if hazard.kind in OF_SIZE and hazard.space == "shared" and not hazard.after_fault:
            yield hazard.kind

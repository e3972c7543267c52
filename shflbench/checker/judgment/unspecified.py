"""Equal values that threads store to one address in launches that nothing specifies, and that may never happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.judgment.causes import find_spared
from shflbench.checker.verdict import Level
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel
    from shflbench.emulator.dataflow.slices import Slicer


def is_only_included(kernel: SourceKernel, file: KernelFile) -> bool:
    """Whether a kernel is one of a header of a source, of which no launch is found."""
    is_of_header = kernel.place is not None and kernel.place.file.resolve() != file.path.resolve()
    return bool(file.compiler) and is_of_header and not kernel.host_launches


def says_nothing(
    observation: Observation, every: Sequence[LaunchEvidence], slicer: Slicer, *, only_included: bool
) -> bool:
    """Whether a doubt concerns only launches that nothing specifies: of an included kernel, or of one block of several.

    One thread may be all that an included kernel is launched with. A kernel whose threads store to different addresses
    in another block is written for that one: its addresses follow from the number of the thread.
    """
    launches = [item.launch for item in observation.launches]
    if observation.kind is not HazardKind.SAME_VALUE or observation.level is not Level.WARNING:
        return False
    if any(launch.host is not None or not launch.origin.is_synthesized for launch in launches):
        return False
    if only_included:
        return True
    if any(launch.basis is not Origin.CHOSEN for launch in launches) or not _is_of_threads(observation, slicer):
        return False
    shapes = set(find_spared(observation, every, slicer))
    spared = {item.launch.shape.block for item in every if str(item.launch.shape) in shapes}
    return bool(spared - {launch.shape.block for launch in launches})


def _is_of_threads(observation: Observation, slicer: Slicer) -> bool:
    """Whether the addresses of both accesses follow from numbers of threads, and from no contents of memory."""
    hazard = observation.hazard
    sides = (hazard.instruction, hazard.other or hazard.instruction)
    depends = [slicer.of(slicer.ops_of(side), address_only=True) for side in sides]
    return all(item.thread and not item.contents and not item.unknown for item in depends)

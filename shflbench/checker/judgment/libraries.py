"""Recognize instructions of NVIDIA's libraries of device code, whose own reads are not the user's to fix."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.races.hazards import HazardKind

if TYPE_CHECKING:
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.ptx.syntax import PtxInstruction

# Folders of headers in the line tables of nvcc and NVRTC, below the toolkit, the Python packages or a user's copy.
_HEADERS = re.compile(r"/(?:cub|thrust|cooperative_groups|cuda/std|cccl/cuda)/|/cooperative_groups\.h$")


def is_of_library(instruction: PtxInstruction) -> bool:
    """Return whether a line in a header of CUB, Thrust, libcu++ or cooperative groups led to an instruction."""
    location = instruction.location
    return location is not None and _HEADERS.search(location.file) is not None


def is_harmless_in_library(item: Observation) -> bool:
    """Return whether a library reads uninitialized memory on purpose: whatever the value is, nothing changes.

    `cub::WarpMergeSort` reads the element behind the last one before it compares the index with the size.
    """
    return item.kind is HazardKind.UNINITIALIZED_UNUSED and is_of_library(item.hazard.instruction)

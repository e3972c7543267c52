"""The launches of a row whose case launches several kernels one after another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.analysis.limits.launch_sequence import WAIT, SequenceKernel
from shflbench.analysis.limits.prediction import PredictedLaunch
from shflbench.kernel_facts.residency import occupancy_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Device, Resources
    from shflbench.kernel_facts.stored_code import StoredCode
    from shflbench.store import Row
    from shflbench.store.kernel_archive import StoredKernel

_LAUNCH = re.compile(r"(\d+)x(\d+)")  # of one dimension; a row names those of all its kernels


def sequence_of(row: Row, device: Device, kernel: StoredKernel, code: StoredCode) -> list[SequenceKernel]:
    """Return the kernels of a row in their order; none where the launch of one is not known."""
    launches = [_LAUNCH.fullmatch(text.strip()) for text in (row.shape or "").split(",")]
    codes = [code.one_pass, *code.later]
    every: Sequence[Resources] = [kernel.resources, *(item.resources for item in kernel.later)]
    if len(launches) != len(codes) or len(codes) != len(every):
        return []
    kernels = []
    for known, match, resources in zip(codes, launches, every, strict=True):
        resident = _resident(device, resources, int(match[2])) if match else None
        if known is None or match is None or not resident:
            return []
        launch = PredictedLaunch(
            grid=int(match[1]),
            block=int(match[2]),
            sms=device.sms,
            resident_blocks=resident,
            clock_mhz=row.sm_clock_mhz or device.clock_mhz,
            is_repeated=(row.launches or 1) > 1,
        )
        waits = any(item.instruction.base == WAIT for item in known.every.instructions)
        kernels.append(SequenceKernel(known, launch, waits))
    return kernels


def _resident(device: Device, resources: Resources, block: int) -> int | None:
    """Return the blocks of a kernel that an SM executes at a time; None if it is not known, or if none fits."""
    fitting = occupancy_of(device.arch, resources.registers, resources.shared_bytes, block)
    return fitting.blocks if fitting else None

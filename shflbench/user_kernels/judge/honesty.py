"""Signs in PTX that a kernel treats a measurement otherwise than its use; facts only, without a GPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOCK = re.compile(r"%(?:clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|gridid|pm\d+(?:_64)?)\b")
# Registers that differ between GPUs and an emulator, and that no exchange of values needs. Cooperative groups read
# `%envreg1` and `%envreg2`.
_SURROUNDINGS = re.compile(r"%(?:smid|nsmid|warpid|nwarpid|envreg(?![12]\b)\d+|total_smem_size|aggr_smem_size)\b")
_LAUNCH = re.compile(r"\b(?:cudaLaunchDevice\w*|cudaGetParameterBuffer\w*|cudaGraphLaunch\w*)\b")
_PIN = re.compile(r"\b(?:evict_last|createpolicy|applypriority|L2::evict_\w+|prefetch\.global\.L2|discard\.global)\b")
_ALLOCATE, _FREE = (
    re.compile(r"^\s*(?:malloc|_Znw[jm]|_Zna[jm]),", re.MULTILINE),
    re.compile(r"^\s*(?:free|_Zd[al]Pv\w*),", re.MULTILINE),
)


def signs(ptx: str, *, is_cold: bool) -> Iterator[VerdictReason]:
    """Yield what a kernel must not do while it is judged.

    It may not read clocks or count launches, launch kernels, keep memory of the device's heap, or pin lines of a cold
    cache. Where it only could tell an emulator from a GPU, the reason is not certain.
    """
    if match := _CLOCK.search(ptx):
        text = f"it reads {match[0]}, by which it can tell a measurement from a use"
        yield VerdictReason(Question.HONEST, ReasonCode.READS_CLOCK, text)
    if match := _SURROUNDINGS.search(ptx):
        text = f"it reads {match[0]}, by which it can tell where it runs"
        yield VerdictReason(Question.HONEST, ReasonCode.READS_SURROUNDINGS, text, is_certain=False)
    if _LAUNCH.search(ptx):
        text = "it launches kernels, whose work may end after its own time"
        yield VerdictReason(Question.HONEST, ReasonCode.LAUNCHES_KERNELS, text)
    if _ALLOCATE.search(ptx):
        frees = _FREE.search(ptx) is not None
        rest = "whether it frees all of it is not known" if frees else "frees none: later launches find less"
        text = f"it allocates memory of the device, and {rest}"
        yield VerdictReason(Question.HONEST, ReasonCode.KEEPS_MEMORY, text, is_certain=not frees)
    if is_cold and (match := _PIN.search(ptx)):
        text = f"`{match[0]}` decides what the L2 cache keeps, which is timed without the kernel's data"
        yield VerdictReason(Question.HONEST, ReasonCode.PINS_CACHE, text)

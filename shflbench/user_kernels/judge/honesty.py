"""Signs in PTX that a kernel treats a measurement otherwise than its use; facts only, without a GPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.user_kernels.judge.verdict import Question, Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOCK = re.compile(r"%(?:clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|pm\d+(?:_64)?)\b")
_LAUNCH = re.compile(r"\b(?:cudaLaunchDevice\w*|cudaGetParameterBuffer\w*|cudaGraphLaunch\w*)\b")
_PIN = re.compile(r"\b(?:evict_last|createpolicy|applypriority|L2::evict_\w+|prefetch\.global\.L2)\b")


def signs(ptx: str, *, is_cold: bool) -> Iterator[Reason]:
    """Yield what a kernel must not do while it is judged: read clocks, launch kernels, or pin lines of a cold cache."""
    if match := _CLOCK.search(ptx):
        text = f"it reads {match[0]}, by which it can tell a measurement from a use"
        yield Reason(Question.HONEST, ReasonCode.READS_CLOCK, text)
    if _LAUNCH.search(ptx):
        text = "it launches kernels, whose work may end after its own time"
        yield Reason(Question.HONEST, ReasonCode.LAUNCHES_KERNELS, text)
    if is_cold and (match := _PIN.search(ptx)):
        text = f"`{match[0]}` keeps data in the L2 cache, which is timed without the kernel's data"
        yield Reason(Question.HONEST, ReasonCode.PINS_CACHE, text)

"""Decode the scheduling information in SASS: stall counts and scoreboard barriers.

`nvdisasm -json` does not print it. An instruction has 16 bytes since Volta; the upper 64-bit word holds the stall count
in bits 41 to 44, yield in 45, the write barrier in 46 to 48, the read barrier in 49 to 51, and the mask of barriers to
wait for in 52 to 57. NVIDIA does not document it; `tests/cuda/compile/test_control.py` holds invariants over kernels.
Source: Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (arXiv 1804.06826), section 2.1.
"""

from __future__ import annotations

import struct
from functools import cache

from shflbench.core.model import Control
from shflbench.cuda.compile.sass import BYTES

_UPPER = struct.Struct("<8xQ")
_NONE = 7  # no barrier


def controls(code: bytes) -> tuple[Control, ...]:
    """Return the control code of each instruction of a kernel's machine code; ValueError if it is cut off."""
    if len(code) % BYTES:
        raise ValueError(f"{len(code)} bytes of machine code are not a multiple of {BYTES}")
    return tuple(_control(word >> 41 & 0x1FFFF) for (word,) in _UPPER.iter_unpack(code))


@cache  # a run has 80,000 instructions, and 400 different controls
def _control(bits: int) -> Control:
    """Return what bits 41 to 57 of the upper word say."""
    mask = bits >> 11
    return Control(
        stall=bits & 0xF,
        write_barrier=_barrier(bits >> 5 & 7),
        read_barrier=_barrier(bits >> 8 & 7),
        waits=tuple(barrier for barrier in range(6) if mask >> barrier & 1),
    )


def _barrier(number: int) -> int | None:
    return None if number == _NONE else number

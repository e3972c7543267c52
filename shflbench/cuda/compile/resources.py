"""Read registers, shared memory, stack and spills from the report of ptxas."""

from __future__ import annotations

import re

from shflbench.core.model import Resources
from shflbench.errors import CompileError

_REGISTERS = re.compile(r"Used (\d+) registers.*")  # the whole line: the next one may belong to another kernel
_SHARED = re.compile(r"(\d+) bytes smem")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


def parse(log: str, symbol: str = "") -> Resources:
    """Return the resources of the kernel `symbol`, or of the only kernel; CompileError if `log` has no report."""
    _, _, log = log.rpartition(f"function '{symbol}' for") if symbol else ("", "", log)
    registers, frame = _REGISTERS.search(log), _FRAME.search(log)
    if registers is None or frame is None:
        raise CompileError("the compiler reports no registers and spills", "Run again; if it repeats, update NVRTC.")
    shared = _SHARED.search(registers[0])
    return Resources(
        registers=int(registers[1]),
        shared_bytes=int(shared[1]) if shared else 0,
        local_bytes=int(frame[1]),
        spill_bytes=int(frame[2]) + int(frame[3]),
    )

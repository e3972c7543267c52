"""Larger buffers, and more shared memory, where accesses go beyond those of chosen size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES
from shflbench.checker.runs.overruns import overrun_buffers
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.machine.faults import FaultKind, KernelFault

if TYPE_CHECKING:
    from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.link.program import Program
    from shflbench.errors import EmulatorError

ALIGNMENT = 256  # bytes of an allocation
LARGE = 1 << 16  # bytes of a buffer that grows by more than twice, because each size is a run of the launch
FAST = 8  # times its size
MOST_SHARED = 227 * 1024  # bytes of dynamic shared memory that any architecture offers a block


@dataclass(slots=True)
class BufferGrowth:
    """What one kernel needs more memory for."""

    kernel: SourceKernel
    program: Program
    _slicer: Slicer | None = None  # made when the first access goes beyond a buffer

    def after(self, spec: ArgumentSpec, result: ScheduleResult, arguments: Arguments) -> ArgumentSpec | None:
        """Return the spec for a run without the accesses beyond buffers of a result; None if nothing can grow."""
        return self.of_fault(spec, result.error, arguments) or self._of_overrun(spec, result, arguments)

    def of_fault(self, spec: ArgumentSpec, fault: EmulatorError | None, arguments: Arguments) -> ArgumentSpec | None:
        """Return the spec for a run without one access out of bounds."""
        if not isinstance(fault, KernelFault) or fault.kind is not FaultKind.OUT_OF_BOUNDS:
            return None
        if fault.buffer is None:
            return self._more_shared(spec, fault, arguments) if fault.low >= 0 else None
        buffer, needed = self.meant(fault, arguments)
        if buffer is not None and fault.low < 0 and buffer is arguments.buffer(fault.buffer):
            return _more_before(spec, fault, buffer, arguments)
        return _larger(spec, buffer, needed, arguments) if buffer is not None else None

    def _of_overrun(self, spec: ArgumentSpec, result: ScheduleResult, arguments: Arguments) -> ArgumentSpec | None:
        """Return the spec for larger buffers that accesses left for other ones, where they race."""
        slicer = self._slices()
        overrun = (item for hazard in result.hazards for item in overrun_buffers(hazard, slicer, arguments))
        grown = (_larger(spec, buffer, 0, arguments) for buffer in overrun)
        return next((item for item in grown if item is not None), None)

    def meant(self, fault: KernelFault, arguments: Arguments) -> tuple[ArgumentBuffer | None, int]:
        """Return the buffer that an access is meant for, and the size that it needs.

        An index far beyond its end may lie nearer to another buffer: the pointer of the address decides.
        """
        nearest = arguments.buffer(fault.buffer)
        if fault.op is None or nearest is None:
            return nearest, fault.high
        pointers = self._slices().pointers(fault.op)
        names = {name for start, name in self.kernel.pointers.items() if start in pointers}
        meant = [buffer for buffer in arguments.buffers if buffer.name in names]
        if len(meant) != 1 or meant[0] is nearest:
            return nearest, fault.high
        return meant[0], 2 * meant[0].contents.size

    def is_beyond_all(self, fault: EmulatorError | None, arguments: Arguments) -> bool:
        """Whether an access is beyond what all buffers together can have."""
        if not isinstance(fault, KernelFault) or fault.kind is not FaultKind.OUT_OF_BOUNDS:
            return False
        buffer, needed = self.meant(fault, arguments)
        if buffer is None or buffer.limited or buffer.size is not Origin.CHOSEN:
            return False
        if fault.low < 0 and buffer is arguments.buffer(fault.buffer):
            return False
        return _grown_bytes(buffer, needed, arguments) is None

    def _more_shared(self, spec: ArgumentSpec, fault: KernelFault, arguments: Arguments) -> ArgumentSpec | None:
        in_shared = fault.op is not None and fault.op.place is not None and fault.op.place.space == "shared"
        size = max(2 * arguments.shared_bytes, fault.high - self.program.shared_bytes)
        if not in_shared or arguments.shared is not Origin.CHOSEN or size > MOST_SHARED:
            return None
        return replace(spec, least_shared=size)

    def _slices(self) -> Slicer:
        self._slicer = self._slicer or Slicer(self.program)
        return self._slicer


def _larger(spec: ArgumentSpec, buffer: ArgumentBuffer, needed: int, arguments: Arguments) -> ArgumentSpec | None:
    """Return the spec with a larger buffer, if its size is chosen by nothing but accesses."""
    size = _grown_bytes(buffer, needed, arguments)
    if size is None or buffer.limited or buffer.size is not Origin.CHOSEN:
        return None
    return replace(spec, least_bytes={**spec.least_bytes, buffer.name: size})


def _grown_bytes(buffer: ArgumentBuffer, needed: int, arguments: Arguments) -> int | None:
    """Return a larger size of a buffer; None if all buffers would be too large.

    A buffer with pages is larger than its contents. Other launches, which have none, also begin with its size.
    """
    others = arguments.total_bytes - buffer.contents.size
    factors = (FAST, 2) if buffer.bytes >= LARGE else (2,)
    sizes = (max(factor * buffer.bytes, needed) for factor in factors)
    return next((size for size in sizes if others + size <= MOST_TOTAL_BYTES), None)


def _more_before(
    spec: ArgumentSpec, fault: KernelFault, buffer: ArgumentBuffer, arguments: Arguments
) -> ArgumentSpec | None:
    """Return the spec with a pointer that points further into its buffer, if the host code may have moved it."""
    before = spec.bytes_before.get(buffer.name, 0)
    more = max(before, ALIGNMENT * -(fault.low // ALIGNMENT))
    if not buffer.may_begin_before or arguments.total_bytes + more > MOST_TOTAL_BYTES:
        return None
    return replace(spec, bytes_before={**spec.bytes_before, buffer.name: before + more})

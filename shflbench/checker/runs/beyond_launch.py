"""Find what a kernel can know or keep beyond its launch: where and when it runs, and values for its next launch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.inputs.linked import LinkedKernel
from shflbench.checker.runs.buffer_uses import BufferUse
from shflbench.checker.runs.variable_uses import variable_uses
from shflbench.core.symbols import variable_name
from shflbench.cuda_sources.kernel_file import SourceKernel
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.opcodes.forms import Service
from shflbench.emulator.ptx.syntax import Address, Register, Vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import Operand

_CLOCK = "clock"  # the service that each read of a clock asks for
# Registers that differ between devices, launches or multiprocessors, and that no exchange of values needs. Cooperative
# groups read `%envreg1` and `%envreg2`.
_SURROUNDINGS = re.compile(r"%(smid|nsmid|warpid|nwarpid|gridid|pm\d(_64)?|total_smem_size|aggr_smem_size)")


def read_surroundings(program: Program) -> list[str]:
    """Return by what a kernel can tell where and when it runs: `a clock`, and registers as PTX names them: `%smid`."""
    return sorted(set(_surroundings(program)))


def _surroundings(program: Program) -> Iterator[str]:
    for op in program.ops():
        if isinstance(op.form, Service) and op.form.name == _CLOCK:
            yield "a clock"
        for name in _registers(op.instruction.operands):
            if _SURROUNDINGS.fullmatch(name):
                yield f"`{name}`"


def _registers(operands: Iterable[Operand]) -> Iterator[str]:
    for item in operands:
        match item:
            case Register():
                yield item.name
            case Address():
                yield from _registers([item.base])
            case Vector():
                yield from _registers(item.items)


def kept_variables(program: Program) -> list[str]:
    """Return the `__device__` variables that a kernel may write, so that its next launch may find other contents."""
    kernel = SourceKernel("", "", (), None)
    linked = LinkedKernel(kernel, program, Slicer(program), uses_dynamic_shared=False)
    return [variable_name(item.variable.name) for item in variable_uses(linked) if item.use is BufferUse.CHANGED]

"""Link a kernel: flatten its code, lower it, and divide it into basic blocks."""

from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.dimensions import complete
from shflbench.emulator.link.flat import flatten
from shflbench.emulator.link.interruptions import interruptions, waits_by_memory
from shflbench.emulator.link.layout import Area
from shflbench.emulator.link.lower import lower
from shflbench.emulator.link.program import BasicBlock, Op, Program, Slot
from shflbench.emulator.link.registers import SPECIAL
from shflbench.emulator.opcodes.forms import Access, Barrier, Branch, ClusterBarrier, Collective, Exit, Nothing
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role
from shflbench.emulator.ptx.syntax import Module, PtxInstruction
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from shflbench.emulator.link.code import FlatCode

# After inlining. Warp-wide instructions are blocks of their own: the largest GEMM kernel of NVIDIA's samples has at
# most 5,700 of them and a few branches, thus fewer than 12,000 blocks.
MOST_BLOCKS = 1 << 15
_WORD = 16  # bytes; races are looked for in units of the smallest access, at most this


def link(module: Module, kernel: str) -> Program:
    """Link `kernel` of `module`; EmulatorError names what the emulator cannot run."""
    code = flatten(module, kernel)
    area = Area()
    offsets = [area.place(item.bytes, item.align) for item in code.kernel.parameters]
    ops = lower(code, dict(zip((item.name for item in code.kernel.parameters), offsets, strict=True)))
    numbering, layout = code.numbering, code.layout
    interrupted = waits_by_memory(ops)
    return Program(
        symbol=kernel,
        blocks=_blocks(ops, interruptions(ops) if interrupted else set()),
        registers=tuple(numbering.types),
        special={name: number for name, number in numbering.numbers.items() if name in SPECIAL},
        parameters=code.kernel.parameters,
        parameter_offsets=tuple(offsets),
        parameter_bytes=area.used,
        shared_bytes=layout.shared.used,
        local_bytes=layout.local.used,
        constants=layout.image(module.variables.values()),
        watched=frozenset(_watched(ops)),
        shared_granule=_granule(ops),
        symbols=tuple(layout.symbols),
        shared_variables=tuple(layout.shared.variables),
        local_variables=tuple(layout.local.variables),
        workspace=layout.workspace,
        heap_bytes=code.heap_bytes,
        stack=range(layout.stack_start, layout.local.used),
        notes=notes(code),
        interrupted=interrupted,
        opcodes=frozenset(op.instruction.opcode for op in ops),
        cluster=complete(code.kernel.directives.get("reqnctapercluster", (1,))),
    )


def _waits(op: Op) -> bool:
    """Return whether lanes wait for one another at `op`, which is then a block of its own."""
    form = op.form
    if isinstance(form, ClusterBarrier):
        return form.waits
    return isinstance(form, Barrier) or (isinstance(form, Collective) and form.mask is not None)


def _ends_block(op: Op) -> bool:
    """Return whether control may jump or has to wait after `op`."""
    return isinstance(op.form, Branch | Exit) or _waits(op)


def _blocks(ops: list[Op], interrupted: set[int]) -> dict[int, BasicBlock]:
    leaders = {0, len(ops)} | interrupted
    for number, op in enumerate(ops):
        if _ends_block(op):
            leaders |= {number + 1, op.target} if isinstance(op.form, Branch) else {number + 1}
            if _waits(op):
                leaders.add(number)
    starts = sorted(leaders)
    if len(starts) > MOST_BLOCKS:
        raise EmulatorError(
            f"the kernel has {len(starts):,} basic blocks, the emulator runs at most {MOST_BLOCKS:,}",
            "Divide the kernel into several.",
        )
    blocks = {}
    for start, end in zip(starts, [*starts[1:], len(ops)], strict=True):
        inside = ops[start:end]
        last = inside[-1] if inside and _ends_block(inside[-1]) else None
        blocks[start] = BasicBlock(
            start, tuple(op for op in (inside[:-1] if last else inside) if not isinstance(op.form, Nothing)), last, end
        )
    return blocks


def _watched(ops: list[Op]) -> set[int]:
    watched = set()
    for op in ops:
        if op.place is not None and op.place.base is not None:
            watched.add(op.place.base.number)
        if isinstance(op.form, Collective):
            watched |= {source.number for source in op.sources[1:] if isinstance(source, Slot)}
    return watched


def _granule(ops: list[Op]) -> int:
    sizes = [
        np.dtype(op.form.type).itemsize
        for op in ops
        if isinstance(op.form, Access) and op.place is not None and op.place.space in {"shared", ""}
    ]
    return min([_WORD, *sizes])


def notes(code: "FlatCode") -> tuple[str, ...]:
    """Return one sentence per cause, naming the first line of each."""
    first: dict[str, PtxInstruction] = {}
    for flat in code.instructions:
        if cause := _cause(flat.instruction):
            first.setdefault(cause, flat.instruction)
    return tuple(f"{cause} ({instruction.where})" for cause, instruction in first.items())


def _cause(instruction: PtxInstruction) -> str:
    match instruction.opcode:
        case "$clock":
            return "the kernel reads the clock, which counts instructions here: results that depend on it differ"
        case "$mma" | "$wmma":
            return "the kernel multiplies matrices: a GPU may round their sums otherwise"
        case _ if has_role(instruction, OpcodeRole.APPROXIMATE) and "approx" in instruction.modifiers:
            return "the kernel uses approximate functions: a GPU may differ in the last digits"
        case _:
            return ""

"""Cut linked code into basic blocks; an instruction that lanes wait at is a block of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Access, Barrier, Branch, Collective, Exit, Nothing
from shflbench.backends.emulator.program import Block, Op, Program, Slot
from shflbench.backends.emulator.registers import SPECIAL

if TYPE_CHECKING:
    from shflbench.backends.emulator.link import Linker

_WORD = 16  # bytes; races are looked for in units of the smallest access, at most this


def waits(op: Op) -> bool:
    """Return whether lanes wait for one another at `op`."""
    return isinstance(op.form, Barrier) or (isinstance(op.form, Collective) and op.form.mask is not None)


def ends_block(op: Op) -> bool:
    """Return whether control may go elsewhere than to the next op, or has to wait."""
    return isinstance(op.form, Branch | Exit) or waits(op)


def cut(linker: Linker, ops: list[Op], offsets: tuple[int, ...], parameter_bytes: int) -> Program:
    """Return the program of these ops."""
    numbering, layout = linker.numbering, linker.layout
    variables = (*linker.module.variables.values(),)
    return Program(
        name=linker.kernel.name,
        blocks=_blocks(ops),
        registers=tuple(numbering.types),
        special={name: number for name, number in numbering.numbers.items() if name in SPECIAL},
        parameters=linker.kernel.parameters,
        parameter_offsets=offsets,
        parameter_bytes=parameter_bytes,
        shared_bytes=layout.shared.used,
        local_bytes=layout.local.used,
        constants=layout.image(variables),
        watched=frozenset(_watched(ops)),
        shared_granule=_granule(ops),
    )


def _blocks(ops: list[Op]) -> dict[int, Block]:
    leaders = {0, len(ops)}
    for number, op in enumerate(ops):
        if ends_block(op):
            leaders |= {number + 1, op.target} if isinstance(op.form, Branch) else {number + 1}
            if waits(op):
                leaders.add(number)
    starts = sorted(leaders)
    blocks = {}
    for start, end in zip(starts, [*starts[1:], len(ops)], strict=True):
        inside = ops[start:end]
        last = inside[-1] if inside and ends_block(inside[-1]) else None
        blocks[start] = Block(
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

"""Cells of memory: the units in which accesses are compared, and the accesses divided into them."""

from dataclasses import dataclass

import numpy as np

from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values

_WORD = 16  # bytes of the widest cell


def accesses_of(program: Program) -> list[tuple[Op, Access]]:
    """Return the ops of `program` that access memory other than parameters."""
    return program.kept(_accesses_of)


def _accesses_of(program: Program) -> list[tuple[Op, Access]]:
    ops = [op for block in program.blocks.values() for op in (*block.ops, block.last) if op is not None]
    pairs = [(op, op.form) for op in ops if isinstance(op.form, Access)]
    return [(op, form) for op, form in pairs if op.place is None or op.place.space not in {"param", "local"}]


def granule_of(program: Program) -> int:
    """Return the bytes of a cell: those of the smallest access to memory that threads share."""
    return min([_WORD, *(np.dtype(form.type).itemsize for _, form in accesses_of(program))])


@dataclass(slots=True, eq=False)
class Batch:
    """One instruction's access, with an entry per cell: the first cells of all threads come first."""

    op: Op
    form: Access
    threads: Values
    cells: Values
    elements: Values  # of the access: the number of the element in the vector
    lanes: Values  # position of the thread among the members


def batch(op: Op, members: ThreadSet, index: Values, granule: int) -> Batch:
    """Return the cells of `granule` bytes of an access to elements `index`."""
    form: Access = op.form  # type: ignore[assignment]
    scale = np.dtype(form.type).itemsize // granule
    parts = scale * form.vector
    kept = members.kept.get(("cells", parts, scale))
    if kept is None:
        lanes = np.tile(np.arange(members.count), parts)
        elements = np.repeat(np.arange(parts) // scale, members.count)
        kept = members.kept["cells", parts, scale] = (0, (members.threads[lanes], elements, lanes))
    threads, elements, lanes = kept[1]
    cells = index * scale if scale > 1 else index
    if parts > 1:
        cells = (cells + np.arange(parts)[:, None]).ravel()
    return Batch(op, form, threads, cells, elements, lanes)

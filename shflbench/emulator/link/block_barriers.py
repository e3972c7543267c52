"""Barriers of blocks in a linked program."""

from shflbench.emulator.link.program import Op, Program, Slot
from shflbench.emulator.opcodes.forms import Barrier

BARRIERS = 16  # of a block


def form_of(op: Op) -> Barrier | None:
    """Return the form of a barrier of blocks, None for other ops."""
    return op.form if isinstance(op.form, Barrier) and op.form.whole_block else None


def has_named_barriers(program: Program) -> bool:
    """Return whether a barrier of `program` may concern only a part of a block."""
    ends = (block.last for block in program.blocks.values())
    barriers = [(op, form) for op in ends if op is not None and (form := form_of(op)) is not None]
    return any(
        form.counted or form.arrives_only or isinstance(op.sources[0], Slot) or op.sources[0] >= BARRIERS
        for op, form in barriers
    )

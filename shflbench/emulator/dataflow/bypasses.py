"""Find the condition that a barrier stands in: threads that do not fulfill it go on without the barrier.

A guard such as `if (i >= n) return;` is no such condition: its threads end at once, and no barrier waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.opcodes.forms import Branch, Exit, Nothing, Pure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.ptx.syntax import PtxInstruction

_END = -1  # instead of a block, that of the kernel


def bypassed_condition(barrier: Op, slicer: Slicer, sides: Mapping[PtxInstruction, bool]) -> Op | None:
    """Return the branch by which a thread went on without a barrier, and did something else than to end; or None.

    `sides` has the branches that the thread executed, and whether it jumped there.
    """
    block = slicer.block_of(barrier)
    for branch in slicer.conditions(barrier):
        jumps = sides.get(branch.instruction)
        if jumps is None:
            continue
        side = branch.target if jumps else slicer.program.blocks[slicer.block_of(branch)].next
        if not _must_pass(side, block, slicer) and not _ends_at_once(side, slicer):
            return branch
    return None


def _must_pass(start: int, block: int, slicer: Slicer) -> bool:
    """Whether each way from a block to the end of the kernel leads through another one."""
    seen, waiting = {block}, [start]
    while waiting:
        at = waiting.pop()
        if at == _END:
            return False
        if at not in seen:
            seen.add(at)
            waiting += slicer.successors(at)
    return True


def _ends_at_once(start: int, slicer: Slicer) -> bool:
    """Whether threads end from a block on without another condition, and without an effect."""
    at, seen = start, set[int]()
    while at != _END and at not in seen:
        seen.add(at)
        ops = slicer.ops_in(at)
        if any(not isinstance(op.form, Pure | Nothing | Exit | Branch) or op.guard is not None for op in ops):
            return False
        following = slicer.successors(at)
        at = following[0] if following else _END
    return at == _END

"""The instructions that every warp executes in a kernel without a timed loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.compile.control import controls
from shflbench.compile.loops import NaturalLoop, successors
from shflbench.compile.timed_code import executed_always
from shflbench.model import ScheduledInstruction, TimedCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.model import Instruction

EXIT = "EXIT"


def certain_code(sass: Sequence[Instruction], code: bytes) -> TimedCode:
    """Return what every warp executes from the entry of a kernel to its end, whatever path it takes.

    An instruction of an inner loop counts once, because the machine code does not show how often the loop runs.
    """
    follows = [list(targets) for targets in successors(sass)]
    reached = _reached(follows)
    # As the body of one loop: each end of the kernel leads back to the entry.
    for index in reached:
        if sass[index].base == EXIT or not follows[index]:
            follows[index].append(0)
    certain = executed_always(follows, NaturalLoop(tuple(reached), reached[-1]))
    control = controls(code)
    return TimedCode(
        tuple(ScheduledInstruction(sass[i], control[i], always=True) for i in reached if i in certain), unroll=1
    )


def _reached(follows: Sequence[Sequence[int]]) -> list[int]:
    """Return the instructions that are reachable from the entry, ascending."""
    reached, waiting = {0}, [0]
    while waiting:
        new = set(follows[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return sorted(reached)

"""The code of a kernel without a timed loop: what every warp executes, and what its loops repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import OnePassCode, ScheduledInstruction, TimedCode
from shflbench.cuda.compile.control import controls
from shflbench.cuda.compile.loops import NaturalLoop, natural_loops, successors
from shflbench.cuda.compile.timed_code import executed_always

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from shflbench.core.model import Instruction

EXIT = "EXIT"


def one_pass_code(sass: Sequence[Instruction], code: bytes) -> OnePassCode:
    """Return the code of a kernel, with what every warp executes from its entry to its end, whatever path it takes.

    An instruction of an inner loop is there once, because the machine code does not show how often the loop runs.
    """
    follows = [list(targets) for targets in successors(sass)]
    reached = _reached(follows)
    # As the body of one loop: each end of the kernel leads back to the entry.
    for index in reached:
        if sass[index].base == EXIT or not follows[index]:
            follows[index].append(0)
    certain = executed_always(follows, NaturalLoop(tuple(reached), reached[-1]))
    control, loops, within = controls(code), natural_loops(sass), successors(sass)
    bodies = [set(loop.body) for loop in loops]
    inner = [loop for loop in loops if not any(body < set(loop.body) for body in bodies)]

    def scheduled(indices: Iterable[int], always: Collection[int]) -> TimedCode:
        return TimedCode(tuple(ScheduledInstruction(sass[i], control[i], i in always) for i in indices), unroll=1)

    return OnePassCode(
        scheduled(reached, certain),
        tuple(scheduled(loop.body, executed_always(within, loop)) for loop in inner),
        frozenset(sass[i].address for body in bodies for i in body),
    )


def _reached(follows: Sequence[Sequence[int]]) -> list[int]:
    """Return the instructions that are reachable from the entry, ascending."""
    reached, waiting = {0}, [0]
    while waiting:
        new = set(follows[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return sorted(reached)

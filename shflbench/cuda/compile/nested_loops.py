"""Loops in loops: an iteration of the timed loop may contain some, which the compiler may have unrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda.compile.loops import natural_loops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Instruction, Loop


def outermost(loops: Sequence[Loop]) -> list[Loop]:
    """Return the loops that are part of no other one, by their addresses."""
    return [loop for loop in loops if not any(_is_inside((loop.start, loop.end), other) for other in loops)]


def has_inner_loop(sass: Sequence[Instruction], loop: Loop) -> bool:
    """Whether a loop contains another one, so that a pass executes some instructions several times."""
    bodies = ((sass[one.body[0]].address, sass[one.body[-1]].address) for one in natural_loops(sass))
    return any(_is_inside(body, loop) for body in bodies)


def _is_inside(body: tuple[int, int], other: Loop) -> bool:
    start, end = body
    return other.start <= start and end <= other.end and body != (other.start, other.end)

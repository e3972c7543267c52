"""Straight code bound to a cohort: from one op to the next at which control may part or lanes have to wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.backends.emulator.bind import bind, inlines

if TYPE_CHECKING:
    from shflbench.backends.emulator.bind import Step
    from shflbench.backends.emulator.cohort import Cohort
    from shflbench.backends.emulator.program import Op
    from shflbench.backends.emulator.state import State

LONGEST = 1 << 14  # ops of one trace


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps to call, and what stands at their end."""

    steps: tuple[Step, ...]
    last: Op | None  # a branch, an end, or an op to wait at; None: control goes on at `next`
    at: int  # number of the block that `last` ends
    next: int  # where control goes if it does not jump


def trace(state: State, cohort: Cohort, start: int, *, one_block: bool) -> Trace:
    """Return the code from `start`; `one_block` stops where another strand may join."""
    key = ~start if one_block else start
    known = cohort.traces.get(key)
    if known is None:
        known = cohort.traces[key] = _build(state, cohort, start, one_block=one_block)
    return known


def _build(state: State, cohort: Cohort, start: int, *, one_block: bool) -> Trace:
    steps: list[Step] = []
    block = state.program.blocks[start]
    while True:
        steps += [bind(state, op, cohort) for op in block.ops]
        if block.last is not None:
            if not inlines(block.last, cohort):
                return Trace(tuple(steps), block.last, block.start, block.next)
            steps.append(bind(state, block.last, cohort))
        if one_block or len(steps) > LONGEST or block.next == block.start:
            return Trace(tuple(steps), None, block.start, block.next)
        block = state.program.blocks[block.next]

"""The instructions of a kernel's timed loop with their control codes, as a limit needs them."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from shflbench.core.model import ScheduledInstruction, TimedCode
from shflbench.cuda.compile.control import controls
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.loops import counter_step, natural_loops, successors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.model import Instruction, Kernel
    from shflbench.cuda.compile.loops import NaturalLoop


def timed_code(kernel: Kernel) -> TimedCode | None:
    """Return the timed loop of a compiled kernel; None if it has none, or if no disassembler can read it."""
    if kernel.sass is None or kernel.loop is None:
        return None
    code = kernel_code(kernel.cubin)[kernel.symbol]
    return timed_loop_of(kernel.sass, code, kernel.loop.start, kernel.loop.end, kernel.loop.unroll)


def whole_code(kernel: Kernel) -> TimedCode | None:
    """Return each instruction of a compiled kernel once, as if in a pass; None if no disassembler can read it.

    Leaves out the padding at the end: no-operations, and a branch to itself. None for several kernels, too.
    """
    if kernel.sass is None or kernel.later:
        return None
    control = controls(kernel_code(kernel.cubin)[kernel.symbol])
    last = max((index for index, item in enumerate(kernel.sass) if item.base not in {"NOP", "BRA"}), default=-1)
    every = zip(kernel.sass[: last + 1], control, strict=False)
    return TimedCode(tuple(ScheduledInstruction(item, code, always=True) for item, code in every), 1)


def addresses_in_loops(kernel: Kernel) -> frozenset[int]:
    """Return the addresses of the instructions of a kernel that a loop repeats."""
    sass = kernel.sass or ()
    return frozenset(sass[index].address for loop in natural_loops(sass) for index in loop.body)


def timed_loop_of(sass: Sequence[Instruction], code: bytes, start: int, end: int, unroll: int) -> TimedCode | None:
    """Return the loop from address `start` to `end` that does `unroll` iterations per pass; None if there is none."""
    control = controls(code)
    for loop in natural_loops(sass):
        body = [sass[index] for index in loop.body]
        # Loops with one head and a common block out of line have the same addresses; the counter tells them apart.
        if (body[0].address, body[-1].address) != (start, end):
            continue
        if counter_step(body, sass[loop.back_edge]) == unroll:
            certain = executed_always(successors(sass), loop)
            instructions = (ScheduledInstruction(sass[i], control[i], i in certain) for i in loop.body)
            return TimedCode(tuple(instructions), unroll)
    return None


def executed_always(follows: Sequence[Sequence[int]], loop: NaturalLoop) -> frozenset[int]:
    """Return the instructions that each pass through a loop executes: those that dominate each branch to its head.

    Source: Aho, Lam, Sethi, Ullman, Compilers, section 9.6.1.
    """
    head, body = loop.body[0], loop.body
    precedes: Mapping[int, list[int]] = {index: [] for index in body}
    for index in body:
        for target in follows[index]:
            if target in precedes and target != head:
                precedes[target].append(index)
    every = sum(1 << index for index in body)
    dominators = dict.fromkeys(body, every) | {head: 1 << head}
    changed = True
    while changed:
        changed = False
        for index in body[1:]:
            passed = reduce(and_, (dominators[before] for before in precedes[index]), every) | 1 << index
            changed |= passed != dominators[index]
            dominators[index] = passed
    certain = reduce(and_, (dominators[index] for index in body if head in follows[index]))
    return frozenset(index for index in body if certain >> index & 1)

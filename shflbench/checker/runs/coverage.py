"""Which source lines of a kernel ran: those whose effects happened.

A compiler computes values early, in code that always runs. A line with stores, atomics, barriers, shuffles or branches
ran if one of these did; any other line ran if any of its instructions did. An instruction whose guard holds for no
thread has not run; a branch has, because it evaluates the condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.backends.emulator.opcodes.forms import Access, Nothing, Pure
from shflbench.checker.runs.order import all_ops

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from shflbench.backends.emulator.link.program import BasicBlock, Op, Program

Line = tuple[str, int]  # file, as the compiler names it, and line


def executed_blocks(program: Program, runs: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return the basic blocks that ran, given the first and the last block of each run of straight code."""
    blocks: set[int] = set()
    for start, end in runs:
        block = program.blocks[start]
        blocks.add(start)
        while block.start not in {end, block.next}:
            block = program.blocks[block.next]
            blocks.add(block.start)
    return frozenset(blocks)


def unreached_lines(program: Program, blocks: Collection[int], guarded: Collection[int]) -> frozenset[Line]:
    """Return the lines that have code and did not run, given the basic blocks that ran.

    `guarded` are the ids of the ops whose guard held for a thread.
    """
    effects: dict[Line, bool] = {}
    anything: dict[Line, bool] = {}
    for start, block in program.blocks.items():
        for op in (*block.ops, *((block.last,) if block.last is not None else ())):
            ran = start in blocks and _ran(op, block, guarded)
            for line in _lines_of(op):
                anything[line] = anything.get(line, False) or ran
                if _has_effect(op):
                    effects[line] = effects.get(line, False) or ran
    return frozenset(line for line, ran in anything.items() if not effects.get(line, ran))


def code_lines(program: Program) -> frozenset[Line]:
    """Return all lines that have code."""
    return frozenset(line for op in all_ops(program) for line in _lines_of(op))


def _ran(op: Op, block: BasicBlock, guarded: Collection[int]) -> bool:
    return op.guard is None or op is block.last or id(op) in guarded


def _has_effect(op: Op) -> bool:
    form = op.form
    return not isinstance(form, Pure | Nothing) and not (isinstance(form, Access) and form.kind == "ld")


def _lines_of(op: Op) -> Iterator[Line]:
    """Yield the line of an instruction, and those of the calls that it was inlined at."""
    location = op.instruction.location
    while location is not None:
        yield location.file, location.line
        location = location.inlined_at

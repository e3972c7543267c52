"""The source lines of a kernel that ran.

An instruction whose guard holds for no thread has not run, unless it is a branch: that is its condition.
"""

from collections.abc import Collection, Iterable, Iterator

from shflbench.emulator.link.program import BasicBlock, Op, Program
from shflbench.emulator.opcodes.forms import Branch
from shflbench.emulator.ptx.syntax import Location

Line = tuple[str, int]  # file and line


def executed_lines(program: Program, runs: Iterable[tuple[int, int]], guarded: Collection[int] = ()) -> frozenset[Line]:
    """Return the lines of straight code that ran, given the first and the last block of each run.

    `guarded` are the ids of the ops with a guard that held for a thread.
    """
    blocks: set[int] = set()
    for start, end in runs:
        block = program.blocks[start]
        blocks.add(start)
        while block.start not in {end, block.next}:
            block = program.blocks[block.next]
            blocks.add(block.start)
    ops = _ops(program.blocks[start] for start in blocks)
    return _lines(op for op in ops if op.guard is None or isinstance(op.form, Branch) or id(op) in guarded)


def program_lines(program: Program) -> frozenset[Line]:
    """Return all lines that have code."""
    return _lines(_ops(program.blocks.values()))


def _ops(blocks: Iterable[BasicBlock]) -> Iterator[Op]:
    return (op for block in blocks for op in (*block.ops, block.last) if op is not None)


def _lines(ops: Iterable[Op]) -> frozenset[Line]:
    return frozenset(line for op in ops for line in _of(op))


def _of(op: Op) -> Iterator[Line]:
    """Yield the line of an op, and those of the calls that it was inlined at."""
    location: Location | None = op.instruction.location
    while location is not None:
        yield location.file, location.line
        location = location.inlined_at

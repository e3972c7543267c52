"""The source lines of a kernel that ran: those whose effects happened.

A compiler computes values early, in code that always runs. A line with stores, atomics, barriers, shuffles or branches
ran if one of these did; any other line ran if any of its instructions did. An instruction whose guard holds for no
thread has not run; a branch has, because it evaluates the condition.

A line that holds a condition and what depends on it ran in part if the latter did not: of each kind of memory access,
barrier or call of the line, one instruction must run. The others are copies of it, from an unrolled loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.opcodes.forms import Access, Branch, Exit, Nothing, Pure, Service

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from shflbench.emulator.link.program import Op, Program

Line = tuple[str, int]  # file, as the compiler names it, and line
Part = tuple[Line, str, str]  # of a line: opcode and state space, or "call" and the file of the function
_OF_FAULTS = {"__assertfail", "no_function", "stack"}  # services that a correct kernel never calls, or always


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


@dataclass(frozen=True, slots=True)
class UnreachedLines:
    """The lines that have code and did not run, and those of which a part ran."""

    wholly: frozenset[Line]
    in_part: frozenset[Line]


def unreached_lines(program: Program, blocks: Collection[int], guarded: Collection[int]) -> UnreachedLines:
    """Return the lines that have code and did not run, or not all of it, given the basic blocks that ran.

    `guarded` are the ids of the ops whose guard held for a thread.
    """
    ran = find_executed(program, blocks, guarded)
    loaded = {op.place for op in program.ops() if id(op) in ran and _is_load(op)}
    anything: dict[Line, bool] = {}
    effects: dict[Line, bool] = {}
    parts: dict[Part, bool] = {}
    for op in program.ops():
        for line in _lines_of(op):
            anything[line] = anything.get(line, False) or id(op) in ran
            if _has_effect(op):
                effects[line] = effects.get(line, False) or id(op) in ran
        # Where paths join, the compiler repeats a load whose value one of them already has.
        repeated = _is_load(op) and op.place in loaded
        for part in _parts_of(op):
            parts[part] = parts.get(part, False) or repeated or id(op) in ran
    nothing = {line for line, some in anything.items() if not effects.get(line, some)}
    incomplete = {line for (line, _, _), some in parts.items() if not some}
    return UnreachedLines(frozenset(nothing), frozenset(incomplete - nothing))


def code_lines(program: Program) -> frozenset[Line]:
    """Return all lines that have code."""
    return frozenset(line for op in program.ops() for line in _lines_of(op))


def find_executed(program: Program, blocks: Collection[int], guarded: Collection[int]) -> frozenset[int]:
    """Return the ids of the ops that ran; a block's last one is a branch, or waits for threads without a guard."""
    reached = [program.blocks[start] for start in blocks]
    ops = (op for block in reached for op in block.ops if op.guard is None or id(op) in guarded)
    return frozenset(id(op) for op in (*ops, *(block.last for block in reached)) if op is not None)


def _has_effect(op: Op) -> bool:
    return not isinstance(op.form, Pure | Nothing) and not _is_load(op)


def _is_load(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.kind == "ld"


def _parts_of(op: Op) -> Iterator[Part]:
    """Yield what an instruction is part of: its line, and the calls that it was inlined at."""
    form, location = op.form, op.instruction.location
    if location is None or not _is_part(op):
        return
    if not isinstance(form, Branch):
        space = form.space if isinstance(form, Access) else ""
        yield (location.file, location.line), op.instruction.opcode, space
    while (caller := location.inlined_at) is not None:
        yield (caller.file, caller.line), "call", location.file
        location = caller


def _is_part(op: Op) -> bool:
    """Whether an instruction does what its line says: it does not compute, end a thread, or pass a parameter."""
    match op.form:
        case Pure() | Nothing() | Exit():
            return False
        case Service(name=name):
            return name not in _OF_FAULTS
        case Access(kind=kind):  # those of a call are made of it
            return f"{kind}." in op.instruction.text and "param" not in op.instruction.modifiers
    return True


def _lines_of(op: Op) -> Iterator[Line]:
    """Yield the line of an instruction, and those of the calls that it was inlined at."""
    location = op.instruction.location
    while location is not None:
        yield location.file, location.line
        location = location.inlined_at

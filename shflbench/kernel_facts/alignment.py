"""Align two timed loops by their instructions, and compare the control codes of those that correspond."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import ScheduledInstruction, TimedCode

ACCESSES = {"LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL"}
WIDTHS = {"64", "128", "U8", "S8", "U16", "S16"}  # as modifiers of these; without one, an access is of 32 bits
RESULT, OPERANDS = "result", "operands"  # what of an instruction a scoreboard is released by

Wait: TypeAlias = tuple[str, int | None]  # RESULT or OPERANDS, and the pair of the instruction; None: before the loop
BEFORE: Wait = (RESULT, None)


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """An instruction of each loop; None where only the other one has it."""

    first: ScheduledInstruction | None
    second: ScheduledInstruction | None
    first_waits: frozenset[Wait] = frozenset()
    second_waits: frozenset[Wait] = frozenset()

    @property
    def opcodes_differ(self) -> bool:
        """Whether modifiers or predicates differ; registers and constants are not compared."""
        return bool(self.first and self.second) and _shape(self.first) != _shape(self.second)

    @property
    def stalls_differ(self) -> bool:
        """Whether the stall counts differ."""
        return bool(self.first and self.second and self.first.control.stall != self.second.control.stall)

    @property
    def waits_differ(self) -> bool:
        """Whether they wait for different instructions; the numbers of the scoreboards do not matter."""
        return bool(self.first and self.second) and self.first_waits != self.second_waits

    @property
    def mark(self) -> str:
        """One character: equal, other modifiers (!), another control code (~), only left (<), only right (>)."""
        if self.first is None or self.second is None:
            return ">" if self.first is None else "<"
        return "!" if self.opcodes_differ else "~" if self.stalls_differ or self.waits_differ else " "


def _shape(item: ScheduledInstruction | None) -> tuple[str, str] | None:
    """Return the opcode with modifiers, and the predicate without its number."""
    return (item.instruction.opcode, item.instruction.predicate.rstrip("0123456789T")) if item else None


def align(first: TimedCode, second: TimedCode) -> list[AlignedPair]:
    """Return the instructions of both loops in order; those that correspond have the same opcode."""
    indices = list(_indices(first.instructions, second.instructions))
    first_pairs = {one: number for number, (one, _) in enumerate(indices) if one is not None}
    second_pairs = {other: number for number, (_, other) in enumerate(indices) if other is not None}
    first_waits, second_waits = _waits(first.instructions, first_pairs), _waits(second.instructions, second_pairs)
    return [
        AlignedPair(
            None if one is None else first.instructions[one],
            None if other is None else second.instructions[other],
            frozenset() if one is None else first_waits[one],
            frozenset() if other is None else second_waits[other],
        )
        for one, other in indices
    ]


def _indices(
    first: Sequence[ScheduledInstruction], second: Sequence[ScheduledInstruction]
) -> Iterator[tuple[int | None, int | None]]:
    opcodes, others = ([item.instruction.base for item in items] for items in (first, second))
    matcher = SequenceMatcher(None, opcodes, others, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(range(start, end), range(other_start, other_end), strict=True)
        else:
            yield from ((index, None) for index in range(start, end))
            yield from ((None, index) for index in range(other_start, other_end))


def _waits(items: Sequence[ScheduledInstruction], pairs: Mapping[int, int]) -> list[frozenset[Wait]]:
    """Return what each instruction waits for: for each scoreboard the last instruction before it that sets it."""
    last: dict[int, Wait] = {}  # scoreboard → what releases it
    waits: list[frozenset[Wait]] = []
    for _ in range(2):  # the second pass through the loop knows what the first one set
        waits = []
        for index, item in enumerate(items):
            waits.append(frozenset(last.get(number, BEFORE) for number in item.control.waits))
            if item.control.write_barrier is not None:
                last[item.control.write_barrier] = (RESULT, pairs[index])
            if item.control.read_barrier is not None:
                last[item.control.read_barrier] = (OPERANDS, pairs[index])
    return waits


def instruction_counts(code: TimedCode) -> Counter[str]:
    """Return how often a pass through the loop has each opcode, without modifiers but with the width of an access."""
    return Counter(map(_with_width, code.instructions))


def _with_width(item: ScheduledInstruction) -> str:
    """Return `LDG.128` for `LDG.E.128.CONSTANT`; the usual width, 32 bits, has no name."""
    instruction = item.instruction
    widths = [f".{name}" for name in instruction.opcode.split(".") if name in WIDTHS]
    return "".join((instruction.base, *widths)) if instruction.base in ACCESSES else instruction.base


def stall_cycles(code: TimedCode) -> int:
    """Return the cycles that the stall counts of a pass through the loop add up to."""
    return sum(item.control.stall for item in code.instructions if item.always)

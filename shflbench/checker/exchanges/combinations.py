"""How threads combine the values that they load with their own, as the code shows it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.link.program import Slot

if TYPE_CHECKING:
    from shflbench.checker.link.program import Op, Program

OPERATIONS = frozenset({"add", "min", "max", "and", "or", "xor"})  # opcodes that combine two values
FOLLOWED = OPERATIONS | {"mov", "selp"}  # from a loaded value to the sum that is stored


@dataclass(frozen=True, slots=True)
class Combination:
    """How a thread combines what it loads with its own value: opcode and type of the PTX."""

    opcode: str
    type: str


class ValueReaders:
    """The ops of a program that read each register."""

    def __init__(self, program: Program) -> None:
        """Index the program."""
        self._readers: dict[int, list[Op]] = defaultdict(list)
        for op in program.ops():
            for source in op.sources:
                if isinstance(source, Slot):
                    self._readers[source.number].append(op)

    def combination(self, load: Op) -> Combination | None:
        """Return how a loaded value is combined; None if that is no single operation."""
        if len(load.results) != 1 or load.results[0] is None:
            return None
        readers = self._readers[load.results[0].number]
        if len(readers) != 1 or readers[0].instruction.opcode not in OPERATIONS:
            return None
        instruction = readers[0].instruction
        return Combination(instruction.opcode, instruction.modifiers[-1] if instruction.modifiers else "")

    def is_stored(self, load: Op) -> bool:
        """Whether what a loaded value is combined to is stored to shared memory again, for the next step."""
        waiting, seen = [load], set[int]()
        while waiting:
            for slot in waiting.pop().results:
                if slot is None or slot.number in seen:
                    continue
                seen.add(slot.number)
                for op in self._readers[slot.number]:
                    if op.place is not None and op.place.space == "shared" and op.instruction.opcode == "st":
                        return True
                    if op.instruction.opcode in FOLLOWED:
                        waiting.append(op)
        return False

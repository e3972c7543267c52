"""How threads combine the values that they load with their own, as the code shows it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.recorder import LaneRelation
from shflbench.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from shflbench.checker.exchanges.recorder import FlowTotals
    from shflbench.emulator.link.program import Op, Program, Source
    from shflbench.emulator.ptx.syntax import Location

OPERATIONS = frozenset({"add", "min", "max", "and", "or", "xor"})  # opcodes that combine two values
INPUTS = 2  # a minimum of three numbers has one more, which a shuffle of the loaded value would not bring
COPIES = frozenset({"mov", "selp"})  # behind them, a value is the same, or that of another path


@dataclass(frozen=True, slots=True)
class Combination:
    """How a thread combines what it loads with its own value: opcode and type of the PTX."""

    opcode: str
    type: str


class RegisterUses:
    """The ops of a program that read and that write each register."""

    def __init__(self, program: Program) -> None:
        """Index the program."""
        self.program = program
        self._readers: dict[int, list[Op]] = defaultdict(list)
        self._writers: dict[int, list[Op]] = defaultdict(list)
        self._stores: dict[Location | None, list[Op]] = defaultdict(list)
        for op in program.ops():
            for number in _registers(op.sources):
                self._readers[number].append(op)
            for number in _registers(op.results):
                self._writers[number].append(op)
            if _is_store(op):
                self._stores[op.instruction.location].append(op)

    def combination(self, load: Op, mine: Collection[Op]) -> Combination | None:
        """Return how a loaded value is combined with the thread's own one; None if that is no single operation.

        Each of `mine` stores the thread's own value, or loads it; a store stands for all copies of an unrolled loop.
        """
        op = self._combining(load)
        if op is None:
            return None
        loaded = set(_registers(load.results))
        others = self._origins(number for number in _registers(op.sources) if number not in loaded)
        stores = [op for one in mine if _is_store(one) for op in self._stores[one.instruction.location]]
        values = self._origins(number for op in (*mine, *stores) for number in _registers((*op.results, *op.sources)))
        if not others & values or not self._computed(others) <= values:  # such as one of `v` and `-v`
            return None
        modifiers = op.instruction.modifiers
        if "xorsign" in modifiers:  # an extreme of absolute values, which no function of CUDA does in all steps at once
            return None
        return Combination(op.instruction.opcode, modifiers[-1] if modifiers else "")

    def stores_of_sum(self, load: Op) -> Iterator[Op]:
        """Yield the stores to shared memory of what a loaded value is combined to."""
        op = self._combining(load)
        waiting, seen = [] if op is None else [op], set[int]()
        while waiting:
            for number in set(_registers(waiting.pop().results)) - seen:
                seen.add(number)
                for reader in self._readers[number]:
                    if _is_store(reader):
                        yield reader
                    elif reader.instruction.opcode in COPIES:
                        waiting.append(reader)

    def _combining(self, load: Op) -> Op | None:
        """Return the operation that alone reads a loaded value."""
        if len(load.results) != 1 or load.results[0] is None:
            return None
        readers = self._readers[load.results[0].number]
        if len(readers) != 1 or readers[0].instruction.opcode not in OPERATIONS:
            return None
        return readers[0] if len(readers[0].sources) == INPUTS else None

    def _computed(self, registers: Iterable[int]) -> set[int]:
        """Return the registers that something else than a copy writes."""
        return {
            number for number in registers if any(op.instruction.opcode not in COPIES for op in self._writers[number])
        }

    def _origins(self, registers: Iterable[int]) -> set[int]:
        """Return registers with those from which their values are copied."""
        waiting, seen = list(registers), set[int]()
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                copies = (op for op in self._writers[number] if op.instruction.opcode in COPIES)
                waiting += [source for op in copies for source in _registers(op.sources)]
        return seen


def _registers(operands: Iterable[Source | None]) -> Iterator[int]:
    """Yield the numbers of registers, but of predicates, which choose a value and are none."""
    return (item.number for item in operands if isinstance(item, Slot) and item.type != "?")


def _is_store(op: Op) -> bool:
    return op.place is not None and op.place.space == "shared" and op.instruction.opcode == "st"


def own_accesses(flows: Collection[FlowTotals]) -> dict[int, list[Op]]:
    """Return, by the id of each load from other threads, the ops that store or load the thread's own value there.

    These are the stores that it reads from, and the loads that read from them only what the same thread stored.
    """
    stores: dict[int, list[Op]] = defaultdict(list)
    loads = {id(totals.load): totals.load for totals in flows}
    of_others = set[int]()
    for totals in flows:
        stores[id(totals.load)].append(totals.store)
        if {relation for relation, *_ in totals.executions} != {LaneRelation.THREAD}:
            of_others.add(id(totals.load))
    loads_of: dict[int, list[Op]] = defaultdict(list)  # by the id of a store
    for key in loads.keys() - of_others:
        for store in stores[key]:
            loads_of[id(store)].append(loads[key])
    return {key: [*stores[key], *(op for store in stores[key] for op in loads_of[id(store)])] for key in of_others}

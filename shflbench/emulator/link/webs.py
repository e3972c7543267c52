"""Give each value of a register that is written several times a register of its own.

In PTX that people write, one register holds one value after another: `shl.b32 %r2, %r1, 8` and then `add.u32 %r2, %r2,
%r0`. Analyses follow registers that are written once. A web is a largest set of writes of one register of which reads
may see several: the writes before a loop and at its end are one web. Webs are independent of one another (S. Muchnick,
"Advanced Compiler Design and Implementation", 16.3.3).
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.link.registers import Numbering
from shflbench.emulator.opcodes.forms import Branch, Exit


def split_webs(ops: Sequence[Op], numbering: Numbering) -> list[Op]:
    """Return the ops, in which registers that are written several times have a number per web."""
    writers: dict[int, set[int]] = defaultdict(set)
    for number, op in enumerate(ops):
        for slot in op.results:
            if slot is not None:
                writers[slot.number].add(number)
    several = frozenset(register for register, places in writers.items() if len(places) > 1)
    return _Webs(ops, several, numbering).split() if several else list(ops)


class _Webs:
    """The writes of some registers, of which sets of bits stand for some, and which of them reads see."""

    def __init__(self, ops: Sequence[Op], registers: frozenset[int], numbering: Numbering) -> None:
        self._ops, self._registers, self._numbering = ops, registers, numbering
        self._bits: dict[tuple[int, int], int] = {}  # (op, register) → place of its bit
        self._all: dict[int, int] = Counter()  # register → the bits of all its writes
        for number, op in enumerate(ops):
            for register in self._written(op):
                place = self._bits.setdefault((number, register), len(self._bits))
                self._all[register] |= 1 << place
        self._parents = list(range(len(self._bits)))
        self._joined: dict[int, int] = {}  # register → the writes that its last read sees

    def split(self) -> list[Op]:
        """Return the ops with the numbers of webs."""
        seen_by: list[Mapping[int, int]] = []  # for each op: register → one of the writes that it may read
        for start, end, reaching in self._reaching():
            state = reaching
            for number in range(start, end):
                seen: dict[int, int] = {}
                for register in self._read(self._ops[number]):
                    if bits := state & self._all[register]:
                        seen[register] = _lowest(bits)
                        self._join_all(register, bits)
                seen_by.append(seen)
                state = self._after(number, state)
        numbers = self._numbers()
        return [
            self._renamed(number, op, seen, numbers)
            for number, (op, seen) in enumerate(zip(self._ops, seen_by, strict=True))
        ]

    def _written(self, op: Op) -> Iterator[int]:
        return (slot.number for slot in op.results if slot is not None and slot.number in self._registers)

    def _read(self, op: Op) -> Iterator[int]:
        """Yield the registers that an op reads; one that keeps a part of what it overwrites reads that, too."""
        base = op.place.base if op.place is not None else None
        for item in (*op.sources, op.guard, base):
            if isinstance(item, Slot) and item.number in self._registers:
                yield item.number
        yield from (register for register in self._written(op) if not self._replaces(op, register))

    def _replaces(self, op: Op, register: int) -> bool:
        """Whether all threads that execute an op lose the earlier value of the register."""
        size = np.dtype(self._numbering.types[register]).itemsize
        sizes = [np.dtype(slot.type).itemsize for slot in op.results if slot is not None and slot.number == register]
        return op.guard is None and max(sizes) == size

    def _after(self, number: int, reaching: int) -> int:
        op = self._ops[number]
        for register in self._written(op):
            if self._replaces(op, register):
                reaching &= ~self._all[register]
            reaching |= 1 << self._bits[number, register]
        return reaching

    def _reaching(self) -> Iterator[tuple[int, int, int]]:
        """Yield the first op of each basic block and the first behind it, and the writes that reach its start."""
        starts = sorted({0, *(place for number, op in enumerate(self._ops) for place in _leaders(number, op))})
        starts = [start for start in starts if start < len(self._ops)]
        ends = dict(zip(starts, [*starts[1:], len(self._ops)], strict=True))
        effects = {start: self._effect(start, ends[start]) for start in starts}
        reaching = dict.fromkeys(starts, 0)
        waiting = deque(starts)
        while waiting:
            start = waiting.popleft()
            lost, added = effects[start]
            state = reaching[start] & ~lost | added
            for successor in _successors(ends[start] - 1, self._ops[ends[start] - 1]):
                if successor in reaching and reaching[successor] | state != reaching[successor]:
                    reaching[successor] |= state
                    waiting.append(successor)
        yield from ((start, ends[start], reaching[start]) for start in starts)

    def _effect(self, start: int, end: int) -> tuple[int, int]:
        """Return which writes do not reach the end of a basic block from its start, and which of its own do."""
        lost = added = 0
        for number in range(start, end):
            for register in self._written(self._ops[number]):
                if self._replaces(self._ops[number], register):
                    lost |= self._all[register]
            added = self._after(number, added)
        return lost, added

    def _join_all(self, register: int, bits: int) -> None:
        """Make one web of some writes of a register; those that the last read of it has joined are one already."""
        before = self._joined.get(register, 0)
        if bits == before:
            return
        common = bits & before
        self._join([*([_lowest(common)] if common else []), *places_of(bits & ~before)])
        self._joined[register] = bits

    def _join(self, places: Sequence[int]) -> None:
        first = self._root(places[0])
        for place in places[1:]:
            self._parents[self._root(place)] = first

    def _root(self, place: int) -> int:
        while self._parents[place] != place:
            self._parents[place] = self._parents[self._parents[place]]
            place = self._parents[place]
        return place

    def _numbers(self) -> Mapping[int, int]:
        """Return the number of the register of each write; the first web of a register keeps its number."""
        of_web: dict[int, int] = {}
        kept: set[int] = set()
        numbers = {}
        for (_, register), place in self._bits.items():
            web = self._root(place)
            if web not in of_web:
                of_web[web] = self._numbering.copy(register) if register in kept else register
                kept.add(register)
            numbers[place] = of_web[web]
        return numbers

    def _renamed(self, number: int, op: Op, seen: Mapping[int, int], numbers: Mapping[int, int]) -> Op:
        def read(slot: Slot) -> Slot:
            return replace(slot, number=numbers[seen[slot.number]]) if slot.number in seen else slot

        def write(slot: Slot) -> Slot:
            place = self._bits.get((number, slot.number))
            return slot if place is None else replace(slot, number=numbers[place])

        place = op.place
        if place is not None and place.base is not None:
            place = replace(place, base=read(place.base))
        return replace(
            op,
            results=tuple(slot if slot is None else write(slot) for slot in op.results),
            sources=tuple(read(item) if isinstance(item, Slot) else item for item in op.sources),
            guard=read(op.guard) if op.guard is not None else None,
            place=place,
        )


def _leaders(number: int, op: Op) -> tuple[int, ...]:
    if isinstance(op.form, Branch):
        return number + 1, op.target
    return (number + 1,) if isinstance(op.form, Exit) else ()


def _successors(number: int, op: Op) -> tuple[int, ...]:
    """Return the ops that may follow."""
    goes_on = () if op.guard is None and isinstance(op.form, Branch | Exit) else (number + 1,)
    return (op.target, *goes_on) if isinstance(op.form, Branch) else goes_on


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def places_of(bits: int) -> Iterator[int]:
    """Yield the places of the bits that are set."""
    start = 0
    while bits:
        step = _lowest(bits)
        start += step
        yield start
        bits >>= step + 1
        start += 1

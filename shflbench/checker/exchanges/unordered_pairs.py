"""Whether accesses before and after a barrier of the block can touch the same memory in different threads.

What holds for all sizes, grids and contents follows from the addresses as numbers per thread of a block: parameters,
loop counters and loaded values stay unknown. Two accesses that only one barrier separates conflict unless no thread
touches by one what another thread touches by the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.exchanges.related_pairs import MOST_RELATED, RelatedPairs
from shflbench.core.model import WARP
from shflbench.emulator.dataflow.reaching import ReachingWriters
from shflbench.emulator.dataflow.symbolic_numbers import LOOP, TURN, UNIFORM, is_uniform, most_of
from shflbench.emulator.dataflow.thread_values import KnownParameter, ThreadValues
from shflbench.emulator.opcodes.addresses import MODULE_BASE
from shflbench.emulator.opcodes.forms import (
    OF_BLOCK,
    Access,
    Barrier,
    Branch,
    Collective,
    Exit,
    Fence,
    Nothing,
    Pure,
    Service,
    Values,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.emulator.dataflow.reaching import WrittenRegister
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.dataflow.state_graph import StateAccess
    from shflbench.emulator.dataflow.symbolic_numbers import ThreadValue
    from shflbench.emulator.link.program import Op

MOST_PAIRS = 10_000  # of accesses, which are compared one by one
MOST_ENUMERATED = 256  # numbers that a part of an address may be, such as an index of a lane
MOST_CASES = 64  # combinations of values that registers have in loops
WRAP = 1 << 32  # where numbers of 32 bits begin anew
OF_WARP = ("ldmatrix", "stmatrix", "wmma")  # whose lanes access what the addresses of other lanes name
_ZERO = np.zeros(1, np.int64)
OF_THREAD = {"local", "param", "const"}  # memory that threads do not share, or that nobody writes
OF_ONE_THREAD = {"__assertfail", "vprintf"}  # what the runtime does without changing what other threads read


class Crossing(IntEnum):
    """Between which threads values may cross a barrier."""

    NONE = 0
    LANES = 1  # of one warp
    WARPS = 2


@dataclass(frozen=True, slots=True)
class UnorderedPair:
    """Two accesses that only the barrier orders, for all that is known."""

    before: Op
    after: Op
    crossing: Crossing
    publishes: bool = False  # a fence between them shows others what was stored before


@dataclass(frozen=True, slots=True)
class TouchedMemory:
    """Where the threads of a block access memory by one instruction."""

    op: Op
    form: Access
    address: ThreadValue
    threads: Values  # numbers of those that may execute it
    memory: frozenset[str]  # the arrays that it may be in, by name or by the parameter that points there; empty: any

    @property
    def is_shared(self) -> bool:
        """Whether it is in shared memory."""
        return self.form.space == "shared"

    @property
    def synchronizes(self) -> bool:
        """Whether other blocks may learn by it what this block has written."""
        return not self.is_shared and (self.form.strong or self.form.atomic)


@dataclass(frozen=True, slots=True)
class _Begin:
    """Where threads begin to execute code."""

    start: int  # block of code
    region: Collection[int] | None = None  # the blocks of code that they stay in; None: all
    threads: Values | None = None  # that begin; None: all


@dataclass(frozen=True, slots=True)
class _SideOfBarrier:
    """The code before a barrier, or behind it."""

    ops: Sequence[Op]
    values: ThreadValues
    walk: _Begin


class BarrierPairs:
    """The pairs of accesses on both sides of barriers, for blocks of one shape."""

    def __init__(
        self,
        slicer: Slicer,
        block: Dims,
        buffers: Mapping[int, frozenset[str]],
        parameters: Mapping[int, KnownParameter],
    ) -> None:
        """Find which threads may reach each basic block.

        `buffers` are those that the pointers of the launches point to, and `parameters` what is known of others, by
        the first byte of the parameter; what is found holds for all values of the rest.
        """
        self._slicer, self._block, self._buffers, self._parameters = slicer, block, buffers, parameters
        self._values = ThreadValues(slicer, block, parameters)
        self._touched_by: dict[int, list[TouchedMemory]] = {}
        self._crossings: dict[tuple[object, ...], Crossing] = {}  # of accesses in states
        self._reached = _reached(slicer, self._values, _Begin(min(slicer.program.blocks)))
        self._related = RelatedPairs(slicer, block, parameters)
        self.threads = self._values.threads

    def touched(self, op: Op) -> list[TouchedMemory]:
        """Return where the threads access memory by one instruction, for each of the values of registers in loops."""
        if id(op) not in self._touched_by:
            begin = _Begin(min(self._slicer.program.blocks))
            self._touched_by[id(op)] = list(self._accesses(_SideOfBarrier([op], self._values, begin)))
        return self._touched_by[id(op)]

    def truth(self, op: Op) -> tuple[Values, Values]:
        """Return for each thread whether the guard of an instruction may hold, and whether it may not."""
        return self._values.truth(op)

    def may_meet(self, one: TouchedMemory, other: TouchedMemory) -> bool:
        """Return whether two accesses may be to the same memory."""
        return _may_conflict(one, other, publishes=False)

    def between(self, one: TouchedMemory, other: TouchedMemory) -> Crossing:
        """Return between which threads values may cross from one access to another."""
        return _crossing(one, other, publishes=False)

    def shared_cells(
        self, one: TouchedMemory, other: TouchedMemory
    ) -> tuple[tuple[Values, Values], tuple[Values, Values]]:
        """Return the numbers of the cells that two accesses touch, each with its thread: equal ones may be the same."""
        divisor = _common_divisor(one, other)
        (cells, threads), (other_cells, other_threads) = (_cells(touched, divisor) for touched in (one, other))
        _, places = np.unique(np.concatenate([cells, other_cells]), return_inverse=True)
        return (places[: cells.size], threads), (places[cells.size :], other_threads)

    def crossing(self, barriers: Sequence[Op], removed: Sequence[Op]) -> UnorderedPair | None:
        """Return two accesses that only `barriers` order, of the widest crossing; None if there are none.

        `removed` barriers order nothing.
        """
        absent = {self._slicer.block_of(op) for op in (*barriers, *removed)}
        widest: UnorderedPair | None = None
        for barrier in barriers:
            start = self._slicer.block_of(barrier)
            before = self._ops(self._region(start, absent, forward=False))
            behind = self._region(start, absent, forward=True)
            values = ThreadValues(
                self._slicer, self._block, self._parameters, ReachingWriters(self._slicer, start, behind)
            )
            first = _SideOfBarrier(before, self._values, _Begin(min(self._slicer.program.blocks)))
            reached = self._reached.get(start)
            second = _SideOfBarrier(self._ops(behind), values, _Begin(start, behind, reached))
            pairs = list(self._pairs(barrier, first, second))
            pair = self._widest_related(pairs, start, absent) if pairs else None
            if pair is not None and (widest is None or pair.crossing > widest.crossing):
                widest = pair
            if widest is not None and widest.crossing is Crossing.WARPS:
                break
        return widest

    def _widest_related(
        self, pairs: Sequence[UnorderedPair], start: int, absent: Collection[int]
    ) -> UnorderedPair | None:
        """Return the pair of the widest crossing in the states that threads go through around a barrier.

        That is the first in which nothing is known of the accesses but their addresses, or of the pair of the barrier
        itself, which is an instruction of another kind.
        """
        widest: UnorderedPair | None = max(pairs, key=lambda item: item.crossing)
        if len(pairs) > MOST_RELATED or any(not isinstance(item.after.form, Access) for item in pairs):
            return widest
        both = [(item.before, item.after) for item in pairs]
        meetings = self._related.meetings(start, both, lambda block: block in absent or not self._is_barrier(block))
        for met in meetings:
            related = list(self._still_crossing(pairs, met))
            of_states = max(related, key=lambda item: item.crossing, default=None)
            if of_states is None:
                return None
            if widest is None or of_states.crossing < widest.crossing:
                widest = of_states
        return widest

    def _still_crossing(
        self, pairs: Sequence[UnorderedPair], met: Mapping[tuple[int, int], Sequence[tuple[StateAccess, StateAccess]]]
    ) -> Iterator[UnorderedPair]:
        for pair in pairs:
            crossing = Crossing.NONE
            for one, other in met.get((id(pair.before), id(pair.after)), ()):
                if crossing < pair.crossing:
                    crossing = max(crossing, self._crossing_of(one, other, publishes=pair.publishes))
            if crossing is not Crossing.NONE:
                yield replace(pair, crossing=crossing)

    def _crossing_of(self, one: StateAccess, other: StateAccess, *, publishes: bool) -> Crossing:
        """Return between which threads values may cross from one access to another, each in a state."""
        key = publishes, _key(one), _key(other)
        known = self._crossings.get(key)
        if known is None:
            known = _crossing(self._of_state(one), self._of_state(other), publishes=publishes)
            self._crossings[key] = known
        return known

    def _of_state(self, access: StateAccess) -> TouchedMemory:
        form = access.op.form
        assert isinstance(form, Access)  # noqa: S101  (what states have)
        memory = self._memory(access.op, form, access.address)
        return TouchedMemory(access.op, form, access.address, np.flatnonzero(access.threads), memory)

    def _region(self, start: int, absent: Collection[int], *, forward: bool) -> set[int]:
        """Return the blocks of code between a barrier and the next ones, or between those before and it."""
        follow = self._slicer.successors if forward else self._slicer.predecessors
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            for block in follow(waiting.pop()):
                if block not in seen and (block in absent or not self._is_barrier(block)):
                    seen.add(block)
                    waiting.append(block)
        return seen

    def _is_barrier(self, block: int) -> bool:
        return any(isinstance(op.form, Barrier) and op.form.whole_block for op in self._slicer.ops_in(block))

    def _ops(self, blocks: Collection[int]) -> list[Op]:
        return [op for block in sorted(blocks) for op in self._slicer.ops_in(block)]

    def _pairs(self, barrier: Op, before: _SideOfBarrier, after: _SideOfBarrier) -> Iterator[UnorderedPair]:
        every = (barrier, *before.ops, *after.ops)
        for op in every:
            if not _is_understood(op):
                yield UnorderedPair(op, barrier, Crossing.WARPS)
                return
        # A fence that other blocks see publishes what other threads of the block have stored before the barrier.
        publishes = any(isinstance(op.form, Fence) and op.form.reach > OF_BLOCK for op in every)
        first, second = list(self._accesses(before)), list(self._accesses(after))
        pairs = ((one, other) for one in first for other in second)
        conflicting = [(one, other) for one, other in pairs if _may_conflict(one, other, publishes=publishes)]
        if len(conflicting) > MOST_PAIRS:
            yield UnorderedPair(conflicting[0][0].op, barrier, Crossing.WARPS)
            return
        crossings: dict[tuple[int, int], UnorderedPair] = {}
        for one, other in conflicting:
            key = id(one.op), id(other.op)
            crossing = _crossing(one, other, publishes=publishes)
            if crossing > (crossings[key].crossing if key in crossings else Crossing.NONE):
                crossings[key] = UnorderedPair(one.op, other.op, crossing, publishes)
                if len(crossings) > MOST_RELATED and crossing is Crossing.WARPS:
                    break
        yield from crossings.values()

    def _accesses(self, side: _SideOfBarrier) -> Iterator[TouchedMemory]:
        """Yield where the threads access memory, for each of the values that a register has in a loop."""
        touched = list(self._touched(side.ops, side.values, _reached(self._slicer, side.values, side.walk)))
        cases = list(islice(_cases(side.values), MOST_CASES + 1))
        if len(cases) in {1, MOST_CASES + 1}:
            yield from touched
            return
        for case in cases:
            assuming = side.values.assuming(case)
            reached = _reached(self._slicer, assuming, side.walk, is_one_iteration=True)
            yield from self._touched(side.ops, assuming, reached)

    def _touched(
        self, ops: Sequence[Op], values: ThreadValues, reached: Mapping[int, Values]
    ) -> Iterator[TouchedMemory]:
        for op in ops:
            if isinstance(op.form, Access) and op.place is not None and op.form.space not in OF_THREAD:
                may_run = reached.get(self._slicer.block_of(op))
                may_run = None if may_run is None else may_run & values.truth(op)[0]
                if may_run is not None and may_run.any():
                    address = values.address(op)
                    memory = self._memory(op, op.form, address)
                    yield TouchedMemory(op, op.form, address, np.flatnonzero(may_run), memory)

    def _memory(self, op: Op, form: Access, address: ThreadValue) -> frozenset[str]:
        """Return the arrays that an access may be in; none if its address may be that of any."""
        if form.space == "shared":
            return self._slicer.shared_variables(op)
        pointers = self._slicer.pointers(op)
        symbols = {self._parameters.get(pointer, KnownParameter(f"@{pointer}")).symbol for pointer in pointers}
        if pointers:
            is_known = all((address.multiples.get(f"{UNIFORM}{symbol}", _ZERO) == 1).all() for symbol in symbols)
            buffers = (self._buffers.get(pointer, {f"@{pointer}"}) for pointer in pointers)
            return frozenset[str]().union(*buffers) if is_known and len(symbols) == 1 else frozenset()
        return frozenset(self._slicer.variables(op)) if (address.number >= MODULE_BASE).all() else frozenset()


def _key(access: StateAccess) -> tuple[object, ...]:
    """Return what is equal for accesses in states that touch the same memory."""
    address = access.address
    multiples = sorted((symbol, values.tobytes()) for symbol, values in address.multiples.items())
    return id(access.op), address.number.tobytes(), tuple(multiples), access.threads.tobytes()


def _may_conflict(one: TouchedMemory, other: TouchedMemory, *, publishes: bool) -> bool:
    """Whether two accesses may conflict if their addresses are equal, or however they are."""
    if one.form.space and other.form.space and one.is_shared != other.is_shared:
        return False
    if not (one.form.writes or other.form.writes or one.synchronizes or other.synchronizes):
        return False
    if _is_of_all(one, other, publishes=publishes):
        return True
    return not (one.memory and other.memory) or bool(one.memory & other.memory)


def _is_of_all(one: TouchedMemory, other: TouchedMemory, *, publishes: bool) -> bool:
    """Whether a pair orders accesses of other blocks, whatever the addresses are."""
    return one.synchronizes or other.synchronizes or (publishes and not (one.is_shared or other.is_shared))


def _cases(values: ThreadValues) -> Iterator[dict[WrittenRegister, ThreadValue]]:
    """Yield the combinations of the values that registers have in loops; one without registers if there are none."""
    for combination in product(*values.choices.values()):
        yield dict(zip(values.choices, combination, strict=True))


def _is_understood(op: Op) -> bool:
    """Whether what an instruction does to the memory of other threads follows from its address alone."""
    match op.form:
        case Access(asynchronous=asynchronous, distributed=distributed, is_barrier=is_barrier):
            return not (asynchronous or distributed or is_barrier)
        case Barrier(reduce=reduce, arrives_only=arrives_only, counted=counted):
            return not (reduce or arrives_only or counted)
        case Service(name=name):
            return name in OF_ONE_THREAD
    return isinstance(op.form, Pure | Collective | Branch | Exit | Fence | Nothing)


def _reached(
    slicer: Slicer, values: ThreadValues, walk: _Begin, *, is_one_iteration: bool = False
) -> dict[int, Values]:
    """Return for each block of code which threads may execute it.

    With values of one iteration, what the next one decides is not known, which is behind a jump back.
    """
    threads = np.ones(values.threads, np.bool_) if walk.threads is None else walk.threads
    reached = {walk.start: threads}
    waiting = [walk.start]
    while waiting:
        block = waiting.pop()
        for end, threads in _edges(slicer, values, block, reached[block], is_one_iteration=is_one_iteration):
            before = reached.get(end)
            is_inside = walk.region is None or end in walk.region
            if is_inside and (before is None or (threads & ~before).any()):
                reached[end] = threads if before is None else before | threads
                waiting.append(end)
    return reached


def _edges(
    slicer: Slicer, values: ThreadValues, block: int, threads: Values, *, is_one_iteration: bool
) -> Iterator[tuple[int, Values]]:
    """Yield the blocks that may follow one, and the threads that may go there."""
    ends, last = slicer.successors(block), slicer.program.blocks[block].last
    goes_back = is_one_iteration and any(end <= block for end in ends)
    if last is None or last.guard is None or len(ends) < 2 or goes_back:  # noqa: PLR2004  (a choice)
        yield from ((end, threads) for end in ends if end in slicer.program.blocks)
        return
    for end, may_go in zip(ends, values.truth(last), strict=True):
        if end in slicer.program.blocks and (threads & may_go).any():
            yield end, threads & may_go


def _crossing(one: TouchedMemory, other: TouchedMemory, *, publishes: bool) -> Crossing:
    """Return between which threads values may cross from one access to another."""
    is_unknown = not (one.form.space and other.form.space) or (not one.is_shared and not (one.memory and other.memory))
    if is_unknown or _is_of_all(one, other, publishes=publishes):
        return _widest(one.threads, other.threads)
    divisor = _common_divisor(one, other)
    cells, threads = zip(*(_cells(touched, divisor) for touched in (one, other)), strict=True)
    numbers, places = np.unique(np.concatenate(cells), return_inverse=True)
    sides = [places[: cells[0].size], places[cells[0].size :]]
    crossing = Crossing.NONE
    for unit, kind in ((WARP, Crossing.WARPS), (1, Crossing.LANES)):
        (low, high), (other_low, other_high) = (
            _least_and_most(numbers.size, place, thread // unit) for place, thread in zip(sides, threads, strict=True)
        )
        both = (high >= 0) & (other_high >= 0)
        if (both & ((low != high) | (other_low != other_high) | (low != other_low))).any():
            return kind
        if both.any() and any(word in touched.op.instruction.text for touched in (one, other) for word in OF_WARP):
            crossing = Crossing.LANES
    return crossing


def _widest(first: Values, second: Values) -> Crossing:
    """Return the widest crossing between threads of two sets."""
    for unit, kind in ((WARP, Crossing.WARPS), (1, Crossing.LANES)):
        if np.unique(np.concatenate([first, second]) // unit).size > 1:
            return kind
    return Crossing.NONE


def _common_divisor(one: TouchedMemory, other: TouchedMemory) -> int:
    """Return what the distance of two addresses is known up to a multiple of; 0 if it is known."""
    divisor = 0
    enumerated = {id(touched): _enumerated(touched) for touched in (one, other)}
    for symbol in one.address.multiples.keys() | other.address.multiples.keys():
        holders = [touched for touched in (one, other) if symbol in touched.address.multiples]
        if all(symbol in enumerated[id(touched)] for touched in holders):
            continue
        parts = [_of(touched.address, symbol)[touched.threads] for touched in (one, other)]
        multiples = np.concatenate(parts)
        if is_uniform(symbol):
            multiples = multiples - multiples[0]  # the rest is the same on both sides
        # Multiples may wrap around; a loop whose multiples do leaves its array.
        if not symbol.startswith((LOOP, TURN)) and f" of {LOOP}" not in symbol:
            multiples = np.gcd(multiples, WRAP)
        divisor = int(np.gcd.reduce(np.append(np.abs(multiples), divisor)))
    return divisor


def _of(address: ThreadValue, symbol: str) -> Values:
    multiples = address.multiples.get(symbol)
    return np.zeros_like(address.number) if multiples is None else multiples


def _enumerated(touched: TouchedMemory) -> dict[str, int]:
    """Return the symbols of which each number is looked at, with the largest: those of a few bits, if there are few."""
    largest = {symbol: most for symbol in touched.address.multiples if (most := most_of(symbol)) is not None}
    return largest if prod(most + 1 for most in largest.values()) <= MOST_ENUMERATED else {}


def _cells(touched: TouchedMemory, divisor: int) -> tuple[Values, Values]:
    """Return the bytes that threads touch, modulo the divisor, and the thread of each."""
    size = np.dtype(touched.form.type).itemsize * touched.form.vector
    cells: Values = touched.address.number[touched.threads] + np.arange(size)[:, None]
    for symbol, most in _enumerated(touched).items():
        multiples = touched.address.multiples[symbol][touched.threads]
        cells = (cells + multiples * np.arange(most + 1)[:, None, None]).reshape(-1, touched.threads.size)
    if divisor:
        cells = cells % divisor
    return cells.ravel(), np.tile(touched.threads, cells.shape[0])


def _least_and_most(cells: int, places: Values, units: Values) -> tuple[Values, Values]:
    """Return the least and the largest unit that touches each cell; -1 is the largest of a cell that none touches."""
    least, most = np.full(cells, np.iinfo(np.int64).max), np.full(cells, -1)
    np.minimum.at(least, places, units)
    np.maximum.at(most, places, units)
    return least, most

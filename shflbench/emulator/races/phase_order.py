"""Decide whether every order of the threads divides the operations on barriers in memory into the same phases.

It does if, as far as barriers order the threads of this execution,
- an arrival, or another operation, comes after a test that has seen the phase before complete,
- a thread that sees a phase complete knew before that the phase before that one is complete, because the parity of a
  phase is that of the second one after it, too,
- an operation of the next phase comes after each such test: the next phase cannot end while the thread still waits, and
- an arrival of the phase comes after each operation that lets the barrier expect bytes: no phase ends before they come.
Then no operation can be the first one that another order gives to another phase.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.link.phase_tests import PARITY, phase_tests
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.mbarriers import PHASES, TRANSACTIONS, arrivals_of, phase_of
from shflbench.emulator.races.clocks import Clocks

_ARRIVALS = np.uint64((1 << TRANSACTIONS) - 1)


@dataclass(slots=True)
class _Barrier:
    """One barrier in memory, and what threads have done with it in its phase and the one before."""

    seen_at: Values  # the last access by which each thread has seen the phase before complete, 0 for none
    seen_before: Values  # likewise for the phase before that one
    known: Values  # whether an operation of this phase comes after `seen_at`
    phase: int = 0  # from the initialization on
    expecting: list[tuple[int, int]] = field(default_factory=list)  # threads and accesses that no arrival comes after


class PhaseOrder(Observer):
    """Follows the phases of all barriers in a launch in which copies complete when they start.

    Comes after the clocks, and before what lets threads learn of others by barriers in memory.
    """

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without barriers."""
        self._state, self._clocks = state, clocks
        self._tests = phase_tests(state.program)
        self._barriers: dict[int, _Barrier] = {}
        self.is_fixed = True  # as far as the launch has run

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Follow an operation before its effect."""
        form: Access = op.form  # type: ignore[assignment]
        if not form.is_barrier or not self.is_fixed:
            return
        if form.kind == "st":
            self._initialize(index)
            return
        threads, counts = members.threads, None
        if form.kind == "ld":
            passes = self._passes(op, members, space, index)
            if not passes.any():  # as most tests of a loop
                return
            threads, index = threads[passes], index[passes]
        else:
            counts = np.broadcast_to(values[0].reshape(-1), index.shape)
        for element in np.unique(index).tolist():
            barrier = self._barriers.get(element)
            those = index == element
            if barrier is None:
                self.is_fixed = False
            elif counts is None:
                self._test(barrier, threads[those])
            else:
                self._operate(barrier, threads[those], counts[those], arrivals_of(space.view("u8")[element]))

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Begin the next phase of barriers whose last arrivals have taken effect."""
        del members, done
        form: Access = op.form  # type: ignore[assignment]
        for element in np.unique(index).tolist() if form.is_barrier and self.is_fixed else ():
            self._end_if_complete(element, space)

    def complete_copy(self, copy: BulkCopy) -> None:
        """Follow the bytes of a copy, which its barrier has counted."""
        if copy.barrier is None or not self.is_fixed:
            return
        barrier = self._barriers.get(copy.barrier)
        if barrier is None:
            self.is_fixed = False
            return
        self._come_after(barrier, np.array([copy.thread]))
        self._end_if_complete(copy.barrier, self._state.spaces["shared"])

    def finish(self) -> None:
        """Make sure that no phase lacks bytes only: they might have been enough before others were expected or came."""
        states = self._state.spaces["shared"].view("u8")
        pending, _ = arrivals_of(states[list(self._barriers)])
        self.is_fixed &= bool(pending.all())

    def _initialize(self, index: Values) -> None:
        elements, lanes = np.unique(index), self._state.shape.lanes
        self.is_fixed &= elements.size == index.size and self._barriers.keys().isdisjoint(elements.tolist())
        for element in elements.tolist():
            nobody = np.zeros(lanes, np.int32)
            self._barriers[element] = _Barrier(nobody, nobody, np.zeros(lanes, np.bool_))

    def _passes(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values) -> Values:
        """Return for which threads a test returns true."""
        test, phases = self._tests[id(op)], phase_of(space.view("u8")[index])
        source = test.sources[1]
        awaited = self._state.gather(source, members).reshape(-1) if isinstance(source, Slot) else np.uint64(source)
        if test.instruction.opcode == PARITY:
            return np.asarray(phases % 2 != awaited)
        return np.asarray(phases != phase_of(np.asarray(awaited)))

    def _test(self, barrier: _Barrier, threads: Values) -> None:
        """Keep who has seen the phase before complete, and whether each knew that the one before that is."""
        if barrier.phase > 1:
            know = self._know(threads, barrier.seen_at) | self._know(threads, barrier.seen_before)
            self.is_fixed &= bool(know.all())
        barrier.seen_at[threads] = self._clocks.now
        barrier.known[threads] = False

    def _operate(self, barrier: _Barrier, threads: Values, counts: Values, pending: tuple[Values, Values]) -> None:
        """Follow arrivals and expected bytes."""
        arrivals, bytes_ = counts & _ARRIVALS, counts.astype(np.int64) >> TRANSACTIONS
        if int(arrivals.sum()) > int(pending[0]) or (bytes_ < 0).any():
            self.is_fixed = False  # some of them belong to the next phase, or to this one if others were first
            return
        arriving = arrivals > 0
        for row in self._rows(threads[arriving]):
            barrier.expecting = [(thread, at) for thread, at in barrier.expecting if row[thread] < at]
        barrier.expecting += [(thread, self._clocks.now) for thread in threads[~arriving].tolist()]
        self._come_after(barrier, threads)

    def _come_after(self, barrier: _Barrier, threads: Values) -> None:
        """Keep which tests come before an operation of each of these threads, at least one of which has to."""
        if barrier.phase:
            self.is_fixed &= bool(self._know(threads, barrier.seen_at).all())
        for row in self._rows(threads):
            barrier.known |= row >= barrier.seen_at

    def _end_if_complete(self, element: int, space: MemorySpace) -> None:
        barrier = self._barriers[element]
        if int(phase_of(space.view("u8")[element : element + 1])[0]) == barrier.phase % PHASES:
            return
        self.is_fixed &= not barrier.expecting and bool((barrier.known | (barrier.seen_at == 0)).all())
        barrier.phase += 1
        barrier.seen_before, barrier.seen_at = barrier.seen_at, np.zeros_like(barrier.seen_at)
        barrier.known[:] = False

    def _rows(self, threads: Values) -> Iterator[Values]:
        """Yield what threads of each block know together: the last access of every thread of the grid."""
        blocks = self._state.shape.block_of(threads)
        return (self._clocks.joined(threads[blocks == block]) for block in np.unique(blocks).tolist())

    def _know(self, threads: Values, at: Values) -> Values:
        """Return which threads know of one of the accesses: of that of each thread of the grid, 0 for none."""
        know: Values = at[threads] > 0
        others, unsure = np.flatnonzero(at), threads[~know]
        if others.size and unsure.size:
            know[~know] = (self._clocks.knows(unsure[:, None], others[None, :]) >= at[others]).any(axis=1)
        return know

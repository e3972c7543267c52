"""Barriers of a part of a block: with a number of threads, an id in a register, or that threads only arrive at.

A warp arrives once all of its live lanes execute a barrier with one id, and counts as 32 threads (PTX ISA 9.0,
9.7.13.1: "cause the executing thread to wait for all non-exited threads from its warp and mark warps' arrival at the
barrier"). A barrier with a number of threads completes with the first warps that make this number; later ones meet
anew. Without a number, it completes once all warps with live threads have arrived.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.block_barriers import BARRIERS, form_of
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.block_votes import vote
from shflbench.emulator.machine.collective import constant
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.groups import ConvergedGroup
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Values

_ALL = -1  # instead of a number of threads: all threads of the block


@dataclass(slots=True, eq=False)
class Meeting:
    """Warps that have arrived at one barrier of one block, and are not complete."""

    number: int  # among all meetings of the launch
    op: Op  # of the first that arrived
    expected: int  # threads, in whole warps
    everyone: bool  # no number of threads was given
    warps: list[int] = field(default_factory=list)
    waiting: list[tuple[Op, Values]] = field(default_factory=list)  # threads that wait, by their op
    one_way: bool = False  # some threads only arrive


@dataclass(frozen=True, slots=True)
class _Arrivals:
    """Threads at barriers whose warps have not arrived, by ascending number."""

    threads: Values
    ids: Values
    counts: Values  # `_ALL` where no number is given
    places: Values  # index into `ops`
    ops: Sequence[Op]


ARRIVAL = 4  # of a warp: it takes as long as so many comparisons of accesses


class NamedBarriers:
    """The barriers of all blocks of one launch."""

    def __init__(self, state: State) -> None:
        """Start with nobody waiting."""
        self.state = state
        self._meetings: dict[tuple[int, int], Meeting] = {}  # by block and id
        self._arrived = np.zeros(state.shape.lanes, np.bool_)  # threads that wait after their warp has arrived
        self._number = 0

    def continuing(self, groups: Sequence[ConvergedGroup]) -> Values:
        """Let warps arrive that are complete, and return the threads that continue, in ascending order.

        KernelFault where a barrier can never complete.
        """
        free: list[Values] = []
        alive = np.count_nonzero(self.state.alive, axis=1)
        waiting = _arrivals(self.state, groups, self._arrived) if self._may_arrive(groups, alive) else None
        if waiting is not None:
            warps, starts, sizes = np.unique(waiting.threads // WARP, return_index=True, return_counts=True)
            for warp, start, size in zip(warps.tolist(), starts.tolist(), sizes.tolist(), strict=True):
                ids = waiting.ids[start : start + size]
                if size == alive[warp] and (ids == ids[0]).all():
                    free += self._arrive(warp, waiting, slice(start, start + size))
        for key, meeting in list(self._meetings.items()):
            if meeting.everyone and self._is_complete(meeting, key[0]):
                free += self._complete(key)
        return np.sort(np.concatenate(free)) if free else np.empty(0, np.intp)

    def _may_arrive(self, groups: Sequence[ConvergedGroup], alive: Values) -> bool:
        """Return whether all live lanes of a warp that has not arrived wait; mostly some do not, if lanes run apart."""
        threads = np.concatenate([group.members.threads for group in groups])
        waiting = np.bincount(threads[~self._arrived[threads]] // WARP, minlength=alive.size)
        return bool(np.count_nonzero((waiting == alive) & (waiting > 0)))

    def fault(self) -> KernelFault | None:
        """Return why a waiting barrier can no longer complete, if too few threads are left; None otherwise."""
        for (block, number), meeting in self._meetings.items():
            others = self._living(block) - set(meeting.warps)
            most = WARP * (len(meeting.warps) + len(others))
            if not meeting.everyone and most < meeting.expected:
                what = f"barrier {number} of block {block} waits for {meeting.expected} threads, {most} can arrive"
                return self._impossible(meeting.op, meeting.warps[0] * WARP, what)
        return None

    def _arrive(self, warp: int, waiting: _Arrivals, where: slice) -> list[Values]:
        """Let one warp arrive, and return the threads that continue."""
        self.state.comparisons += ARRIVAL
        threads, places = waiting.threads[where], waiting.places[where]
        op, first = waiting.ops[int(places[0])], int(threads[0])
        number, block = int(waiting.ids[where][0]), warp // self.state.shape.warps_per_block
        if number >= BARRIERS:
            raise self._impossible(op, first, f"a block has barriers 0 to {BARRIERS - 1}, not {number}")
        self._meet(threads, places, waiting.ops)
        meeting = self._meetings.get((block, number))
        if meeting is None:
            self._number += 1
            expected = WARP * self.state.shape.warps_per_block
            meeting = self._meetings[block, number] = Meeting(self._number, op, expected, everyone=True)
        for count in np.unique(waiting.counts[where]).tolist():
            self._expect(meeting, op, first, count)
        if warp in meeting.warps:  # "Care must be taken to keep a warp from executing more barrier instructions"
            raise self._impossible(op, first, "a warp arrives again at a barrier before the others complete it")
        meeting.warps.append(warp)
        for observer in self.state.observers:
            observer.release_to_barrier(threads, meeting.number)
        free = []
        for place in np.unique(places).tolist():
            item, those = waiting.ops[place], threads[places == place]
            self._check_form(meeting, item, first)
            if form_of(item).arrives_only:  # type: ignore[union-attr]
                meeting.one_way = True
                free.append(those)
            else:
                meeting.waiting.append((item, those))
                self._arrived[those] = True
        return free + (self._complete((block, number)) if self._is_complete(meeting, block) else [])

    def _meet(self, threads: Values, places: Values, ops: Sequence[Op]) -> None:
        """Report lanes of a warp that arrive together, if not at one op in one iteration of the loops around it."""
        if self.state.iterations is not None:
            places, ops = self.state.iterations.places(threads, places, ops)
        if np.unique(places).size > 1:
            for observer in self.state.observers:
                observer.meet(threads, threads // WARP, places, ops)

    def _expect(self, meeting: Meeting, op: Op, thread: int, count: int) -> None:
        """Take the number of threads of an arrival; KernelFault if it is impossible or differs from earlier ones."""
        if count != _ALL and (count == 0 or count % WARP):
            raise self._impossible(op, thread, f"{count} threads are no multiple of the {WARP} of a warp")
        every = WARP * self.state.shape.warps_per_block
        expected = every if count == _ALL else count
        if not meeting.warps and meeting.everyone:
            meeting.expected, meeting.everyone = expected, count == _ALL
        elif expected != meeting.expected:
            what = f"{expected} threads, but {meeting.expected} at {meeting.op.instruction.where}"
            raise self._impossible(op, thread, f"threads wait at one barrier for different numbers: {what}")

    def _check_form(self, meeting: Meeting, op: Op, thread: int) -> None:
        """Raise KernelFault if `bar.red` and other forms meet at one barrier."""
        if form_of(op).reduce != form_of(meeting.op).reduce:  # type: ignore[union-attr]
            raise mixed_forms(self.state, op, meeting.op, thread)

    def _is_complete(self, meeting: Meeting, block: int) -> bool:
        if meeting.everyone:
            return self._living(block) <= set(meeting.warps)
        return WARP * len(meeting.warps) >= meeting.expected

    def _living(self, block: int) -> set[int]:
        """Return the warps of a block that have live threads."""
        start = block * self.state.shape.warps_per_block
        alive = self.state.alive[start : start + self.state.shape.warps_per_block].any(axis=1)
        return set((start + np.flatnonzero(alive)).tolist())

    def _complete(self, key: tuple[int, int]) -> list[Values]:
        """Complete a barrier and return the threads that waited at it."""
        meeting, block = self._meetings.pop(key), key[0]
        if not meeting.waiting:
            return []
        threads = np.sort(np.concatenate([those for _, those in meeting.waiting]))
        self._arrived[threads] = False
        vote(self.state, meeting.waiting)
        for observer in self.state.observers:
            if meeting.everyone and not meeting.one_way:
                observer.synchronize_blocks(np.array([block]), meeting.op)
            else:
                observer.acquire_from_barrier(threads, meeting.number)
        if meeting.everyone:
            report_skipped(self.state, meeting.waiting[0][0], threads, np.array([block]))
        return [threads]

    def _impossible(self, op: Op, thread: int, what: str) -> KernelFault:
        return impossible(self.state, op, thread, what)


def impossible(state: State, op: Op, thread: int, what: str) -> KernelFault:
    """Return the fault of a barrier that cannot complete, or not as written."""
    return KernelFault(
        f"{what}: `{op.instruction.text}` ({op.instruction.where}, {state.shape.describe(thread)})",
        "Let exactly the threads that the barrier counts execute it, all in the same form.",
        kind=FaultKind.BARRIER_IMPOSSIBLE,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=what,
    )


def mixed_forms(state: State, op: Op, other: Op, thread: int) -> KernelFault:
    """Return the fault of threads of one block that meet at one barrier in different forms."""
    what = f"threads meet at one barrier in different forms, also `{other.instruction.text}`"
    return impossible(state, op, thread, f"{what} ({other.instruction.where})")


def report_skipped(state: State, op: Op, threads: Values, blocks: Values) -> None:
    """Report threads of `blocks` that ended before a barrier without a number of threads, which the others passed."""
    if not state.observers:
        return
    ended = state.thread_numbers[state.existing & ~state.alive & np.isin(state.block_of, blocks)]
    if ended.size:
        end = next((op for threads, op in state.ends if ended[0] in threads), None)
        for observer in state.observers:
            observer.skip_barrier(op, threads, ended, end)


def _arrivals(state: State, groups: Sequence[ConvergedGroup], arrived: Values) -> _Arrivals | None:
    """Return the threads of waiting groups whose warps have not arrived; None if there are none."""
    parts: list[tuple[Values, Values, Values, Values]] = []
    ops: list[Op] = []
    for group in groups:
        op = group.waits_at
        if op is None or form_of(op) is None:
            continue
        fresh = ~arrived[group.members.threads]
        if fresh.any():
            counted = form_of(op).counted  # type: ignore[union-attr]
            ids, counts = (
                _per_thread(state, group, op.sources[0]),
                _per_thread(state, group, op.sources[1]) if counted else np.full(fresh.size, _ALL),
            )
            parts.append((group.members.threads[fresh], ids[fresh], counts[fresh], np.full(fresh.sum(), len(ops))))
            ops.append(op)
    if not parts:
        return None
    threads, ids, counts, places = (np.concatenate(part) for part in zip(*parts, strict=True))
    unique = list({id(op): op for op in ops}.values())  # groups that have split wait at the same op
    index = np.array([next(number for number, op in enumerate(unique) if op is item) for item in ops])
    order = np.argsort(threads)
    return _Arrivals(threads[order], ids[order], counts[order], index[places[order]], unique)


def _per_thread(state: State, group: ConvergedGroup, source: Slot | int) -> Values:
    """Return an operand of a barrier for each thread of a group."""
    values = state.gather(source, group.members) if isinstance(source, Slot) else np.asarray(constant(source, "u4"))
    return np.broadcast_to(values.reshape(-1), (group.members.count,)).astype(np.int64)

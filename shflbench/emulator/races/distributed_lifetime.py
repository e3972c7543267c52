"""Find accesses to the shared memory of a block that may not have started, or that may have ended.

The shared memory of a block exists from its start until its last thread has exited. An access of another block of the
cluster has to come after the start, and to have happened before the exit of some thread of the block (CUDA C++
Programming Guide 13.0, "Distributed Shared Memory"). Both follow from the order of the accesses: a thread that knows of
any thread of a block knows that it has started, whatever orders their accesses to memory.
"""

from collections.abc import Sequence

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.hazards import HazardKind, HazardLog
from shflbench.emulator.races.load_uses import LoadUses
from shflbench.emulator.races.rule import Rule


class DistributedLifetime(Rule):
    """Compares accesses to the shared memory of other blocks with the starts and ends of these blocks."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Observe a launch with clusters."""
        super().__init__(state, clocks, log)
        self._practice, self.uses = clocks.practice or clocks, LoadUses(state, clocks)
        lanes, blocks = self.shape.lanes, self.shape.grid
        self._started = np.zeros((lanes, blocks), np.bool_)  # what each thread is known to know
        # [block, thread]: the last read of the block's shared memory, and the last other access, and their ops.
        self._last = {writes: np.zeros((blocks, lanes), np.int32) for writes in (False, True)}
        self._ops: list[Op] = []
        self._numbers: dict[int, int] = {}
        self._op_of = {writes: np.zeros((blocks, lanes), np.int32) for writes in (False, True)}
        # [block, thread]: the last access that some thread of the block knew of when it exited.
        self._known = np.zeros((blocks, lanes), np.int32)
        self._known_in_practice = np.zeros((blocks, lanes), np.int32)
        self._ended_at: dict[int, Op | None] = {}

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Report what is accessed before it exists, and keep the access."""
        if space.name != "shared":
            return
        form: Access = op.form  # type: ignore[assignment]
        owners = space.part_of(index * np.dtype(form.type).itemsize)
        remote = owners != self.shape.block_of(members.threads)
        if not remote.any():
            return
        threads, owners = members.threads[remote], owners[remote]
        early = ~self._knows_start(threads, owners)
        if early.any():
            self.report(HazardKind.NOT_STARTED, op, threads[early][:1], int(np.count_nonzero(early)))
        number = self._numbers.setdefault(id(op), len(self._ops))
        if number == len(self._ops):
            self._ops.append(op)
        self.uses.load(op, threads)
        self._last[form.writes][owners, threads] = self.clocks.now
        self._op_of[form.writes][owners, threads] = number

    def start_copy(self, copy: BulkCopy) -> None:
        """Report a copy to the shared memory of a block that may not have started."""
        if copy.target.space == "shared":
            owner = self.state.spaces["shared"].part_of(copy.target.start)
            thread = np.array([copy.thread])
            if owner != self.shape.block_of(thread)[0] and not self._knows_start(thread, np.array([owner]))[0]:
                self.report(HazardKind.NOT_STARTED, copy.op, thread)

    def end(self, threads: Values, op: Op | None) -> None:
        """Keep what exiting threads know."""
        blocks = self.shape.block_of(threads)
        for block in np.unique(blocks).tolist():
            those = threads[blocks == block]
            for known, clocks in ((self._known, self.clocks), (self._known_in_practice, self._practice)):
                np.maximum(known[block], clocks.joined(those), out=known[block])
            self._ended_at[block] = op

    def finish(self) -> None:
        """Report the accesses that no thread of the block knew of when it exited."""
        alive: Values = np.asarray(self.state.alive.reshape(self.shape.grid, -1).any(axis=1))
        for writes, last in self._last.items():
            late = (last > self._known) & ~alive[:, None]
            if not late.any():
                continue
            ops = self._op_of[writes]
            for number in np.unique(ops[late]).tolist():
                those = late & (ops == number)
                in_practice = those & (last <= self._known_in_practice)
                self._report_late(self._ops[number], HazardKind.ENDED, those & ~in_practice)
                kind = HazardKind.ENDED if writes else HazardKind.WEAK_END
                used, reasons = self._used(last, in_practice), self.by_weak_barriers()
                self._report_late(self._ops[number], kind, used, reasons)
                reasons = (*reasons, UnorderedReason.UNUSED_BEFORE_ARRIVAL)
                self._report_late(self._ops[number], HazardKind.ENDED, in_practice & ~used, reasons)

    def _used(self, last: Values, those: Values) -> Values:
        """Return which accesses that a block knew of in practice when it ended were complete by then."""
        used = those.copy()
        owners, threads = np.nonzero(those)
        others = owners * self.shape.lanes_per_block
        used[owners, threads] = self.uses.used_at(threads, last[those], others) <= self._known_in_practice[those]
        return used

    def _report_late(self, op: Op, kind: HazardKind, late: Values, reasons: tuple[UnorderedReason, ...] = ()) -> None:
        owners, threads = np.nonzero(late)
        if not owners.size:
            return
        first = int(np.argmin(threads))
        owner = int(owners[first])
        pair = np.array([threads[first], owner * self.shape.lanes_per_block])
        self.report(kind, op, pair, int(owners.size), self._ended_at.get(owner), reasons=reasons)

    def _knows_start(self, threads: Values, owners: Values) -> Values:
        """Return which threads know that a block has started."""
        unknown = np.flatnonzero(~self._started[threads, owners])
        lanes = self.shape.lanes_per_block
        for owner in np.unique(owners[unknown]).tolist():
            those = threads[unknown[owners[unknown] == owner]]
            others = np.arange(owner * lanes, (owner + 1) * lanes)
            known = (self._practice.knows(those[:, None], others[None, :]) > 0).any(axis=1)
            self._started[those[known], owner] = True
        started: Values = self._started[threads, owners]
        return started

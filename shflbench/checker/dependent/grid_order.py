"""How the threads of one launch are ordered with `griddepcontrol`: after a wait, and before the trigger of their block.

A wait is one of a thread: accesses of others follow it if a barrier, or a release and an acquire, orders them after it.
The trigger of a block is the first one that any of its threads executes. Which thread is first is not fixed, so an
access comes before it only if it comes before that of each thread.
"""

from enum import Enum

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Fence, Values
from shflbench.emulator.races.clocks import Clocks

MOST_COMPARED = 64  # threads of a block that trigger at once; of more, two per warp, as barriers order them alike
NEVER = np.iinfo(np.int32).max


class TriggerOrder(Enum):
    """How an access is ordered with the trigger of its block."""

    NONE = "not before it"
    BEFORE = "before it, and a write before a fence before it"
    ENDS = "the block has no trigger, and ends"


class GridOrder(Observer):
    """Follows the waits and the triggers of one launch; comes after `clocks`."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without waits and triggers."""
        shape = self.shape = state.shape
        self._clocks = clocks
        self.waited_at = np.full(shape.lanes, NEVER, np.int32)  # the number of the first wait of each thread
        self._after_wait = np.zeros(shape.lanes, np.bool_)  # known to be ordered after a wait
        self._knowledge = -1  # state of the clocks for which this holds
        self._meetings = 0
        # Of each thread, the last access that comes before the trigger of its block; NEVER: the block has none.
        self._triggered_at = np.full(shape.lanes, NEVER, np.int32)
        self._fenced_at = np.zeros(shape.lanes, np.int32)  # the last access before a fence of the thread
        self._fenced_block_at = np.zeros(shape.lanes, np.int32)  # the last access of its block that it knew of there
        self._published_at = np.zeros(shape.lanes, np.int32)  # the last access that is fenced before the trigger
        self._trigger_waits = np.ones(shape.grid, np.bool_)  # no thread triggers before a wait

    @property
    def waits(self) -> bool:
        """Whether a thread waits."""
        return bool((self.waited_at != NEVER).any())

    @property
    def begins_next_after_wait(self) -> bool:
        """Whether a block triggers, or ends without a trigger, only after a wait: so does the grid as a whole."""
        first = self._triggered_at.reshape(self.shape.grid, -1)[:, 0]
        waits = (self.waited_at.reshape(self.shape.grid, -1) != NEVER).any(axis=1)
        return bool((waits & ((first == NEVER) | self._trigger_waits)).any())

    @property
    def triggers(self) -> bool:
        """Whether a thread triggers."""
        return bool((self._triggered_at != NEVER).any())

    def trigger_order(self, threads: Values, number: int, *, writes: bool) -> dict[TriggerOrder, Values]:
        """Return which accesses of this number have which order with the triggers, once the launch has ended."""
        triggered = self._triggered_at[threads]
        ends = triggered == NEVER
        before = ~ends & (number <= (self._published_at[threads] if writes else triggered))
        return {TriggerOrder.ENDS: ends, TriggerOrder.BEFORE: before, TriggerOrder.NONE: ~(ends | before)}

    def after_wait(self, threads: Values) -> Values:
        """Return which threads are ordered after a wait now."""
        known = self._after_wait[threads]
        if known.all() or not self.waits:
            return known
        knowledge = self._meetings + int(self._clocks.changed.sum())
        if knowledge != self._knowledge:
            self._knowledge = knowledge
            self._learn()
        return self._after_wait[threads]

    def wait_for_grids(self, op: Op, threads: Values) -> None:
        """Note when each thread waited first."""
        del op
        self._clocks.now += 1  # so that barriers before the wait say nothing about it
        first = threads[self.waited_at[threads] == NEVER]
        self.waited_at[first] = self._clocks.now
        self._after_wait[threads] = True
        self._meetings += 1

    def launch_dependents(self, op: Op, threads: Values) -> None:
        """Note which accesses come before the triggers of these threads."""
        del op
        self._clocks.now += 1
        threads = np.sort(threads)
        blocks, starts = np.unique(self.shape.block_of(threads), return_index=True)
        for block, of_block in zip(blocks.tolist(), np.split(threads, starts[1:]), strict=True):
            self._trigger(block, of_block)

    def fence(self, op: Op, threads: Values) -> None:
        """Note which accesses a fence of the device orders before what follows it."""
        form: Fence = op.form  # type: ignore[assignment]
        if form.wide and form.order != "acquire":
            self._clocks.now += 1  # so that barriers before the fence say nothing about it
            self._fenced_at[threads] = self._clocks.now
            self._fenced_block_at[threads] = self._clocks.block_knows[self.shape.block_of(threads)]

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Note that threads may have learned of a wait."""
        del blocks, op
        self._meetings += 1

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Note that threads may have learned of a wait."""
        del warps, op
        self._meetings += 1

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Note that threads may have learned of a wait."""
        del threads, masks
        self._meetings += 1

    def _learn(self) -> None:
        """Mark the threads that know of a wait of another one."""
        lanes = self.shape.lanes_per_block
        waiting = np.flatnonzero(self.waited_at != NEVER)
        starts = np.searchsorted(waiting, np.arange(self.shape.grid + 1) * lanes)  # of those of each block
        is_open = ~self._after_wait.reshape(self.shape.grid, lanes).all(axis=1)
        may_learn = is_open & (self._clocks.has_rows | (starts[1:] > starts[:-1]))
        for block in np.flatnonzero(may_learn).tolist():
            members = np.arange(block * lanes, (block + 1) * lanes)
            others = members[~self._after_wait[members]]
            known = waiting if self._clocks.has_rows else waiting[starts[block] : starts[block + 1]]
            for waiter in _of_each_warp(known).tolist():
                learned = self._clocks.knows(others, np.full(others.shape, waiter)) >= self.waited_at[waiter]
                self._after_wait[others[learned]] = True
                others = others[~learned]
                if not others.size:
                    break

    def _trigger(self, block: int, threads: Values) -> None:
        lanes = self.shape.lanes_per_block
        members = np.arange(block * lanes, (block + 1) * lanes)
        self._trigger_waits[block] &= self.after_wait(threads).all()
        is_first = self._triggered_at[members[0]] == NEVER
        threads = _of_each_warp(threads)
        pairs = np.repeat(threads, lanes), np.tile(members, threads.size)
        known = self._clocks.knows(*pairs).reshape(threads.size, lanes)  # a row per thread that triggers
        known[np.arange(threads.size), threads - members[0]] = self._clocks.now
        fenced = np.where(self._fenced_at[members] <= known, self._fenced_at[members], 0)
        published = np.maximum(fenced, self._fenced_block_at[threads][:, None]).min(axis=0)
        before = published if is_first else np.minimum(published, self._published_at[members])
        self._published_at[members] = before
        self._triggered_at[members] = np.minimum(self._triggered_at[members], known.min(axis=0))


def _of_each_warp(threads: Values) -> Values:
    """Return up to two of the threads of each warp."""
    if threads.size <= MOST_COMPARED:
        return threads
    warps = threads // WARP
    first = np.flatnonzero(np.diff(warps, prepend=-1))
    second = first[first + 1 < threads.size] + 1
    return np.unique(threads[np.concatenate([first, second])])

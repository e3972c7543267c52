"""When the values of loads were first used: until then, a load may be in flight, whatever its thread executes.

An arrival that does not release, and a bulk copy that no proxy fence comes before, wait for no load. NVIDIA's own code
relies on them nevertheless: it has used what it read. A use counts as an event of the clocks, so that a thread learns
of it by the same barriers as of accesses. A fence or another release completes loads for the threads of its scope, too.
"""

from collections.abc import Sequence

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, ClusterBarrier, Fence, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.scopes import Scopes

NEVER = np.iinfo(np.int32).max


class LoadUses(Observer):
    """Follows the values of loads through registers, from the loads that rules name."""

    def __init__(self, state: State, clocks: Clocks) -> None:
        """Start without loads."""
        self._loaded, self._clocks, self._scopes = state.loaded_values, clocks, Scopes(state)
        self._pending = np.zeros((self._loaded.registers, state.shape.lanes), np.int32)  # the number of the load
        # By the number of the load: its threads, ascending, and when it was complete, [level of the scope, thread].
        self._uses: dict[int, tuple[Values, Values]] = {}
        if self._loaded.ops:
            state.follower = self

    def load(self, op: Op, threads: Values) -> None:
        """Follow what threads read by the current access."""
        item = self._loaded.ops.get(id(op))
        if item is None or not item.writes:
            return
        for place in item.writes:
            self._pending[place, threads] = self._clocks.now
        alone = np.unique(threads)
        self._uses[self._clocks.now] = alone, np.full((len(self._scopes.levels), alone.size), NEVER, np.int32)

    def follow(self, op: Op, threads: Values) -> None:
        """Take values as used that `op` reads, or pass them on, before it writes its results."""
        if not self._uses:
            return
        item = self._loaded.ops[id(op)]
        passed: Values | int = 0
        for place in item.reads:
            numbers = self._pending[place, threads]
            if item.passes:
                passed = np.maximum(passed, numbers)
            elif numbers.any():
                self._complete(numbers, threads)
                self._pending[place, threads] = 0
        for place in item.writes:
            self._pending[place, threads] = passed

    def fence(self, op: Op, threads: Values) -> None:
        """Complete what threads have read."""
        form: Fence = op.form  # type: ignore[assignment]
        if form.order != "acquire" and not form.only_init:
            self._release(threads, self._scopes.level(form))

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Complete what threads have read that release by a store or an atomic."""
        del space, index, values
        form: Access = op.form  # type: ignore[assignment]
        if form.releases:
            self._release(members.threads, self._scopes.level(form))

    def arrive_at_cluster(self, op: Op, threads: Values, phases: Values) -> None:
        """Complete what threads have read that arrive with a release."""
        del phases
        form: ClusterBarrier = op.form  # type: ignore[assignment]
        if form.order == "release":
            self._release(threads, self._scopes.of_cluster)

    def used_at(self, threads: Values, numbers: Values, others: Values | None = None) -> Values:
        """Return after which event each thread has used what it read by the access of a number; NEVER if not yet.

        Releases count whose scope includes the other thread of each; without other threads, those that include all.
        Accesses that are not followed are complete at once.
        """
        used: Values = numbers.copy()
        for number in np.unique(numbers).tolist():
            if number in self._uses:
                of_load, at = self._uses[number]
                those = numbers == number
                levels = self._levels(threads[those], None if others is None else others[those])
                used[those] = at[levels, np.searchsorted(of_load, threads[those])]
        return used

    def _levels(self, threads: Values, others: Values | None) -> Values:
        """Return the place of the narrowest scope that includes both threads of each pair."""
        widest = len(self._scopes.levels) - 1
        levels = np.full(threads.shape, widest)
        if others is None:
            return levels
        for place in reversed(range(widest)):
            levels[self._scopes.include(self._scopes.levels[place], threads, others)] = place
        return levels

    def _release(self, threads: Values, level: int) -> None:
        if self._uses:
            places = self._scopes.levels.index(level) + 1
            for pending in self._pending[:, threads]:
                self._complete(pending, threads, places)

    def _complete(self, numbers: Values, threads: Values, levels: int | None = None) -> None:
        """Keep that the loads of these numbers, 0 for none, are complete, for threads in the first so many scopes."""
        loads = np.unique(numbers)
        if loads[-1] == 0:
            return
        self._clocks.count()
        for number in loads[loads > 0].tolist():
            of_load, at = self._uses[number]
            places = np.searchsorted(of_load, threads[numbers == number])
            at[:levels, places] = np.minimum(at[:levels, places], self._clocks.now)

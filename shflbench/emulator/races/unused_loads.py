"""Loads whose values their threads never use: a race of one is no fault of the program.

A compiler executes the load of `if (t == 0) sum += s[0];` in all threads, because that is faster and does no harm: the
source reads `s[0]` in one of them. What decides is whether the value can have an effect for the thread with any data
(`link/value_uses.py`), not whether it had one in this launch. Such loads are no accesses in the runs that follow.
"""

from collections.abc import Iterable

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.link.value_uses import ValueUses, is_plain_load
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.thread_conditions import ThreadConditions
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.races.hazards import RACES, Hazard

MOST_PATTERNS = 64  # of conditions by which threads differ: a kernel distinguishes a few roles of threads
MOST_OPS = 1 << 20  # that values of one launch are followed through: one or two seconds
_UNKNOWN = 2  # instead of whether a predicate is true


class UnusedLoads:
    """The loads of one launch that race, and which threads never use their values."""

    def __init__(self) -> None:
        """Start without loads."""
        self.threads: dict[int, Values] = {}  # by the id of a load: whether each thread never uses its value
        self._followed = 0  # ops

    def add(self, state: State, hazards: Iterable[Hazard]) -> bool:
        """Add the loads of races whose values the racing threads never use; return whether there are any."""
        racing = [pair for hazard in hazards if hazard.kind in RACES for pair in _reads(state, hazard)]
        loads = {id(op): op for op, _ in racing if id(op) not in self.threads}
        if not loads or self._followed > MOST_OPS:
            return False
        uses = ValueUses(state.program)
        conditions = ThreadConditions(state, uses)
        unused = {number: self._unused(state, op, uses, conditions) for number, op in loads.items()}
        further = {id(op) for op, thread in racing if id(op) in unused and unused[id(op)][thread]}
        self.threads.update({number: unused[number] for number in further})
        return bool(further)

    def _unused(self, state: State, load: Op, uses: ValueUses, conditions: ThreadConditions) -> Values:
        """Return which threads never use the value of a load; none if that would take too long to find out."""
        unused = np.zeros(state.shape.lanes, np.bool_)
        registers = [number for number in sorted(uses.conditions(load)) if conditions.of(number).known.any()]
        if not registers:
            return unused
        known = np.stack([conditions.of(number).known for number in registers])
        table = np.where(known, np.stack([conditions.of(number).true for number in registers]), _UNKNOWN)
        patterns, of_thread = np.unique(table.astype(np.uint8), axis=1, return_inverse=True)
        self._followed += patterns.shape[1] * uses.size
        if patterns.shape[1] > MOST_PATTERNS or self._followed > MOST_OPS:
            return unused
        never = []
        for pattern in patterns.T.tolist():
            values = {number: value == 1 for number, value in zip(registers, pattern, strict=True) if value != _UNKNOWN}
            never.append(not uses.may_use(load, values))
        if all(never):  # no compiler keeps such a load, unless the source demands it
            return unused
        return np.array(never)[of_thread.reshape(-1)] & state.existing.reshape(-1)


def _reads(state: State, hazard: Hazard) -> list[tuple[Op, int]]:
    """Return the plain loads of a race, each with the number of its thread."""
    places = zip((hazard.instruction, hazard.other), hazard.threads, strict=False)
    lanes = state.shape.lanes_per_block
    return [
        (op, block * lanes + thread)
        for instruction, (block, thread) in places
        for op in state.program.ops()
        if op.instruction is instruction and is_plain_load(op)
    ]

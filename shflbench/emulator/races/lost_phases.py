"""Say which phase of a barrier in memory has been missed by a thread that waits for it forever.

The parity of a phase is that of the second one after it, too: a thread that does not test a barrier while two phases
end waits for the end of a third one. Only a launch that has come to a deadlock runs with this observer, once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.deadlock import DeadlockError
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.scheduler import MOST_TESTS
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.opcodes.mbarriers import PHASES, phase_of

_Place = tuple[str, int]  # of a barrier: memory space and element


@dataclass(slots=True)
class _Tests:
    """The tests of one barrier by each thread."""

    phases: Values  # that the last one saw; at first, that of the initialization
    repeats: Values  # number of tests that saw this phase
    missed: Values  # whether more than one phase had ended since the test before


class LostPhases(Observer):
    """The tests of barriers in memory, and what completed their phases."""

    def __init__(self, state: State) -> None:
        """Start before any test."""
        self._state = state
        self._tests: dict[_Place, _Tests] = {}
        self._last: dict[int, tuple[Op, _Place]] = {}  # test of each thread
        self._before: dict[_Place, int] = {}  # phases at the arrivals that take effect now
        self._ends: dict[_Place, tuple[Op, int]] = {}  # what completed the last phase, and its thread

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Collect the phases that tests see, and those at which threads arrive."""
        del values
        form: Access = op.form  # type: ignore[assignment]
        if not form.is_barrier or form.kind == "st":
            return
        for element in np.unique(index).tolist():
            place, phase = (space.name, element), _phase(space, element)
            if form.kind == "ld":
                self._test(op, place, members.threads[index == element], phase)
            else:
                self._before[place] = phase

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Collect arrivals that complete a phase."""
        del done
        form: Access = op.form  # type: ignore[assignment]
        if not form.is_barrier:
            return
        for element in np.unique(index).tolist():
            if _phase(space, element) != self._before[space.name, element]:
                self._ends[space.name, element] = op, int(members.threads[index == element][-1])

    def complete_copy(self, copy: BulkCopy) -> None:
        """Collect copies whose bytes complete a phase."""
        space = self._state.spaces["shared"]
        if copy.barrier is not None and _phase(space, copy.barrier) != copy.phase:
            self._ends[space.name, copy.barrier] = copy.op, copy.thread

    def _test(self, op: Op, place: _Place, threads: Values, phase: int) -> None:
        lanes = self._state.shape.lanes
        tests = self._tests.get(place)
        if tests is None:
            zeros = np.zeros(lanes, np.int64)
            tests = self._tests[place] = _Tests(zeros, zeros.copy(), np.zeros(lanes, np.bool_))
        ended = (phase - tests.phases[threads]) % PHASES
        tests.repeats[threads] = np.where(ended > 0, 0, tests.repeats[threads] + 1)
        tests.missed[threads] = np.where(ended > 0, ended > 1, tests.missed[threads])
        tests.phases[threads] = phase
        self._last.update(dict.fromkeys(threads.tolist(), (op, place)))

    def explain(self, error: DeadlockError) -> DeadlockError:
        """Return the deadlock as that of the first thread that has missed a phase, if one has."""
        alive = self._state.alive.reshape(-1)
        for thread, (op, place) in sorted(self._last.items()):
            tests = self._tests[place]
            if alive[thread] and tests.missed[thread] and tests.repeats[thread] >= MOST_TESTS // 2:
                end, by = self._ends[place]
                names = [self._state.shape.describe(one) for one in (thread, by)]
                return DeadlockError(
                    f"deadlock in {self._state.program.name}: {names[0]} waits at `{op.instruction.text}` "
                    f"({op.instruction.where}) for a phase that is over: two have ended since it last tested the "
                    f"barrier, the second one by `{end.instruction.text}` of {names[1]} ({end.instruction.where})",
                    "Let threads arrive only after all threads that wait for the phase before have seen its end.",
                    kind=error.kind,
                    op=op,
                    other=end,
                    threads=(self._state.shape.in_block(thread), self._state.shape.in_block(by)),
                    detail=error.detail,
                )
        return error


def _phase(space: MemorySpace, element: int) -> int:
    return int(phase_of(space.view("u8")[element : element + 1])[0])

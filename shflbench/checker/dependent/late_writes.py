"""Show what a missing order can change: run a launch while the writes of the one before it are as late as allowed.

They become visible at the first wait, or after the launch if no thread waits. The other extreme, in which they are
visible from the beginning, is the run of the chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.machine.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.dependent.chain_runs import ChainRun, RanLaunch
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.machine.state import State
    from shflbench.emulator.opcodes.forms import Values


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """What the launch before wrote to a buffer of the last launch."""

    bytes: Values  # numbers of the bytes
    before: Values  # their values
    after: Values


class _LateWrites(Observer):
    """Makes the writes of the launch before visible at the first wait."""

    def __init__(self, state: State, changes: Mapping[int, _Written]) -> None:
        self._state, self._written, self.is_over = state, changes, False

    def wait_for_grids(self, op: Op, threads: Values) -> None:
        """Write what the launch before has written."""
        del op, threads
        if self.is_over:
            return
        self.is_over = True
        memory = self._state.spaces["global"].bytes
        for number, item in self._written.items():
            start, _ = self._state.buffers[number]
            memory[start + item.bytes] = item.after


def differing_buffers(run: ChainRun) -> list[str]:
    """Return the buffers of the last launch that differ at its end if the writes before it are late."""
    last = run.ran[-1]
    changes = dict(_written(run.ran[-2], last))
    if not changes or not last.outputs:
        return []
    late: list[_LateWrites] = []

    def observe(state: State) -> list[Observer]:
        late.append(_LateWrites(state, changes))
        return [*late]

    buffers = list(last.arguments.buffers)
    for number, item in changes.items():
        contents = buffers[number].contents.copy()
        contents[item.bytes] = item.before
        buffers[number] = replace(buffers[number], contents=contents)
    results, _ = run.executed(last.step, replace(last.arguments, buffers=tuple(buffers)), observe)
    outputs = [values.view(np.uint8) for values in results]
    if outputs and not late[0].is_over:
        for number, item in changes.items():
            outputs[number][item.bytes] = item.after
    return [
        f"`{buffer.name}`"
        for buffer, early, values in zip(buffers, last.outputs, outputs, strict=False)
        if not np.array_equal(early.view(np.uint8), values)
    ]


def _written(before: RanLaunch, last: RanLaunch) -> Iterator[tuple[int, _Written]]:
    """Yield what a launch wrote to the buffers of the last one, by the numbers that these have there."""
    for number, identity in enumerate(last.identities):
        place = before.identities.index(identity) if identity in before.identities else None
        if place is None or not before.outputs or last.arguments.buffers[number].whole:
            continue
        old, new = before.arguments.buffers[place].contents, before.outputs[place].view(np.uint8)
        size = min(old.size, new.size, last.arguments.buffers[number].contents.size)
        bytes_ = np.flatnonzero(old[:size] != new[:size])
        if bytes_.size:
            yield number, _Written(bytes_, old[bytes_], new[bytes_])

"""Run the launches of a chain one after another over common buffers, and record what each accesses.

Each launch runs once in lockstep, with the contents that the launches before it leave: addresses that come from shared
buffers are those of the program. Which accesses two launches have in common does not depend on when they run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.dependent.conflicts import OverlappingLaunch
from shflbench.checker.dependent.footprints import observers
from shflbench.checker.inputs.derive import derive
from shflbench.checker.machine.launch import Machine, execute
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.errors import EmulatorError
from shflbench.symbols import plain_name

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from shflbench.checker.deadline import Deadline
    from shflbench.checker.dependent.footprints import GridFootprint
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.launches import PlannedLaunch
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.inputs.wishes import Wishes
    from shflbench.checker.link.program import Op
    from shflbench.checker.machine.launch import EmulatedLaunch
    from shflbench.checker.machine.observer import Observer
    from shflbench.checker.machine.state import State
    from shflbench.checker.opcodes.forms import Values

STEP_LIMIT = 100_000  # instructions of one launch


@dataclass(frozen=True, slots=True, eq=False)
class PlannedStep:
    """One launch of a chain: what runs, and what the pointers of its kernel point to."""

    linked: LinkedKernel
    launch: PlannedLaunch
    wishes: Wishes


@dataclass(slots=True, eq=False)
class ChainRun:
    """The launches of a chain that have run, and the contents of the buffers that they share."""

    identity_of: Callable[[int, Arguments], Sequence[Hashable]]  # of the buffers of a launch, by its number
    seed: int
    deadline: Deadline
    launches: list[OverlappingLaunch] = field(default_factory=list)
    contents: dict[Hashable, Values] = field(default_factory=dict)
    _names: dict[Hashable, str] = field(default_factory=dict)  # of memory, as the last launch that uses it names it
    _shapes: list[LaunchShape] = field(default_factory=list)

    @property
    def shared_memory(self) -> list[str]:
        """The memory that the last launch has in common with those before it, in words."""
        *before, last = (item.ranges for item in self.launches)
        return [self._label(memory) for memory in last if any(memory in earlier for earlier in before)]

    def shape(self, number: int) -> str:
        """Return the shape of a launch."""
        return str(self._shapes[number])

    def thread(self, number: int, thread: int) -> str:
        """Return a thread of a launch in words."""
        return self.launches[number].footprint.shape.describe(thread)

    def bytes_of(self, memory: Hashable, byte: int, op: Op) -> str:
        """Return the bytes of an access in words: `bytes 0–3 of `in``."""
        size = np.dtype(op.form.type).itemsize  # type: ignore[union-attr]
        first = byte - byte % size
        return f"{f'bytes {first}–{first + size - 1}' if size > 1 else f'byte {first}'} of {self._label(memory)}"

    def _label(self, memory: Hashable) -> str:
        return f"`{self._names[memory]}`"

    def run(self, step: PlannedStep) -> None:
        """Run the next launch."""
        self.deadline.check()
        arguments = self._arguments(step)
        identities = self.identity_of(len(self.launches), arguments)
        arguments = self._with_contents(arguments, identities)
        emulated = emulated_launch(step.linked.program, step.launch, arguments, Machine(deadline=self.deadline))
        recorded: list[GridFootprint] = []

        def observe(state: State) -> list[Observer]:
            footprint, every = observers(state)
            recorded.append(footprint)
            return every

        outputs = _executed(emulated, observe, self.seed)
        self.launches.append(OverlappingLaunch(recorded[0], identities))
        self._shapes.append(step.launch.shape)
        names = [buffer.name for buffer in arguments.buffers]
        self._names |= dict(zip(identities, names, strict=True))
        self._names |= {("variable", name): plain_name(name) for name in recorded[0].variables}
        for identity, values in zip(identities, outputs, strict=False):
            self.contents[identity] = values.view(np.uint8)

    def _arguments(self, step: PlannedStep) -> Arguments:
        """Return the arguments of a launch, with buffers as large as its accesses need."""
        kernel, program = step.linked.kernel, step.linked.program
        arguments = derive(kernel, step.launch, step.wishes, self.seed)
        emulated = emulated_launch(program, step.launch, arguments, Machine(deadline=self.deadline))
        try:
            execute(emulated, seed=self.seed, step_limit=STEP_LIMIT)
        except EmulatorError:
            runs = KernelRuns(kernel, program, step.wishes, self.seed)
            runs.budget.deadline = self.deadline
            return runs.one_launch(step.launch).arguments
        return arguments

    def _with_contents(self, arguments: Arguments, identities: Sequence[Hashable]) -> Arguments:
        """Return the arguments with what the launches before left in the buffers, as far as these are as large."""
        buffers = []
        for buffer, identity in zip(arguments.buffers, identities, strict=True):
            known = self.contents.get(identity)
            if known is not None and not buffer.whole:
                contents = buffer.contents.copy()
                size = min(contents.size, known.size)
                contents[:size] = known[:size]
                buffer = replace(buffer, contents=contents)  # noqa: PLW2901
            buffers.append(buffer)
        return replace(arguments, buffers=tuple(buffers))


def _executed(emulated: EmulatedLaunch, observe: Callable[[State], Sequence[Observer]], seed: int) -> Sequence[Values]:
    """Return the outputs of a launch; none if a fault ends it, which the report on its kernel has."""
    try:
        return execute(emulated, observe=observe, seed=seed, step_limit=STEP_LIMIT)
    except EmulatorError:
        return ()

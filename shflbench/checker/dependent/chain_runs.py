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
from shflbench.checker.inputs.choose import choose
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.core.symbols import plain_name
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.launch import Machine, execute
from shflbench.emulator.machine.scheduler import StepLimitError
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.errors import EmulatorError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from shflbench.checker.dependent.footprints import GridFootprint
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.emulator.file_budget import FileBudget
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.machine.observer import Observer
    from shflbench.emulator.machine.state import State
    from shflbench.emulator.opcodes.forms import Values

BULK_BYTES = 16  # of which bulk copies move several at once
STEP_LIMIT = 100_000  # instructions of one launch


@dataclass(frozen=True, slots=True, eq=False)
class PlannedStep:
    """One launch of a chain: what runs, and what the pointers of its kernel point to."""

    linked: LinkedKernel
    launch: PlannedLaunch
    spec: ArgumentSpec


@dataclass(frozen=True, slots=True, eq=False)
class RanLaunch:
    """One launch of a chain after its run."""

    step: PlannedStep
    arguments: Arguments  # with the contents of buffers before it
    identities: Sequence[Hashable]  # of the buffers
    footprint: GridFootprint
    outputs: Sequence[Values]  # the buffers after it; none if a fault ended it

    @property
    def labels(self) -> dict[Hashable, str]:
        """The names of the memory that it accesses."""
        names = (f"`{buffer.name}`" for buffer in self.arguments.buffers)
        labels: dict[Hashable, str] = dict(zip(self.identities, names, strict=True))
        return labels | {("variable", name): f"`{plain_name(name)}`" for name in self.footprint.variables}


@dataclass(slots=True, eq=False)
class ChainRun:
    """The launches of a chain that have run, and the contents of the buffers that they share."""

    identity_of: Callable[[int, Arguments], Sequence[Hashable]]  # of the buffers of a launch, by its number
    seed: int
    budget: FileBudget
    ran: list[RanLaunch] = field(default_factory=list)
    problem: str = ""  # why a launch did not end
    work: float = 0.0  # of all runs, as the scheduler counts it
    _contents: dict[Hashable, Values] = field(default_factory=dict)

    @property
    def launches(self) -> list[OverlappingLaunch]:
        """The footprints of the launches."""
        return [OverlappingLaunch(item.footprint, item.identities) for item in self.ran]

    @property
    def shared_memory(self) -> list[str]:
        """The memory that the last launch has in common with those before it, in words."""
        *before, last = self.ran
        return [label for memory, label in last.labels.items() if any(memory in earlier.labels for earlier in before)]

    def shape(self, number: int) -> str:
        """Return the shape of a launch."""
        return str(self.ran[number].step.launch.shape)

    def thread(self, number: int, thread: int) -> str:
        """Return a thread of a launch in words."""
        return self.ran[number].footprint.shape.describe(thread)

    def bytes_of(self, memory: Hashable, byte: int, op: Op) -> MemoryBytes:
        """Return the bytes of an access of the last launch."""
        size = np.dtype(op.form.type).itemsize if isinstance(op.form, Access) else BULK_BYTES
        return MemoryBytes("global", self.ran[-1].labels[memory], byte - byte % size, size)

    def run(self, step: PlannedStep) -> None:
        """Run the next launch, again with larger buffers where accesses go beyond those of chosen size."""
        self.budget.check()
        arguments = choose(step.linked.kernel, step.launch, step.spec, self.seed)
        launch, error = self._recorded(step, arguments)
        if isinstance(error, KernelFault) and not isinstance(error, StepLimitError):
            runs = KernelRuns(step.linked.kernel, step.linked.program, step.spec, self.seed)
            runs.budget.of_file = self.budget
            launch, error = self._recorded(step, runs.one_launch(step.launch).arguments)
        if error is not None and not self.problem:
            self.problem = f"`{step.linked.kernel.name}` did not end: {error.message}"
        self.ran.append(launch)
        for identity, values in zip(launch.identities, launch.outputs, strict=False):
            self._contents[identity] = values.view(np.uint8)

    def _recorded(self, step: PlannedStep, arguments: Arguments) -> tuple[RanLaunch, EmulatorError | None]:
        """Return a launch after its run, and what ended it before its end."""
        identities = self.identity_of(len(self.ran), arguments)
        arguments = self._with_contents(arguments, identities)
        recorded: list[GridFootprint] = []

        def observe(state: State) -> list[Observer]:
            footprint, every = observers(state, recorded[0].order if recorded else None)
            recorded.append(footprint)
            return every

        outputs, error = self.executed(step, arguments, observe)
        if not recorded:  # the launch could not begin
            raise KernelError(str(error))
        if recorded[0].order.triggers:
            outputs, error = self.executed(step, arguments, observe)
        return RanLaunch(step, arguments, identities, recorded[-1], outputs), error

    def executed(
        self, step: PlannedStep, arguments: Arguments, observe: Callable[[State], Sequence[Observer]]
    ) -> tuple[Sequence[Values], EmulatorError | None]:
        """Return the buffers after a launch, or the error that ended it."""
        machine = Machine(budget=self.budget)
        emulated = emulated_launch(step.linked.program, step.launch, arguments, machine)
        try:
            return execute(emulated, observe=observe, seed=self.seed, step_limit=STEP_LIMIT), None
        except EmulatorError as error:
            return (), error
        finally:
            self.work += machine.work

    def _with_contents(self, arguments: Arguments, identities: Sequence[Hashable]) -> Arguments:
        """Return the arguments with what the launches before left in the buffers, as far as these are as large."""
        buffers = []
        for buffer, identity in zip(arguments.buffers, identities, strict=True):
            known = self._contents.get(identity)
            if known is not None and not buffer.whole:
                contents = buffer.contents.copy()
                size = min(contents.size, known.size)
                contents[:size] = known[:size]
                buffer = replace(buffer, contents=contents)  # noqa: PLW2901
            buffers.append(buffer)
        return replace(arguments, buffers=tuple(buffers))

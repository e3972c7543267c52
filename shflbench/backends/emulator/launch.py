"""Launch a program: put the arguments in place, run the threads, hand the outputs back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.hazards import Tracker
from shflbench.backends.emulator.memory import GLOBAL_BASE
from shflbench.backends.emulator.policies import LOCK_STEP
from shflbench.backends.emulator.scheduler import STEP_LIMIT, Scheduler
from shflbench.backends.emulator.state import UNWRITTEN, State, buffer_space
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.cohort import Shape
    from shflbench.backends.emulator.findings import Finding, Findings
    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.memory import Space
    from shflbench.backends.emulator.policies import Policy
    from shflbench.backends.emulator.program import Program


@dataclass(frozen=True, slots=True)
class Launch:
    """What one launch is given: its shape, dynamic shared memory, buffers and the last argument."""

    program: Program
    shape: Shape
    shared_bytes: int  # dynamic, a block
    inputs: Sequence[Values]
    outputs: Sequence[tuple[int, str] | Values]  # (elements, NumPy type) of each, or what it holds before
    iterations: int
    order: Sequence[int | np.generic | None] | None = None  # of the arguments; None: buffers, then iterations

    @property
    def arguments(self) -> Sequence[int | np.generic | None]:
        """The kernel's arguments: a buffer's place among inputs and outputs, a number, or None for the iterations."""
        return self.order if self.order is not None else (*range(len(self.inputs) + len(self.outputs)), None)


@dataclass(frozen=True, slots=True)
class Result:
    """What one launch left behind."""

    outputs: list[Values]
    findings: tuple[Finding, ...]
    steps: int  # instructions carried out, each for many threads


def execute(
    launch: Launch,
    policy: Policy = LOCK_STEP,
    *,
    watch: Findings | None = None,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
) -> Result:
    """Run one launch under `policy`.

    `watch` collects what is found, also when the launch ends in an error; with it, races and uninitialised reads are
    looked for, at several times the cost.

    Raises EmulatorError: DeadlockError, StepLimitError, or an access that is not allowed.
    """
    buffers = [*launch.inputs, *launch.outputs]
    memory = buffer_space([_bytes(item) for item in buffers])
    memory.bytes.fill(UNWRITTEN)
    filled = []
    for item, (start, end) in zip(buffers, memory.allocations, strict=False):
        if not isinstance(item, tuple):
            memory.bytes[start:end] = np.ascontiguousarray(item).reshape(-1).view(np.uint8)
            filled.append((start, end))
    state = State(launch.program, launch.shape, launch.shared_bytes, memory, _arguments(launch, memory))
    if watch is not None:
        state.findings = watch
        _watch(state, filled)
    scheduler = Scheduler(state, policy, seed, step_limit)
    scheduler.run()
    outputs = [
        memory.bytes[start:end].view(item[1] if isinstance(item, tuple) else item.dtype).copy()
        for (start, end), item in zip(memory.allocations[len(launch.inputs) :], launch.outputs, strict=True)
    ]
    return Result(outputs, state.findings.list(), scheduler.steps)


def _bytes(buffer: tuple[int, str] | Values) -> int:
    return buffer[0] * np.dtype(buffer[1]).itemsize if isinstance(buffer, tuple) else buffer.nbytes


def _watch(state: State, filled: Sequence[tuple[int, int]]) -> None:
    state.tracker = Tracker(state)
    memory = state.spaces["global"]
    for space in (memory, state.spaces["local"]):
        space.watch()
    if memory.written is not None:
        for start, end in filled:
            memory.written[start:end] = True


def _arguments(launch: Launch, memory: Space) -> Values:
    """Return the bytes of the kernel's parameters."""
    program, arguments = launch.program, launch.arguments
    if len(arguments) != len(program.parameters):
        raise EmulatorError(
            f"{program.name} takes {len(program.parameters)} arguments, not {len(arguments)}",
            "Without a list of its own a kernel takes the buffers, the scalars, and the iterations.",
        )
    block = np.zeros(program.parameter_bytes, np.uint8)
    for argument, item, start in zip(arguments, program.parameters, program.parameter_offsets, strict=True):
        if argument is None:
            word = int(launch.iterations).to_bytes(8, "little", signed=True)
        elif isinstance(argument, int):
            word = (GLOBAL_BASE + memory.allocations[argument][0]).to_bytes(8, "little")
        else:
            word = argument.tobytes()
        block[start : start + item.bytes] = np.frombuffer(word.ljust(item.bytes, b"\0")[: item.bytes], np.uint8)
    return block

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
    outputs: Sequence[tuple[int, str]]  # (elements, NumPy type) of each
    iterations: int


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
    sizes = [array.nbytes for array in launch.inputs]
    sizes += [count * np.dtype(type_).itemsize for count, type_ in launch.outputs]
    memory = buffer_space(sizes)
    memory.bytes.fill(UNWRITTEN)
    for array, (start, end) in zip(launch.inputs, memory.allocations, strict=False):
        memory.bytes[start:end] = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    state = State(launch.program, launch.shape, launch.shared_bytes, memory, _arguments(launch, memory))
    if watch is not None:
        state.findings = watch
        _watch(state, len(launch.inputs))
    scheduler = Scheduler(state, policy, seed, step_limit)
    scheduler.run()
    outputs = [
        memory.bytes[start:end].view(type_).copy()
        for (start, end), (_, type_) in zip(memory.allocations[len(launch.inputs) :], launch.outputs, strict=True)
    ]
    return Result(outputs, state.findings.list(), scheduler.steps)


def _watch(state: State, inputs: int) -> None:
    state.tracker = Tracker(state)
    memory = state.spaces["global"]
    for space in (memory, state.spaces["local"]):
        space.watch()
    if memory.written is not None:
        for start, end in memory.allocations[:inputs]:
            memory.written[start:end] = True


def _arguments(launch: Launch, memory: Space) -> Values:
    """Return the bytes of the kernel's parameters: the buffers' addresses, then the iterations."""
    program = launch.program
    values = [GLOBAL_BASE + start for start, _ in memory.allocations[: len(launch.inputs) + len(launch.outputs)]]
    values.append(launch.iterations)
    if len(values) != len(program.parameters):
        raise EmulatorError(
            f"{program.name} takes {len(program.parameters)} arguments, not {len(values)}",
            "Kernels take their input buffers, their output buffers and the iterations.",
        )
    block = np.zeros(program.parameter_bytes, np.uint8)
    for value, item, start in zip(values, program.parameters, program.parameter_offsets, strict=True):
        word = (value % (1 << (8 * item.bytes))).to_bytes(item.bytes, "little")
        block[start : start + item.bytes] = np.frombuffer(word, np.uint8)
    return block

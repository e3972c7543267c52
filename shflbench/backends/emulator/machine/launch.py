"""Launch a program: place the arguments, run the threads, return the outputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.backends.emulator.link.program import Program
from shflbench.backends.emulator.machine.memory import MemorySpace
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.policies import LOCKSTEP, Policy
from shflbench.backends.emulator.machine.scheduler import STEP_LIMIT, Scheduler
from shflbench.backends.emulator.machine.state import UNWRITTEN, State, buffer_space
from shflbench.backends.emulator.machine.threads import Shape
from shflbench.backends.emulator.opcodes.addresses import GLOBAL_BASE
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError


@dataclass(slots=True, eq=False)
class Machine:
    """The state, with the code bound to it, that consecutive launches share."""

    state: State | None = None


@dataclass(frozen=True, slots=True)
class EmulatedLaunch:
    """One launch: program, shape, dynamic shared memory, buffers and number of iterations."""

    program: Program
    shape: Shape
    shared_bytes: int  # dynamic, per block
    inputs: Sequence[Values]
    outputs: Sequence[tuple[int, str] | Values]  # (elements, NumPy type) of each, or its contents before
    iterations: int
    order: Sequence[int | np.generic | None] | None = None  # of the arguments; None: buffers, then iterations
    machine: Machine = field(default_factory=Machine, compare=False)
    names: Sequence[str] = ()  # of inputs and outputs, for error messages

    @property
    def arguments(self) -> Sequence[int | np.generic | None]:
        """The kernel's arguments: a buffer's place among inputs and outputs, a number, or None for the iterations."""
        return self.order if self.order is not None else (*range(len(self.inputs) + len(self.outputs)), None)


def execute(
    launch: EmulatedLaunch,
    policy: Policy = LOCKSTEP,
    *,
    observe: Callable[[State], Sequence[Observer]] | None = None,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
) -> list[Values]:
    """Run one launch under `policy` and return its outputs.

    `observe` returns the observers of the launch, given its initial state.

    Raises EmulatorError: DeadlockError, StepLimitError, or an access out of bounds.
    """
    state = _ready(launch)
    memory = state.spaces["global"]
    if observe is not None:
        state.observers = observe(state)
    Scheduler(state, policy, seed, step_limit).run()
    return [
        memory.bytes[start:end].view(item[1] if isinstance(item, tuple) else item.dtype).copy()
        for (start, end), item in zip(memory.allocations[len(launch.inputs) :], launch.outputs, strict=True)
    ]


def _ready(launch: EmulatedLaunch) -> State:
    """Return the state before a launch, reusing that of the machine's last launch of the same kernel and shape."""
    buffers = [*launch.inputs, *launch.outputs]
    memory, state = buffer_space([_bytes(item) for item in buffers]), launch.machine.state
    if (
        state is None
        or state.program is not launch.program
        or (state.shape, state.dynamic_shared) != (launch.shape, launch.shared_bytes)
        or state.spaces["global"].allocations != memory.allocations
    ):
        state = launch.machine.state = State(launch.program, launch.shape, launch.shared_bytes, memory)
    memory = state.spaces["global"]
    memory.bytes.fill(UNWRITTEN)
    memory.filled, memory.names = [], launch.names
    for item, (start, end) in zip(buffers, memory.allocations, strict=False):
        if not isinstance(item, tuple):
            memory.bytes[start:end] = np.ascontiguousarray(item).reshape(-1).view(np.uint8)
            memory.filled.append((start, end))
    state.start(_arguments(launch, memory))
    return state


def _bytes(buffer: tuple[int, str] | Values) -> int:
    return buffer[0] * np.dtype(buffer[1]).itemsize if isinstance(buffer, tuple) else buffer.nbytes


def _arguments(launch: EmulatedLaunch, memory: MemorySpace) -> Values:
    """Return the bytes of the kernel's parameters."""
    program, arguments = launch.program, launch.arguments
    if len(arguments) != len(program.parameters):
        raise EmulatorError(
            f"{program.name} takes {len(program.parameters)} arguments, not {len(arguments)}",
            "By default a kernel takes the buffers, the scalars, and the iterations.",
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

"""Launch a program: place the arguments, run the threads, return the outputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.emulator.link.layout import WORKSPACE
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine.dropped import DroppedAccesses
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.paged_memory import PagedBuffer, PagedMemory, paged_memory
from shflbench.emulator.machine.policies import LOCKSTEP, Policy
from shflbench.emulator.machine.scheduler import STEP_LIMIT, Scheduler, StepLimitError
from shflbench.emulator.machine.state import ABSENT_FILLS, UNWRITTEN_FILLS, State, buffer_space
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE
from shflbench.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

# Instructions of each group that runs in lockstep, for one that the launch takes where all threads do: lanes that
# diverge execute the same code one after the other.
MOST_DETOURS = 4


@dataclass(slots=True, eq=False)
class Machine:
    """The state, with the code bound to it, that consecutive launches share."""

    state: State | None = None
    work: float = 0.0  # of all launches, as the scheduler counts it
    comparisons: int = 0  # likewise, of accesses
    lockstep_steps: int = 0  # instructions of the last launch that ended in lockstep
    budget: FileBudget = NEVER  # which its launches spend, and which ends them


@dataclass(frozen=True, slots=True)
class ParameterBytes:
    """The bytes of one argument: a number, or a structure that is passed by value and may hold pointers."""

    data: bytes
    pointers: tuple[tuple[int, int, int], ...] = ()  # (byte in `data`, number of the buffer, byte in the buffer)


Argument = int | np.generic | ParameterBytes | None


@dataclass(frozen=True, slots=True)
class EmulatedLaunch:
    """One launch: program, shape, dynamic shared memory, buffers and number of iterations."""

    program: Program
    shape: Shape
    shared_bytes: int  # dynamic, per block
    inputs: Sequence[Values]
    # (elements, NumPy type) of each, or its contents before; all or none of them have pages
    outputs: Sequence[tuple[int, str] | Values | PagedBuffer]
    iterations: int
    order: Sequence[Argument] | None = None  # of the arguments; None: buffers, then iterations
    machine: Machine = field(default_factory=Machine, compare=False)
    names: Sequence[str] = ()  # of inputs and outputs, for error messages
    symbols: Mapping[str, bytes] = field(default_factory=dict)  # contents of module variables before the launch

    @property
    def arguments(self) -> Sequence[Argument]:
        """The kernel's arguments: a buffer's place among inputs and outputs, a value, or None for the iterations."""
        return self.order if self.order is not None else (*range(len(self.inputs) + len(self.outputs)), None)


def execute(  # noqa: PLR0913  (all but the first two by name)
    launch: EmulatedLaunch,
    policy: Policy = LOCKSTEP,
    *,
    observe: Callable[[State], Sequence[Observer]] | None = None,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    absent_fill: int = ABSENT_FILLS[0],
    unwritten: int = UNWRITTEN_FILLS[0],
    dropped: DroppedAccesses | None = None,
) -> list[Values]:
    """Run one launch under `policy` and return its outputs, none if these have pages.

    `observe` returns the observers of the launch, given its initial state. `absent_fill` are the bits of values that
    are read from lanes that do not execute a shuffle, `unwritten` is each byte of memory before it is written. With
    `dropped`, accesses that are out of bounds or misaligned do not end the launch, but are dropped and collected there.

    Raises EmulatorError: DeadlockError, StepLimitError, or an access out of bounds; BudgetError when the budget of
    the launch's machine is over.
    """
    state = _ready(launch, unwritten)
    memory = state.spaces["global"]
    state.absent_fill, state.dropped = absent_fill, dropped
    state.bulk.is_late = policy is not LOCKSTEP
    if observe is not None:
        state.observers = observe(state)
    scheduler = Scheduler(state, policy, seed, step_limit, launch.machine.budget)
    try:
        scheduler.run()
        if policy is LOCKSTEP:
            launch.machine.lockstep_steps = scheduler.steps
    finally:
        launch.machine.work += scheduler.work
        launch.machine.comparisons += state.comparisons
    return [
        memory.bytes[start:end].view(item[1] if isinstance(item, tuple) else item.dtype).copy()
        for (start, end), item in zip(state.buffers[len(launch.inputs) :], launch.outputs, strict=False)
        if not isinstance(item, PagedBuffer)
    ]


def steps_that_suffice(launch: EmulatedLaunch, policy: Policy) -> int:
    """Return a limit of instructions under `policy` for the launch that has last ended in lockstep on its machine.

    Each group of a schedule executes the instructions by itself: 32 lanes take 32 times as many as all threads at once.
    """
    return launch.machine.lockstep_steps * len(policy.lockstep_groups(launch.shape)) * MOST_DETOURS


def execute_to_end(launch: EmulatedLaunch, policy: Policy) -> list[Values]:
    """Run one launch as `execute`, with more instructions than its limit where it ends in lockstep; errors likewise."""
    try:
        return execute(launch, policy)
    except StepLimitError:
        if policy is LOCKSTEP:
            raise
    execute(launch)
    return execute(launch, policy, step_limit=max(STEP_LIMIT, steps_that_suffice(launch, policy)))


def _ready(launch: EmulatedLaunch, unwritten: int) -> State:
    """Return the state before a launch, reusing that of the machine's last launch of the same kernel and shape."""
    paged = [item for item in launch.outputs if isinstance(item, PagedBuffer)]
    buffers = [item for item in (*launch.inputs, *launch.outputs) if not isinstance(item, PagedBuffer)]
    sizes = [_bytes(item) for item in buffers]
    memory = paged_memory(paged) if paged else buffer_space(sizes, launch.program.heap_bytes)
    state = launch.machine.state
    if (
        state is None
        or state.program is not launch.program
        or (state.shape, state.dynamic_shared) != (launch.shape, launch.shared_bytes)
        or state.buffers != memory.allocations
    ):
        state = launch.machine.state = State(launch.program, launch.shape, launch.shared_bytes, memory)
    memory = state.spaces["global"]
    memory.names = launch.names
    if isinstance(memory, PagedMemory):
        memory.set_contents(paged)
    else:
        _set_contents(memory, buffers, launch.program.heap_bytes, unwritten)
    state.start(_arguments(launch, memory), launch.symbols, unwritten)
    return state


def _set_contents(
    memory: MemorySpace, buffers: Sequence[tuple[int, str] | Values], heap_bytes: int, unwritten: int
) -> None:
    """Fill memory with the contents of the buffers that have some, and with `unwritten` elsewhere."""
    for start, end in memory.allocations:
        memory.bytes[start:end] = unwritten
    memory.bytes[memory.size - heap_bytes : memory.size] = unwritten
    memory.filled = []
    for item, (start, end) in zip(buffers, memory.allocations, strict=False):
        if not isinstance(item, tuple):
            memory.bytes[start:end] = np.ascontiguousarray(item).reshape(-1).view(np.uint8)
            memory.filled.append((start, end))


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
        word = _word(argument, launch, memory)
        block[start : start + item.bytes] = np.frombuffer(word.ljust(item.bytes, b"\0")[: item.bytes], np.uint8)
    return block


def _word(argument: Argument, launch: EmulatedLaunch, memory: MemorySpace) -> bytes:
    """Return the bytes of one argument."""
    match argument:
        case None:
            return int(launch.iterations).to_bytes(8, "little", signed=True)
        case int():
            return _pointer(memory, argument).to_bytes(8, "little")
        case ParameterBytes(data=data, pointers=pointers):
            word = bytearray(data)
            for place, buffer, offset in pointers:
                word[place : place + 8] = (_pointer(memory, buffer) + offset).to_bytes(8, "little")
            return bytes(word)
        case _:
            return argument.tobytes()


def _pointer(memory: MemorySpace, buffer: int) -> int:
    return GLOBAL_BASE + memory.allocations[buffer][0]


def module_contents(launch: EmulatedLaunch) -> dict[str, bytes]:
    """Return the contents of the `__device__` and `__managed__` variables after the last run of `launch`, by name."""
    state = launch.machine.state
    if state is None or state.program is not launch.program:
        return {}
    memory = state.spaces["module"].bytes
    places = [place for place in launch.program.symbols if place.space == "global" and place.name != WORKSPACE]
    return {place.name: memory[place.start : place.start + place.size].tobytes() for place in places}


def read_output(launch: EmulatedLaunch) -> str:
    """Return what the kernel printed in the last run of `launch`."""
    state = launch.machine.state
    return "".join(state.printed) if state is not None and state.program is launch.program else ""

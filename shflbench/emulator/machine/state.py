"""The state of a launch: registers of all threads, memory spaces, and which threads are alive."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.barrier_loops import BarrierLoops, barrier_loops
from shflbench.emulator.link.block_barriers import has_named_barriers
from shflbench.emulator.link.loaded_values import NOTHING, loaded_values
from shflbench.emulator.link.program import Op, Program, Slot
from shflbench.emulator.link.weak_orders import has_weak_orders
from shflbench.emulator.machine.branch_sides import BranchSides
from shflbench.emulator.machine.bulk_copies import BulkCopies
from shflbench.emulator.machine.cluster_barriers import ClusterBarriers
from shflbench.emulator.machine.clusters import Clusters
from shflbench.emulator.machine.dropped import DroppedAccesses
from shflbench.emulator.machine.iterations import Iterations
from shflbench.emulator.machine.memory import ALIGNMENT, GUARD, LARGEST_GUARD, MemorySpace, set_bounds
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.pending_copies import PendingCopies
from shflbench.emulator.machine.special import RESERVED_SHARED, reserved_shared_bytes, special_values
from shflbench.emulator.machine.threads import Shape, ThreadSet, part, scatter
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE, MODULE_BASE
from shflbench.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

# Values that are read from absent lanes, which no program may depend on: of two runs with these, no bit agrees.
# The last two are large and small as an integer, a float and two halves, which a maximum and a minimum use.
ABSENT_FILLS = (0xDEADBEEF, 0x21524110, 0x7BFF7BFF, 0xFBFFFBFF)
# Each byte of memory before it is written, on which no program may depend either. The last one is for programs that
# only compare with zero.
UNWRITTEN_FILLS = (0xA5, 0x5A, 0)
MOST_PARTS = 256  # sets of diverged threads, each of which keeps the code that is bound to it
MOST_STATE_BYTES = 1 << 31  # of registers, local and shared memory of one launch


class State:
    """The registers and memory that instructions read and write."""

    def __init__(self, program: Program, shape: Shape, dynamic_shared: int, buffers: MemorySpace) -> None:
        """Allocate; EmulatorError if the launch does not fit into memory."""
        _check_size(program, shape, dynamic_shared)
        self.program, self.shape, self.dynamic_shared = program, shape, dynamic_shared
        self.has_named_barriers = has_named_barriers(program)
        is_followed = has_weak_orders(program, has_clusters=shape.has_clusters)
        self.loaded_values = loaded_values(program) if is_followed else NOTHING
        self.observers: Sequence[Observer] = ()
        self.follower: Observer | None = None  # gets the ops of `loaded_values`
        self.dropped: DroppedAccesses | None = None  # if faults do not end the launch
        self.versions = [0] * len(program.registers)  # of the watched registers: how often each was written
        try:
            self.registers = [np.zeros((shape.warps, WARP), type_) for type_ in program.registers]
        except (MemoryError, ValueError) as error:
            raise EmulatorError(
                f"{shape.grid}x{shape.block} threads of {program.name} do not fit into this machine's memory",
                "Choose a smaller launch.",
            ) from error
        self.direct: dict[int, Sequence[Slot | Values]] = {}  # by the id of an op: see `bind`
        self._typed: dict[tuple[int, str], Values] = {}
        self._sets: dict[object, list[ThreadSet]] = {}
        self._parts: dict[bytes, ThreadSet] = {}  # by their threads
        self.printed: list[str] = []  # what the kernel printed
        self.copies = PendingCopies(shape.lanes)
        self.ticks = 0  # of the clock: how often it was read
        self.comparisons = 0  # of accesses with earlier ones that nothing known at once orders
        self.heap: list[tuple[int, int]] = []  # (start, end) of what `malloc` gave, as bytes of global memory
        self.thread_numbers = np.arange(shape.lanes, dtype=np.int64).reshape(shape.warps, WARP)
        self.block_of = shape.block_of(self.thread_numbers)
        self.existing = self.thread_numbers % shape.lanes_per_block < shape.block  # all but lanes of partial warps
        self.alive = np.zeros((shape.warps, WARP), np.bool_)
        self.clusters = Clusters(shape)
        self.may_be_distributed = shape.has_clusters or "mapa" in program.opcodes  # whether addresses may name a block
        self.cluster_barriers = ClusterBarriers(shape, self.clusters, self.alive)
        self.absent_fill = ABSENT_FILLS[0]
        self.ends: list[tuple[Values, Op | None]] = []  # threads that have ended, and at which op
        self.branch_sides: BranchSides | None = None  # of a launch that runs again for them
        self.iterations: Iterations | None = None  # once threads have diverged, of loops around barriers
        # The first and last block of straight code that ran, and the ids of ops with a guard that held for a thread;
        # each with who executed it, as `executors.py` notes it.
        self.executed: dict[tuple[int, int], int] = {}
        self.guarded: dict[int, int] = {}
        self.spaces: Mapping[str, MemorySpace] = {
            "shared": _shared_space(program, shape, dynamic_shared),
            "local": _local_space(program, shape),
            "module": _module_space(program),
            "param": MemorySpace("param", 1, program.parameter_bytes),
            "global": buffers,
        }
        self.bulk = BulkCopies(shape.lanes, self.spaces)
        self.buffers = list(buffers.allocations)  # those of the launch, without what `malloc` gives

    def start(self, arguments: Values, symbols: Mapping[str, bytes], unwritten: int = UNWRITTEN_FILLS[0]) -> None:
        """Reset everything but the buffers; code that is bound to this state stays valid.

        `symbols` are the contents of module variables that differ from their initial values, `unwritten` is each byte
        of shared and local memory.
        """
        for register in self.registers:
            register.fill(0)
        self.alive[:] = self.existing
        self.forget_addresses()
        self.observers, self.follower, self.dropped = (), None, None
        self.ends = []
        self.executed, self.guarded = {}, {}
        self.iterations, self.branch_sides = None, None
        self.printed, self.ticks, self.comparisons, self.heap = [], 0, 0, []
        self.copies = PendingCopies(self.shape.lanes)
        self.bulk = BulkCopies(self.shape.lanes, self.spaces)
        self.cluster_barriers = ClusterBarriers(self.shape, self.clusters, self.alive)
        self._fill_special(self.dynamic_shared)
        for name in ("shared", "local"):
            self.spaces[name].bytes.fill(unwritten)
        for start, end in self.spaces["shared"].filled:
            self.spaces["shared"].bytes[start:end] = 0
        module = self.spaces["module"]
        module.bytes[: self.program.constants.size] = self.program.constants
        module.names = [place.name for place in self.program.symbols]
        for place in self.program.symbols:
            contents = symbols.get(place.name, b"")
            if len(contents) > place.size:
                raise EmulatorError(f"`{place.name}` has {place.size} bytes, not {len(contents)}", "Give fewer values.")
            module.bytes[place.start : place.start + len(contents)] = np.frombuffer(contents, np.uint8)
        self.spaces["param"].bytes[: arguments.size] = arguments

    @cached_property
    def barrier_loops(self) -> BarrierLoops | None:
        """The loops around the aligned barriers of the program, if there are any."""
        return barrier_loops(self.program)

    def thread_sets(self, cut: Callable[[Shape], list[ThreadSet]]) -> list[ThreadSet]:
        """Return the sets of threads that `cut` divides all lanes into; empty lanes belong to none."""
        sets = self._sets.get(cut)
        if sets is None:
            sets = cut(self.shape)
            if not self.shape.full:
                alive = self.alive.reshape(-1)
                sets = [scatter(members.threads[alive[members.threads]]) for members in sets]
            sets = self._sets[cut] = [members for members in sets if members.count]
        return sets

    def part(self, threads: Values) -> ThreadSet:
        """Return the set of threads that have diverged, given in ascending order; a loop often repeats a set."""
        key = threads.tobytes()
        members = self._parts.get(key)
        if members is None:
            if len(self._parts) == MOST_PARTS:
                self._parts.clear()
            members = self._parts[key] = part(self.shape, threads)
        return members

    def _fill_special(self, dynamic_shared: int) -> None:
        values = special_values(self.program, self.shape, self.clusters, dynamic_shared)
        for name, number in self.program.special.items():
            np.copyto(self.registers[number], values.get(name, 0), casting="unsafe")

    def typed(self, slot: Slot) -> Values:
        """Return a register of all threads as the slot's type, shape [warps, 32]; a narrow type sees the low bits."""
        key = (slot.number, slot.type)
        array = self._typed.get(key)
        if array is None:
            whole = self.registers[slot.number]
            array = whole
            if slot.type != "?":
                array = whole.view(slot.type)
                array = array[:, :: array.shape[1] // WARP]
            self._typed[key] = array
        return array

    def gather(self, slot: Slot, members: ThreadSet) -> Values:
        """Return the values of a register for a set of threads: a view where possible."""
        array = self.typed(slot)
        seen = array[members.view] if members.view is not None else array.reshape(-1)[members.threads]
        return ~seen if slot.negated else seen

    def registers_of(self, members: ThreadSet) -> bytes:
        """Return the contents of all registers of a set of threads."""
        where = members.view if members.view is not None else np.unravel_index(members.threads, self.alive.shape)
        return b"".join(register[where].tobytes() for register in self.registers)

    def put(self, slot: Slot, members: ThreadSet, values: Values) -> None:
        """Write the values of scattered threads; a narrow value is extended to the whole register."""
        target = self.registers[slot.number]
        if slot.type != "?" and np.dtype(slot.type).itemsize < target.itemsize:
            target = target.view(f"{slot.type[0]}{target.itemsize}")
        elif slot.type != "?":
            target = target.view(slot.type)
        target.reshape(-1)[members.threads] = values.reshape(-1)

    def forget_addresses(self) -> None:
        """Make the next access by each register check its bounds again."""
        self.versions = [version + 1 for version in self.versions]

    def wrote(self, slots: Iterable[Slot | None]) -> None:
        """Note that registers were written, which invalidates values cached by watched registers."""
        for slot in slots:
            if slot is not None:
                self.versions[slot.number] += 1


def _local_space(program: Program, shape: Shape) -> MemorySpace:
    """Return the local memory of all threads."""
    space = MemorySpace("local", shape.lanes, program.local_bytes)
    set_bounds(space, program.local_variables, program.local_bytes)
    return space


def _shared_space(program: Program, shape: Shape, dynamic_shared: int) -> MemorySpace:
    """Return the shared memory of all blocks; what the system reserves lies behind that of the program, and is zero."""
    used = program.shared_bytes + dynamic_shared
    reserved = reserved_shared_bytes(program, used)
    space = MemorySpace("shared", shape.grid, used + reserved)
    set_bounds(space, program.shared_variables, program.shared_bytes, dynamic_shared)
    if reserved:
        ends = [block * space.stride + space.size for block in range(shape.grid)]
        space.filled = [(end - RESERVED_SHARED, end) for end in ends]
    return space


def _check_size(program: Program, shape: Shape, dynamic_shared: int) -> None:
    """Raise EmulatorError if registers, local and shared memory of a launch take too much memory."""
    register_bytes = sum(np.dtype(type_).itemsize for type_ in program.registers)
    needed = shape.lanes * (register_bytes + program.local_bytes)
    needed += shape.grid * (program.shared_bytes + dynamic_shared)
    if needed > MOST_STATE_BYTES:
        raise EmulatorError(
            f"{shape.grid}x{shape.block} threads of {program.name} need {needed >> 20} MiB of registers and memory; "
            f"the emulator has {MOST_STATE_BYTES >> 20}",
            "Choose a smaller launch.",
        )


def _module_space(program: Program) -> MemorySpace:
    """Return the memory of the variables of the module, with the bounds of each."""
    space = MemorySpace("module", 1, program.constants.size, MODULE_BASE)
    space.allocations = [(place.start, place.start + place.size) for place in program.symbols]
    return space


def buffer_space(sizes: list[int], heap_bytes: int = 0) -> MemorySpace:
    """Return global memory that holds buffers of these sizes, in bytes, and behind them the heap of `malloc`."""
    parts, end = [], 0
    for size in sizes:
        start = -(-end // ALIGNMENT) * ALIGNMENT
        parts.append((start, start + size))
        end = start + size + max(GUARD, size, min(8 * size, LARGEST_GUARD))
    space = MemorySpace("global", 1, end + heap_bytes, GLOBAL_BASE)
    space.allocations = parts or [(0, 0)]
    space.heap_start = end if heap_bytes else 0
    return space

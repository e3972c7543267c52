"""The state of a launch: registers of all threads, memory spaces, and which threads are alive."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from shflbench.backends.emulator.link.program import Program, Slot
from shflbench.backends.emulator.link.registers import AXES
from shflbench.backends.emulator.machine.memory import ALIGNMENT, GUARD, MemorySpace
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.threads import Shape, ThreadSet, scattered
from shflbench.backends.emulator.opcodes.addresses import GLOBAL_BASE, MODULE_BASE
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError
from shflbench.model import WARP

UNWRITTEN = 0xA5  # each byte of memory before it is written


class State:
    """The registers and memory that instructions read and write."""

    def __init__(self, program: Program, shape: Shape, dynamic_shared: int, buffers: MemorySpace) -> None:
        """Allocate; EmulatorError if the launch does not fit into memory."""
        self.program, self.shape, self.dynamic_shared = program, shape, dynamic_shared
        self.observers: Sequence[Observer] = ()
        self.versions = [0] * len(program.registers)  # of the watched registers: how often each was written
        try:
            self.registers = [np.zeros((shape.warps, WARP), type_) for type_ in program.registers]
        except (MemoryError, ValueError) as error:
            raise EmulatorError(
                f"{shape.grid}x{shape.block} threads of {program.name} do not fit into this machine's memory",
                "Choose a smaller launch.",
            ) from error
        self._typed: dict[tuple[int, str], Values] = {}
        self._sets: dict[object, list[ThreadSet]] = {}
        self.thread_numbers = np.arange(shape.lanes, dtype=np.int64).reshape(shape.warps, WARP)
        self.block_of = shape.block_of(self.thread_numbers)
        self.alive = np.zeros((shape.warps, WARP), np.bool_)
        self.spaces: Mapping[str, MemorySpace] = {
            "shared": MemorySpace("shared", shape.grid, program.shared_bytes + dynamic_shared),
            "local": MemorySpace("local", shape.lanes, program.local_bytes),
            "module": MemorySpace("module", 1, program.constants.size, MODULE_BASE),
            "param": MemorySpace("param", 1, program.parameter_bytes),
            "global": buffers,
        }

    def start(self, arguments: Values) -> None:
        """Reset everything but the buffers; code that is bound to this state stays valid."""
        for register in self.registers:
            register.fill(0)
        self.alive[:] = self.thread_numbers % self.shape.lanes_per_block < self.shape.block
        self.versions = [version + 1 for version in self.versions]
        self.observers = ()
        self._fill_special(self.dynamic_shared)
        for name in ("shared", "local"):
            self.spaces[name].bytes.fill(UNWRITTEN)
        self.spaces["module"].bytes[: self.program.constants.size] = self.program.constants
        self.spaces["param"].bytes[: arguments.size] = arguments

    def thread_sets(self, cut: Callable[[Shape], list[ThreadSet]]) -> list[ThreadSet]:
        """Return the sets of threads that `cut` divides all lanes into; empty lanes belong to none."""
        sets = self._sets.get(cut)
        if sets is None:
            sets = cut(self.shape)
            if not self.shape.full:
                alive = self.alive.reshape(-1)
                sets = [scattered(members.threads[alive[members.threads]]) for members in sets]
            sets = self._sets[cut] = [members for members in sets if members.count]
        return sets

    def _fill_special(self, dynamic_shared: int) -> None:
        shape = self.shape
        in_block = np.arange(shape.lanes).reshape(shape.warps, WARP) % shape.lanes_per_block
        lane = np.arange(WARP, dtype=np.uint64)
        one = np.uint64(1)
        values: dict[str, Values | int] = {
            **{f"%{name}.{axis}": int(name[0] == "n") for name in ("tid", "ntid", "ctaid", "nctaid") for axis in AXES},
            "%tid.x": in_block,
            "%ntid.x": shape.block,
            "%ctaid.x": self.block_of,
            "%nctaid.x": shape.grid,
            "%laneid": lane,
            "%warpid": in_block // WARP,
            "%nwarpid": shape.warps_per_block,
            "%smid": self.block_of,
            "%nsmid": shape.grid,
            "%gridid": 1,
            "%dynamic_smem_size": dynamic_shared,
            "%total_smem_size": dynamic_shared + self.program.shared_bytes,
            "%lanemask_eq": one << lane,
            "%lanemask_lt": (one << lane) - one,
            "%lanemask_le": (one << (lane + one)) - one,
            "%lanemask_gt": ~((one << (lane + one)) - one),
            "%lanemask_ge": ~((one << lane) - one),
        }
        for name, number in self.program.special.items():
            np.copyto(self.registers[number], values[name], casting="unsafe")

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

    def put(self, slot: Slot, members: ThreadSet, values: Values) -> None:
        """Write the values of scattered threads; a narrow value is extended to the whole register."""
        target = self.registers[slot.number]
        if slot.type != "?" and np.dtype(slot.type).itemsize < target.itemsize:
            target = target.view(f"{slot.type[0]}{target.itemsize}")
        elif slot.type != "?":
            target = target.view(slot.type)
        target.reshape(-1)[members.threads] = values.reshape(-1)

    def wrote(self, slots: Iterable[Slot | None]) -> None:
        """Note that registers were written, which invalidates values cached by watched registers."""
        for slot in slots:
            if slot is not None:
                self.versions[slot.number] += 1


def buffer_space(sizes: list[int]) -> MemorySpace:
    """Return global memory that holds buffers of these sizes, in bytes."""
    parts, end = [], 0
    for size in sizes:
        start = -(-end // ALIGNMENT) * ALIGNMENT
        parts.append((start, start + size))
        end = start + size + GUARD
    space = MemorySpace("global", 1, end, GLOBAL_BASE)
    space.allocations = parts or [(0, 0)]
    return space

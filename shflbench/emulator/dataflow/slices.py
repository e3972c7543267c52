"""Find the parameters, memory and coordinates of threads that an instruction depends on: a backward program slice.

The slice follows registers from the address and the guard of an instruction to what computes them, and the conditions
of the branches that decide whether it runs (Weiser, "Program Slicing", 1984). It ignores the order of instructions, so
that it contains too much rather than too little.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, TypeVar, cast

from shflbench.emulator.dataflow.control_flow import control_dependence, reach, reversed_edges, successors
from shflbench.emulator.dataflow.shared_bases import SharedBases
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.addresses import MODULE_BASE
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator

    from shflbench.emulator.link.program import Op, Program
    from shflbench.emulator.ptx.syntax import PtxInstruction

LAUNCH = (
    "%tid",
    "%ntid",
    "%ctaid",
    "%nctaid",
    "%warpid",
    "%nwarpid",
    "%laneid",
    "%lanemask",
    "%dynamic_smem",
    "%total_smem",
)
OF_THE_BLOCK = ("%tid", "%ntid", "%laneid", "%lanemask")  # the same in every block of a shape

Result = TypeVar("Result")


@dataclass(slots=True)
class Slice:
    """What an instruction depends on."""

    parameters: set[int] = field(default_factory=set)  # bytes of the parameters whose values it depends on
    contents: set[int] = field(default_factory=set)  # bytes of the pointers to memory whose contents it depends on
    launch: bool = False  # depends on the coordinates of a thread, or the size of the launch
    beyond_block: bool = False  # depends on the number of the block, the grid, or what else differs between blocks
    thread: bool = False  # depends on the number of the thread in its block
    block: bool = False  # depends on the number of the block
    grid: bool = False  # depends on the number of blocks
    unknown: bool = False  # depends on memory that no parameter points to
    textures: bool = False  # depends on what textures hold
    pointers: set[int] = field(default_factory=set)  # bytes of the pointers that the address itself is based on
    variables: set[str] = field(default_factory=set)  # of the module, on whose contents it depends; names in the PTX


class Slicer:
    """Slices one program; results are kept."""

    def __init__(self, program: Program) -> None:
        """Index which ops write each register, and which branches decide on each block."""
        self.program = program
        self._sizes = {
            start: variable.bytes for start, variable in zip(program.parameter_offsets, program.parameters, strict=True)
        }
        self._special = {number: name for name, number in program.special.items()}
        self._blocks: dict[int, int] = {}  # op → start of its block
        self._ops: dict[tuple[int, str], list[Op]] = defaultdict(list)
        self._writers: dict[int, list[Op]] = defaultdict(list)
        self._stores: dict[str, list[Op]] = defaultdict(list)
        self.ops: list[Op] = []
        for start, op in _all_ops(program):
            self.ops.append(op)
            self._blocks[id(op)] = start
            self._ops[op.instruction.line, op.instruction.text].append(op)
            for slot in op.results:
                if slot is not None:
                    self._writers[slot.number].append(op)
            if isinstance(op.form, Access) and op.form.kind != "ld" and op.place is not None:
                self._stores[op.place.space].append(op)
        self._edges = successors(program)
        self._back = reversed_edges(self._edges)
        self._after: dict[int, set[int]] = {}  # block → those that can be reached from it
        self._loops: dict[int, set[int]] = {}  # block → those of the outermost loop around it
        self._kept: dict[object, object] = {}
        self._shared: SharedBases | None = None  # computed when a load from shared memory is followed
        self._control: dict[int, list[Op]] | None = None  # computed when a hazard needs it

    def kept(self, study: Callable[[Slicer], Result]) -> Result:
        """Return what `study` returns for this slicer, from the first time."""
        if study not in self._kept:
            self._kept[study] = study(self)
        return cast("Result", self._kept[study])

    def ops_of(self, instruction: PtxInstruction) -> list[Op]:
        """Return the ops that an instruction became; several where its function was inlined more than once."""
        return self._ops.get((instruction.line, instruction.text), [])

    def of(
        self, ops: Iterable[Op], *, address_only: bool = False, conditions_in: Collection[int] | None = None
    ) -> Slice:
        """Return what `ops` depend on; with `address_only`, without the conditions under which they run.

        Of the conditions, `conditions_in` keeps those that are decided in these blocks.
        """
        result = Slice()
        walk = _Walk(self, result, conditions_in=() if address_only else conditions_in)
        for op in ops:
            walk.start(op)
        walk.finish()
        return result

    def depends_on_memory(self, op: Op) -> bool:
        """Return whether contents of buffers decide on the address of `op`, or on whether it runs."""
        depends = self.of([op])
        return bool(depends.contents) or depends.unknown or depends.textures

    def pointers(self, op: Op) -> set[int]:
        """Return the parameters' bytes that hold the pointers which the address of `op` is based on."""
        base = op.place.base if op.place is not None else None
        return self._bases_of(base.number, set())[0] if base is not None else set()

    def variables(self, op: Op) -> set[str]:
        """Return the names in the PTX of the variables of the module that the address of `op` is based on."""
        if op.place is None or op.place.space not in {"global", "const", ""}:
            return set()
        if op.place.base is None:
            return self._variable_at(op.place.offset)
        return self._bases_of(op.place.base.number, set())[1]

    def _bases_of(self, register: int, seen: set[int]) -> tuple[set[int], set[str]]:
        """Follow a 64-bit register through sums and moves, which is how addresses are computed."""
        pointers: set[int] = set()
        variables: set[str] = set()
        if register in seen:
            return pointers, variables
        seen.add(register)
        for op in self._writers[register]:
            if (start := parameter_byte(op)) is not None:
                pointers.add(start)
            elif has_role(op.instruction, OpcodeRole.POINTER):
                for source in op.sources:
                    if not isinstance(source, Slot):
                        variables |= self._variable_at(source)
                    elif self._wide(source):
                        further = self._bases_of(source.number, seen)
                        pointers, variables = pointers | further[0], variables | further[1]
        return pointers, variables

    def _variable_at(self, address: int) -> set[str]:
        byte = address - MODULE_BASE
        return {item.name for item in self.program.symbols if item.start <= byte < item.start + item.size}

    def _wide(self, slot: Slot) -> bool:
        return self.program.registers[slot.number].endswith("8")

    def writers(self, register: int) -> list[Op]:
        """Return the ops that write a register."""
        return self._writers[register]

    def stores(self, space: str) -> list[Op]:
        """Return the stores and atomics that may write to memory of a space."""
        return self._stores[space] + (self._stores[""] if space else [])

    def stores_before(self, load: Op) -> tuple[Hashable, list[Op]]:
        """Return the stores and atomics that may write what a load from shared or local memory reads, and their key."""
        space = load.place.space if load.place is not None else ""
        names = self.shared_variables(load)
        if not names:
            return space, self.stores(space)
        bases = ((store, self.shared_variables(store)) for store in self.stores(space))
        return names, [store for store, base in bases if not base or base & names]

    def shared_variables(self, op: Op) -> frozenset[str]:
        """Return the variables in shared memory that an access may reach; empty if it may reach any."""
        if self._shared is None:
            unwritten = set(range(len(self.program.registers))) - self._writers.keys()
            static = [variable.name for variable in self.program.shared_variables if variable.size]
            self._shared = SharedBases(self.ops, unwritten, static)
        return self._shared.of(op)

    def special(self, register: int) -> str:
        """Return the name of a special register, "" for any other."""
        return self._special.get(register, "")

    def conditions(self, op: Op) -> list[Op]:
        """Return the branches that decide whether `op` runs."""
        if self._control is None:
            self._control = control_dependence(self.program, self._edges)
        return self._control.get(self._blocks.get(id(op), -1), [])

    def all_conditions(self, op: Op) -> list[Op]:
        """Return the branches that decide whether `op` runs, and those that decide on them."""
        branches: dict[int, Op] = {}
        waiting = [op]
        while waiting:
            for branch in self.conditions(waiting.pop()):
                if id(branch) not in branches:
                    branches[id(branch)] = branch
                    waiting.append(branch)
        return list(branches.values())

    def loop_blocks(self, op: Op) -> set[int]:
        """Return the blocks of the outermost loop that contains `op`, or its block alone."""
        start = self.block_of(op)
        if start not in self._loops:
            self._loops[start] = (self._reached(start) & reach(self._back, start)) | {start}
        return self._loops[start]

    def in_loop(self, op: Op) -> bool:
        """Return whether a loop contains `op`."""
        start = self.block_of(op)
        return start in self._reached(start)

    def _reached(self, start: int) -> set[int]:
        """Return the blocks that can be reached from a block in one step or more."""
        if start not in self._after:
            self._after[start] = reach(self._edges, start)
        return self._after[start]

    def leads_to(self, block: int, op: Op) -> bool:
        """Return whether a thread that leaves a block may execute `op`."""
        return self.block_of(op) in self._reached(block)

    def leaves(self, op: Op, blocks: Collection[int]) -> bool:
        """Return whether control may leave `blocks` after `op`, which ends one of them."""
        start = self._blocks[id(op)]
        ends = self.program.blocks[start].last is op
        return ends and not set(self._edges[start]) <= set(blocks)

    def block_of(self, op: Op) -> int:
        """Return the block that contains `op`."""
        return self._blocks.get(id(op), -1)

    def successors(self, block: int) -> list[int]:
        """Return the blocks that may follow a block; the end is -1."""
        return self._edges.get(block, [])

    def predecessors(self, block: int) -> list[int]:
        """Return the blocks that a block may follow."""
        return self._back.get(block, [])

    def ops_in(self, block: int) -> list[Op]:
        """Return the ops of one block."""
        item = self.program.blocks.get(block)
        return [] if item is None else [*item.ops, *((item.last,) if item.last is not None else ())]


def parameter_byte(op: Op) -> int | None:
    """Return the byte of the parameters that `op` loads from, None if it loads from elsewhere."""
    place = op.place
    if isinstance(op.form, Access) and op.form.kind == "ld" and place is not None and place.space == "param":
        return place.offset if place.base is None else None
    return None


class _Walk:
    """Follows dependences until nothing new is met."""

    def __init__(self, slicer: Slicer, result: Slice, *, conditions_in: Collection[int] | None) -> None:
        self.slicer, self.result, self.conditions_in = slicer, result, conditions_in
        self.registers: set[int] = set()
        self.ops: set[int] = set()
        self.memories: set[Hashable] = set()  # shared variables, or spaces
        self.waiting: list[int] = []

    def start(self, op: Op) -> None:
        """Follow the address, the guard and, for collectives and barriers, the operands of `op`."""
        slots = [op.guard, op.place.base if op.place is not None else None]
        if not isinstance(op.form, Access):
            slots += [source for source in op.sources if isinstance(source, Slot)]
        self._registers(slots)
        self.result.pointers |= self.slicer.pointers(op)
        self._control(op)

    def finish(self) -> None:
        while self.waiting:
            register = self.waiting.pop()
            name = self.slicer.special(register)
            if name.startswith(LAUNCH):
                self.result.launch = True
            if name and not name.startswith(OF_THE_BLOCK):
                self.result.beyond_block = True
            self.result.thread |= name.startswith(("%tid", "%laneid", "%lanemask", "%warpid"))
            self.result.block |= name.startswith("%ctaid")
            self.result.grid |= name.startswith("%nctaid")
            for op in self.slicer.writers(register):
                self._definition(op)

    def _definition(self, op: Op) -> None:
        if id(op) in self.ops:
            return
        self.ops.add(id(op))
        self._control(op)
        slots: list[Slot | None] = [source for source in op.sources if isinstance(source, Slot)]
        if has_role(op.instruction, OpcodeRole.TEXTURE):
            self.result.textures = True
            return
        start = parameter_byte(op)
        if start is not None:
            self.result.parameters.add(start)
        elif isinstance(op.form, Access):
            self._memory(op)
            slots.append(op.place.base if op.place is not None else None)
        self._registers([*slots, op.guard])

    def _memory(self, op: Op) -> None:
        """Follow a loaded value: to the buffer's contents, or to what is stored in the same space."""
        space = op.place.space if op.place is not None else ""
        pointers = self.slicer.pointers(op)
        self.result.variables |= self.slicer.variables(op)
        if pointers:
            self.result.contents |= pointers
            return
        if space in {"shared", "local"}:
            memory, stores = self.slicer.stores_before(op)
            if memory not in self.memories:
                self.memories.add(memory)
                for store in stores:
                    self._registers([*(item for item in store.sources if isinstance(item, Slot)), store.guard])
            return
        self.result.unknown = True

    def _control(self, op: Op) -> None:
        if self.conditions_in is not None and not self.conditions_in:
            return  # before conditions are computed, which takes long
        for branch in self.slicer.conditions(op):
            is_followed = self.conditions_in is None or self.slicer.block_of(branch) in self.conditions_in
            if is_followed and id(branch) not in self.ops:
                self.ops.add(id(branch))
                self._registers([branch.guard])
                self._control(branch)

    def _registers(self, slots: Iterable[Slot | None]) -> None:
        for slot in slots:
            if slot is not None and slot.number not in self.registers:
                self.registers.add(slot.number)
                self.waiting.append(slot.number)


def _all_ops(program: Program) -> Iterator[tuple[int, Op]]:
    for start, block in program.blocks.items():
        for op in chain(block.ops, () if block.last is None else (block.last,)):
            yield start, op

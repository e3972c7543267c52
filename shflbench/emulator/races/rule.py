"""A rule: an observer of one launch that reports hazards."""

from bisect import bisect_left
from dataclasses import replace

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import Absence, Hazard, HazardKind, HazardLog


class Rule(Observer):
    """Finds one kind of violation of the memory model, or of the rules for warps."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Observe the launch of `state`; `clocks` hold the order of accesses, `log` collects the hazards."""
        self.state, self.shape, self.clocks, self.log = state, state.shape, clocks, log

    def report(  # noqa: PLR0913  (all but the first three by name)
        self,
        kind: HazardKind,
        op: Op,
        threads: Values,
        count: int = 0,
        other: Op | None = None,
        *,
        place: tuple[str, int, int] | None = None,
        history: tuple[str, ...] = (),
        absence: Absence | None = None,
    ) -> None:
        """Report a hazard of some threads, by number, of which the first two are named.

        `place` is the space, the first byte and the number of bytes that it concerns, `history` are sentences on it,
        and `absence` says why the second thread gives no value.
        """
        named = tuple(self.shape.in_block(int(thread)) for thread in threads[:2])
        earlier = other.instruction if other is not None else None
        count = count or int(threads.size)
        hazard = Hazard(kind, op.instruction, earlier, named, count, history=history, absence=absence)
        if place is not None:
            space = self.state.spaces[place[0]]
            detail, buffer = bytes_of(space, *place[1:])
            hazard = replace(hazard, space=space.name, detail=detail, buffer=buffer)
        self.log.merge(hazard)

    def report_race(  # noqa: PLR0913, PLR0917  (pairs of the later and the earlier access)
        self,
        kind: HazardKind,
        ops: tuple[Op, Op],
        threads: tuple[int, int],
        at: int,
        count: int,
        place: tuple[str, int],
        reasons: tuple[str, ...] = (),
    ) -> None:
        """Report two accesses, the later one first, of which the earlier one had the number `at`.

        `place` is the space and the first byte that both access, and `reasons` say why nothing orders them.
        Nothing is reported of shared memory that the system reserves, which only the code of cooperative groups uses:
        by the letter of the memory model it has races, as one lane of a warp waits for other warps, and a shuffle tells
        the others (`sync_warps_last_releases` in cooperative_groups/details/sync.h, CUDA 13).
        """
        if place[0] == "shared" and any(start <= place[1] < end for start, end in self.state.spaces["shared"].filled):
            return
        instructions = (ops[0].instruction, ops[1].instruction)
        one_store = kind is HazardKind.SAME_VALUE and ops[0] is ops[1]
        if self.log.repeat(kind, *instructions, count, one_store=one_store):
            return
        form: Access = ops[0].form  # type: ignore[assignment]
        space = self.state.spaces[place[0]]
        size = int(form.type[1:])
        detail, buffer = bytes_of(space, place[1] - place[1] % size, size)
        history = (
            sentence(self.state, self.clocks, ops[1], threads[1], at),
            sentence(self.state, self.clocks, ops[0], threads[0], self.clocks.now),
            *reasons,
        )
        named = tuple(self.shape.in_block(thread) for thread in threads)
        self.log.merge(Hazard(kind, *instructions, named, count, space.name, detail, history, buffer, one_store))


def bytes_of(space: MemorySpace, first: int, size: int) -> tuple[str, int | None]:
    """Return words for `size` bytes of memory from byte `first`, and the number of the buffer in global memory."""
    first = first % space.stride if space.parts > 1 else space.offset_of(first)  # of a block or thread, or of all
    if not space.allocations:
        return f"{_range(first, size)} of {space.name} memory", None
    number = space.allocation(first, size)
    label = space.label(number)
    where = f" in {space.name} memory" if space.name in {"shared", "local"} and label[0] == "`" else ""
    detail = f"{_range(first - space.allocations[number][0], size)} of {label}{where}"
    return detail, number if space.name == "global" else None


def _range(first: int, size: int) -> str:
    return f"bytes {first}–{first + size - 1}" if size > 1 else f"byte {first}"


def sentence(state: State, clocks: Clocks, op: Op, thread: int, number: int) -> str:
    """Return who accessed memory, where, and which barrier the thread passed last, given the number of the access."""
    form: Access = op.form  # type: ignore[assignment]
    verb = {"ld": "read", "st": "wrote"}.get(form.kind, "atomically updated")
    size = int(form.type[1:]) * form.vector
    order = {"weak": "", "volatile": " (volatile)"}.get(form.order, f" ({form.order}.{form.scope})")
    text = f"{state.shape.describe(thread)} {verb} {size} byte{'s' if size > 1 else ''}{order} at {place_of(op)}"
    barrier = _last_barrier(clocks, thread // state.shape.lanes_per_block, number)
    return f"{text}, after the barrier at {place_of(barrier)}" if barrier is not None else text


def place_of(op: Op) -> str:
    """Return the line of an op in the file of the kernel: that of the call for code of a library."""
    location = op.instruction.location
    if location is None:
        return op.instruction.where
    file = location.outermost.file
    while location.file != file and location.inlined_at is not None:
        location = location.inlined_at
    return str(location)


def _last_barrier(clocks: Clocks, block: int, number: int) -> Op | None:
    """Return the last barrier that a block passed before the access of this number."""
    at = bisect_left(clocks.barriers, number, key=lambda barrier: barrier[0])
    for _, blocks, op in reversed(clocks.barriers[:at]):
        if block in blocks:
            return op
    return None

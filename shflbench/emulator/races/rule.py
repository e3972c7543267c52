"""A rule: an observer of one launch that reports hazards."""

from bisect import bisect_left

from shflbench.emulator.link.program import Op
from shflbench.emulator.link.weak_orders import WeakOrder, has_weak_order, weak_orders
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.facts import HazardAccess, MemoryBytes, UnorderedReason
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
        reasons: tuple[UnorderedReason, ...] = (),
        absence: Absence | None = None,
    ) -> None:
        """Report a hazard of some threads, by number, of which the first two are named.

        `place` is the space, the first byte and the number of bytes that it concerns, `reasons` say why nothing orders
        it, and `absence` says why the second thread gives no value.
        """
        named = tuple(self.shape.in_block(int(thread)) for thread in threads[:2])
        hazard = Hazard(
            kind,
            op.instruction,
            other.instruction if other is not None else None,
            named,
            count or int(threads.size),
            memory=bytes_of(self.state.spaces[place[0]], *place[1:]) if place is not None else None,
            reasons=reasons,
            weak_orders=self._weak_orders(reasons),
            absence=absence,
        )
        self.log.merge(hazard)

    def report_race(  # noqa: PLR0913, PLR0917  (pairs of the later and the earlier access)
        self,
        kind: HazardKind,
        ops: tuple[Op, Op],
        threads: tuple[int, int],
        at: int,
        count: int,
        place: tuple[str, int],
        reasons: tuple[UnorderedReason, ...] = (),
        now: int | None = None,
    ) -> None:
        """Report two accesses, the later one first, of which the earlier one had the number `at`.

        The later one has the number `now`; it is the current access if that is None.
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
        size = int(form.type[1:])
        hazard = Hazard(
            kind,
            *instructions,
            tuple(self.shape.in_block(thread) for thread in threads),
            count,
            memory=bytes_of(self.state.spaces[place[0]], place[1] - place[1] % size, size),
            accesses=(
                access_of(self.state, self.clocks, ops[1], threads[1], at),
                access_of(self.state, self.clocks, ops[0], threads[0], self.clocks.now if now is None else now),
            ),
            reasons=reasons,
            weak_orders=self._weak_orders(reasons),
            one_store=one_store,
        )
        self.log.merge(hazard)

    def by_weak_barriers(self) -> tuple[UnorderedReason, ...]:
        """Return that barriers order execution only as the reason of a hazard, if the program has such barriers."""
        return (UnorderedReason.WEAK_BARRIERS,) if any(map(has_weak_order, self.state.program.ops())) else ()

    def _weak_orders(self, reasons: tuple[UnorderedReason, ...]) -> tuple[WeakOrder, ...]:
        return weak_orders(self.state.program) if UnorderedReason.WEAK_BARRIERS in reasons else ()


def bytes_of(space: MemorySpace, first: int, size: int) -> MemoryBytes:
    """Return `size` bytes of memory from byte `first` as those of a variable."""
    first = first % space.stride if space.parts > 1 else space.offset_of(first)  # of a block or thread, or of all
    if not space.allocations:
        return MemoryBytes(space.name, "", first, size)
    number = space.allocation(first, size)
    buffer = number if space.name == "global" else None
    return MemoryBytes(space.name, space.label(number), first - space.allocations[number][0], size, buffer)


def access_of(state: State, clocks: Clocks, op: Op, thread: int, number: int) -> HazardAccess:
    """Return an access of a thread, and which barrier the thread passed last, given the number of the access."""
    form: Access = op.form  # type: ignore[assignment]
    barrier = _last_barrier(clocks, thread // state.shape.lanes_per_block, number)
    return HazardAccess(
        state.shape.in_block(thread),
        op.instruction,
        form.kind,
        int(form.type[1:]) * form.vector,
        form.order,
        form.scope,
        barrier.instruction if barrier is not None else None,
    )


def _last_barrier(clocks: Clocks, block: int, number: int) -> Op | None:
    """Return the last barrier that a block passed before the access of this number."""
    at = bisect_left(clocks.barriers, number, key=lambda barrier: barrier[0])
    for _, blocks, op in reversed(clocks.barriers[:at]):
        if block in blocks:
            return op
    return None

"""The loops around the aligned barriers of a program: at which jumps an iteration of one begins.

All threads of a warp must execute an aligned barrier together (PTX ISA 9.0, 9.7.13.1: "conditionally executed only if
it is known that all threads in the warp evaluate the condition identically"). Lanes that meet at one barrier, but in
different iterations of a loop around it, have not done so.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from shflbench.emulator.link.block_barriers import form_of
from shflbench.emulator.link.program import BasicBlock, Program
from shflbench.emulator.opcodes.forms import Branch, Exit

Edge = tuple[int, int]  # from a block to the next, by their numbers
Graph = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class BarrierLoops:
    """Counters of iterations: which of them jumps increase or set to zero, and which concern each barrier."""

    counters: int
    begins: Mapping[Edge, tuple[int, ...]]  # the loops that threads enter
    repeats: Mapping[Edge, tuple[int, ...]]  # the loops that threads go through again
    around: Mapping[int, tuple[int, ...]]  # the loops around each barrier, by its block


def barrier_loops(program: Program) -> BarrierLoops | None:
    """Return the loops around the aligned barriers of `program`; None if there are none."""
    after = {number: tuple(successors(block)) for number, block in program.blocks.items()}
    before = reversed_graph(after)
    loops = _natural_loops(after, before)
    ends = [number for number, block in program.blocks.items() if not after[number] and block.ops and not _traps(block)]
    counters: dict[tuple[int, frozenset[Edge]], int] = {}  # by first block, and the jumps back that count
    around: dict[int, tuple[int, ...]] = {}
    for barrier, block in program.blocks.items():
        headers = [header for header, bodies in loops.items() if any(barrier in body for body in bodies.values())]
        if not headers or not _is_aligned(block):
            continue
        # A jump back from a block that always comes to the barrier belongs to an inner loop, even where both loops
        # begin at the same block. Threads that end at once do not count: those that go on do not wait for them.
        leaving = _reachable(before, ends, without=barrier)
        keys = [
            (
                header,
                frozenset((end, header) for end, body in loops[header].items() if barrier in body or end in leaving),
            )
            for header in headers
        ]
        around[barrier] = tuple(counters.setdefault(key, len(counters)) for key in keys)
    begins: dict[Edge, tuple[int, ...]] = {}
    repeats: dict[Edge, tuple[int, ...]] = {}
    for (header, back), counter in counters.items():
        inside = frozenset().union(*loops[header].values())
        for start in before[header]:
            if start not in inside:
                begins[start, header] = (*begins.get((start, header), ()), counter)
        for edge in back:
            repeats[edge] = (*repeats.get(edge, ()), counter)
    return BarrierLoops(len(counters), begins, repeats, around) if counters else None


def _is_aligned(block: BasicBlock) -> bool:
    form = form_of(block.last) if block.last is not None else None
    return form is not None and form.aligned


def _traps(block: BasicBlock) -> bool:
    return block.last is not None and isinstance(block.last.form, Exit) and block.last.form.trap


def successors(block: BasicBlock) -> Iterator[int]:
    """Yield the blocks to which control can go."""
    last = block.last
    if last is not None and isinstance(last.form, Branch):
        yield last.target
    falls = last is None or not isinstance(last.form, Branch | Exit) or last.guard is not None
    if falls and block.next != block.start:
        yield block.next


def reversed_graph(after: Graph) -> dict[int, tuple[int, ...]]:
    """Return the blocks before each block."""
    before: dict[int, list[int]] = {block: [] for block in after}
    for block, targets in after.items():
        for target in dict.fromkeys(targets):
            before[target].append(block)
    return {block: tuple(starts) for block, starts in before.items()}


def _reachable(graph: Graph, starts: Collection[int], without: int) -> set[int]:
    """Return the blocks that paths from `starts` reach which do not go through `without`."""
    seen: set[int] = set()
    waiting = [block for block in starts if block != without]
    while waiting:
        block = waiting.pop()
        if block not in seen:
            seen.add(block)
            waiting += [other for other in graph[block] if other != without]
    return seen


def _natural_loops(after: Graph, before: Graph) -> dict[int, dict[int, frozenset[int]]]:
    """Return the blocks of each loop, by its first block and by the block that jumps back there."""
    order = reverse_postorder(after)
    place = {block: number for number, block in enumerate(order)}
    dominator = dominators(order, place, before)
    loops: dict[int, dict[int, frozenset[int]]] = {}
    for block in order:
        for target in after[block]:
            if place[target] <= place[block] and dominates(dominator, place, target, block):
                loops.setdefault(target, {})[block] = frozenset(_reachable(before, [block], target) | {target})
    return loops


def reverse_postorder(graph: Graph) -> list[int]:
    """Return the blocks that threads can come to, each before those that follow it, but for jumps back."""
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(graph[0]))]
    while stack:
        block, targets = stack[-1]
        target = next((one for one in targets if one not in seen), None)
        if target is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(graph[target])))
    return order[::-1]


def dominators(order: list[int], place: Mapping[int, int], before: Graph) -> dict[int, int]:
    """Return the immediate dominator of each block (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm)."""
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [one for one in before[block] if one in dominator]
            new = known[0]
            for one in known[1:]:
                new = _common(dominator, place, one, new)
            if dominator.get(block) != new:
                dominator[block], changed = new, True
    return dominator


def _common(dominator: Mapping[int, int], place: Mapping[int, int], one: int, other: int) -> int:
    while one != other:
        if place[one] > place[other]:
            one = dominator[one]
        else:
            other = dominator[other]
    return one


def dominates(dominator: Mapping[int, int], place: Mapping[int, int], one: int, block: int) -> bool:
    """Return whether all paths to a block go through another one, by the immediate dominators."""
    while place[block] > place[one]:
        block = dominator[block]
    return block == one

"""The order in which blocks of code may run, and the branches that decide whether a block runs."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from shflbench.emulator.opcodes.forms import Barrier, Branch, ClusterBarrier, Collective, Exit

if TYPE_CHECKING:
    from shflbench.emulator.link.program import Op, Program


def successors(program: Program) -> dict[int, list[int]]:
    """Return the blocks that may follow each block; the end is -1."""
    edges: dict[int, list[int]] = {}
    for start, block in program.blocks.items():
        last, following = block.last, block.next if block.next != start and block.next in program.blocks else -1
        if last is None or isinstance(last.form, Barrier | ClusterBarrier | Collective):
            edges[start] = [following]
        elif isinstance(last.form, Exit):
            edges[start] = [-1] if last.guard is None else [-1, following]
        elif isinstance(last.form, Branch):
            edges[start] = [last.target] if last.guard is None else [last.target, following]
        else:
            edges[start] = [following]
    return edges


def reversed_edges(edges: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return the blocks that each block may follow."""
    back: dict[int, list[int]] = defaultdict(list)
    for start, ends in edges.items():
        for end in ends:
            back[end].append(start)
    return back


def reach(edges: dict[int, list[int]], start: int) -> set[int]:
    """Return the blocks that can be reached from `start` in one step or more."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        for end in edges.get(waiting.pop(), ()):
            if end not in seen:
                seen.add(end)
                waiting.append(end)
    return seen


def control_dependence(program: Program, edges: dict[int, list[int]]) -> dict[int, list[Op]]:
    """Return the branches that decide whether each block runs.

    A block depends on a branch if it post-dominates one of its successors and not the branch itself (Ferrante,
    Ottenstein, Warren, "The Program Dependence Graph and Its Use in Optimization", 1987).
    """
    numbers = {block: number for number, block in enumerate((*edges, -1))}
    blocks = tuple(numbers)
    after = _post_dominators(edges, numbers)
    decided: dict[int, list[Op]] = defaultdict(list)
    for start, ends in edges.items():
        last = program.blocks[start].last
        if last is None or len(set(ends)) < 2:  # noqa: PLR2004  (a choice)
            continue
        after_ends = reduce(or_, (after[end] for end in ends))
        dependent = after_ends & ~(after[start] & ~(1 << numbers[start])) & ~(1 << numbers[-1])
        while dependent:
            lowest = dependent & -dependent
            decided[blocks[lowest.bit_length() - 1]].append(last)
            dependent ^= lowest
    return decided


def _post_dominators(edges: dict[int, list[int]], numbers: dict[int, int]) -> dict[int, int]:
    """Return the blocks through which all paths from each block to the end go, as bits at their numbers."""
    after = dict.fromkeys(edges, (1 << len(numbers)) - 1)
    after[-1] = 1 << numbers[-1]
    order = sorted(edges, reverse=True)
    changed = True
    while changed:
        changed = False
        for block in order:
            common = reduce(and_, (after[end] for end in edges[block] if end in after)) | 1 << numbers[block]
            if common != after[block]:
                after[block], changed = common, True
    return after

"""The loops around an instruction and inside one another, and the branches that decide how often they iterate."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

Edges: TypeAlias = dict[int, list[int]]  # the blocks that may follow each block


def loop_exits(op: Op, slicer: Slicer) -> list[Op]:
    """Return the conditional branches and exits that leave a loop: the outermost around `op`, or one inside it.

    What else is decided in a loop changes the instructions of an iteration, and not the number of iterations.
    """
    return list({id(last): last for _, exits in exits_by_loop(op, slicer) for last in exits}.values())


def exits_by_loop(op: Op, slicer: Slicer) -> Iterator[tuple[set[int], list[Op]]]:
    """Yield the blocks of each of these loops, with the conditional branches and exits that leave it."""
    for blocks in _nest(op, slicer):
        lasts = (item for block in blocks for item in slicer.ops_in(block)[-1:])
        yield blocks, [last for last in lasts if last.guard is not None and slicer.leaves(last, blocks)]


def loop_heads(op: Op, slicer: Slicer) -> list[Op]:
    """Return the ops of the blocks in which the loops around `op` begin."""
    around = (blocks for blocks in _nest(op, slicer) if slicer.block_of(op) in blocks)
    heads = {head: None for blocks in around for head in _heads(_all_edges(slicer), blocks)}
    return [item for head in heads for item in slicer.ops_in(head)]


def _nest(op: Op, slicer: Slicer) -> Iterator[set[int]]:
    """Yield the blocks of the outermost loop around `op`, and of each loop inside it."""
    return _nested(_all_edges(slicer), slicer.loop_blocks(op)) if slicer.in_loop(op) else iter(())


def _all_edges(slicer: Slicer) -> Edges:
    return {block: slicer.successors(block) for block in slicer.program.blocks}


def _nested(edges: Edges, blocks: set[int]) -> Iterator[set[int]]:
    """Yield a loop, and the loops that remain without the jumps to its heads."""
    waiting = [(edges, blocks)]
    while waiting:
        around, loop = waiting.pop()
        yield loop
        heads = _heads(around, loop)
        inside = {block: [end for end in around[block] if end in loop and end not in heads] for block in loop}
        waiting += [(inside, part) for part in _cycles(inside)]


def _heads(edges: Edges, blocks: set[int]) -> set[int]:
    """Return the blocks of a loop that control enters first; that of the kernel's entry if nothing comes before it."""
    heads = {end for start, ends in edges.items() if start not in blocks for end in ends if end in blocks}
    return heads or {min(blocks)}


def _cycles(edges: Edges) -> Iterator[set[int]]:
    """Yield the strongly connected parts of a graph that have a cycle (Kosaraju's algorithm)."""
    back: Edges = {block: [] for block in edges}
    for start, ends in edges.items():
        for end in ends:
            back[end].append(start)
    taken: set[int] = set()
    for block in reversed(_finished(edges)):
        if block not in taken:
            part = _reached(back, block, taken)
            taken |= part
            if len(part) > 1 or block in edges[block]:
                yield part


def _finished(edges: Edges) -> list[int]:
    """Return the blocks in the order in which a depth-first search finishes them."""
    seen: set[int] = set()
    order: list[int] = []
    for root in edges:
        waiting = [(root, False)]
        while waiting:
            block, is_finished = waiting.pop()
            if is_finished:
                order.append(block)
            elif block not in seen:
                seen.add(block)
                waiting += [(block, True), *((end, False) for end in edges[block])]
    return order


def _reached(edges: Edges, start: int, without: set[int]) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        new = set(edges[waiting.pop()]) - reached - without
        reached |= new
        waiting += new
    return reached

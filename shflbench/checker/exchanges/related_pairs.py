"""Pairs of accesses in the states before and behind a barrier: of one iteration, or of one and the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.state_graph import StateGraph, states_before, states_behind
from shflbench.emulator.dataflow.state_values import StateValues, followed_registers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.dataflow.state_graph import PathState, StateAccess
    from shflbench.emulator.dataflow.thread_values import KnownParameter
    from shflbench.emulator.link.program import Op

MOST_RELATED = 200  # pairs of one barrier that are compared in all states
# Iterations after which buffers are used again, and whether branches are followed as well: the cheapest first.
ATTEMPTS = ((4, False), (4, True), (3, False), (3, True))
Pair = tuple[int, int]  # the ids of two accesses


class RelatedPairs:
    """The states of one program around its barriers, for blocks of one shape."""

    def __init__(self, slicer: Slicer, block: Dims, parameters: Mapping[int, KnownParameter]) -> None:
        """Start without states."""
        self._slicer, self._block, self._parameters = slicer, block, parameters
        self._graphs: dict[tuple[frozenset[int], int, bool], StateGraph] = {}

    def meetings(
        self, start: int, pairs: Collection[tuple[Op, Op]], passes: Callable[[int], bool]
    ) -> Iterator[dict[Pair, list[tuple[StateAccess, StateAccess]]]]:
        """Yield for each attempt which accesses of the pairs a barrier, which is the block `start`, is between.

        None if threads may come to barriers differently, or if there are too many states.
        """
        if len(pairs) > MOST_RELATED:
            return
        ops = {id(op): op for pair in pairs for op in pair}
        for period, by_branches in ATTEMPTS:
            key = frozenset(ops), period, by_branches
            if key not in self._graphs:
                branches = {id(one): one for op in ops.values() for one in self._slicer.all_conditions(op)}
                deciding = (*ops.values(), *(branches.values() if by_branches else ()))
                followed = followed_registers(self._slicer, deciding)
                values = StateValues(self._slicer, self._block, self._parameters, followed)
                self._graphs[key] = StateGraph(self._slicer, values, ops.values(), period)
            graph = self._graphs[key]
            if not graph.control.has_aligned_barriers:
                return
            if graph.is_whole:
                yield _meetings(graph, start, {(id(one), id(other)) for one, other in pairs}, passes)


def _meetings(
    graph: StateGraph, start: int, pairs: Collection[Pair], passes: Callable[[int], bool]
) -> dict[Pair, list[tuple[StateAccess, StateAccess]]]:
    met: dict[Pair, list[tuple[StateAccess, StateAccess]]] = {}
    seen: set[tuple[int, int]] = set()
    for group in graph.at(start):
        before = _accesses(states_before(group, passes))
        behind = _accesses(states_behind(group, passes))
        for one, other in pairs:
            for first in before.get(one, ()):
                for second in behind.get(other, ()):
                    if (id(first), id(second)) not in seen:
                        seen.add((id(first), id(second)))
                        met.setdefault((one, other), []).append((first, second))
    return met


def _accesses(states: Sequence[PathState]) -> dict[int, list[StateAccess]]:
    accesses: dict[int, list[StateAccess]] = {}
    for state in states:
        for access in state.accesses:
            if access.threads.any():
                accesses.setdefault(id(access.op), []).append(access)
    return accesses

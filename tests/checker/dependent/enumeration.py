"""A second reading of the model in docs/explanation/dependent-launches.md, as reachability in a graph of events.

Launches of a chain are lists of steps, each executed by some actors: the first threads of the warps of each block. Each
event is a node; the model's rules are edges. It shares nothing with the checker.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import TypeAlias

BLOCKS, WARPS = 2, 2
Actor: TypeAlias = tuple[int, int]  # block and warp
Node: TypeAlias = tuple[object, ...]
ACTORS = list(product(range(BLOCKS), range(WARPS)))


class Action(Enum):
    """What a step does."""

    READ = "read"
    WRITE = "write"
    WAIT = "wait"
    TRIGGER = "trigger"
    BARRIER = "barrier"  # of the block, by all of its threads
    FENCE = "fence"


@dataclass(frozen=True)
class Step:
    """One step of a launch."""

    action: Action
    actors: tuple[Actor, ...]
    cell: int = 0


Launch: TypeAlias = list[Step]


class Graph:
    """The events of a chain, and which of them are ordered."""

    def __init__(self, chain: list[Launch]) -> None:
        self.chain = chain
        self.after: dict[Node, set[Node]] = {}
        for number in range(len(chain)):
            self._add_launch(number)

    def _order(self, one: Node, other: Node) -> None:
        self.after.setdefault(one, set()).add(other)

    def reaches(self, one: Node, other: Node) -> bool:
        seen, waiting = {one}, [one]
        while waiting:
            for node in self.after.get(waiting.pop(), ()):
                if node == other:
                    return True
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return False

    def _add_launch(self, number: int) -> None:
        steps = self.chain[number]
        for actor in ACTORS:
            last: Node = ("begin", number)
            for place, step in enumerate(steps):
                if step.action is Action.BARRIER:
                    here: Node = ("barrier", number, place, actor[0])
                elif actor in step.actors:
                    here = ("event", number, place, actor)
                else:
                    continue
                self._order(last, here)
                last = here
                if step.action is Action.WAIT and number:
                    self._order(("complete", number - 1), here)
            self._order(last, ("end", number, actor[0]))
        for block in range(BLOCKS):
            self._order(("end", number, block), ("complete", number))
        if number > 1:  # what has completed before a block of the launch before lets this one begin
            for earlier in range(number - 1):
                if any(self._precedes_begin(earlier, number, block) for block in range(BLOCKS)):
                    self._order(("complete", earlier), ("begin", number))

    def triggers(self, number: int, block: int) -> list[Node]:
        """Return the triggers of a block."""
        steps = enumerate(self.chain[number])
        places = [(place, step) for place, step in steps if step.action is Action.TRIGGER]
        return [("event", number, place, actor) for place, step in places for actor in step.actors if actor[0] == block]

    def _precedes_begin(self, earlier: int, number: int, block: int) -> bool:
        ends = self.triggers(number - 1, block) or [("end", number - 1, block)]
        return all(self.reaches(("complete", earlier), node) for node in ends)


def verdict(chain: list[Launch]) -> str:
    """Return what the accesses of the last launch are by the model: `clean`, `doubtful` or `broken`."""
    graph, last = Graph(chain), len(chain) - 1
    worst = "clean"
    for number in range(last):
        for mine, other in product(_accesses(chain, last), _accesses(chain, number)):
            (place, actor, step), (other_place, other_actor, other_step) = mine, other
            writes = {step.action, other_step.action} & {Action.WRITE}
            if step.cell != other_step.cell or not writes:
                continue
            if graph.reaches(("complete", number), ("event", last, place, actor)):
                continue
            triggers = graph.triggers(number, other_actor[0])
            if other_step.action is Action.READ and not triggers:
                continue  # the block has ended before the launch after its own begins
            if number < last - 1:
                return "broken"
            event: Node = ("event", number, other_place, other_actor)
            if not _may_count(graph, number, event, triggers, is_write=other_step.action is Action.WRITE):
                return "broken"
            worst = "doubtful"
    return worst


def _may_count(graph: Graph, number: int, event: Node, triggers: list[Node], *, is_write: bool) -> bool:
    """Whether an access, a write with a fence behind it, comes before each trigger of its block."""
    if not triggers:
        return False
    if not is_write:
        return all(graph.reaches(event, trigger) for trigger in triggers)
    fences: list[Node] = [
        ("event", number, place, actor)
        for place, step in enumerate(graph.chain[number])
        if step.action is Action.FENCE
        for actor in step.actors
    ]
    return all(
        any(graph.reaches(event, fence) and graph.reaches(fence, trigger) for fence in fences) for trigger in triggers
    )


def _accesses(chain: list[Launch], number: int) -> list[tuple[int, Actor, Step]]:
    steps = [item for item in enumerate(chain[number]) if item[1].action in {Action.READ, Action.WRITE}]
    return [(place, actor, step) for place, step in steps for actor in step.actors]

"""The verdict on a litmus test from the written model, by enumeration of all orders of its operations.

The model is docs/explanation/memory-model.md. Relations are sets of pairs, closed by repeated composition; nothing here
is shared with the emulator. An execution is an order of the operations in which a wait comes after what it waits for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from tests.litmus.table import ACCESSES, BLOCK, CLUSTER, GRID, NONE, Litmus

Pair = tuple[int, int]
INCLUDED = {"cta": {BLOCK}, "cluster": {BLOCK, CLUSTER}, "gpu": {BLOCK, CLUSTER, GRID}}  # by scope


@dataclass(frozen=True)
class Step:
    """One operation of a thread."""

    thread: int
    what: str  # access, fence, signal or wait
    kind: str = ""  # of an access: read or write
    order: str = ""  # acquire, release, relaxed, acq_rel; of a weak access empty
    scope: str = ""  # empty: that of the mechanism


def verdict(test: Litmus) -> str:
    """Return `sound`, `doubtful` or `broken`."""
    threads = _program(test)
    found = {_judged(test, order) for order in _interleavings(*threads) if _is_execution(test, order)}
    return "broken" if "broken" in found else "doubtful" if "doubtful" in found else "sound"


def _program(test: Litmus) -> tuple[list[Step], list[Step]]:
    before, after = ACCESSES[test.access]
    (order, scope), (wait_order, wait_scope) = (
        (text.partition(".")[0], text.partition(".")[2]) for text in (test.signal, test.wait)
    )
    if test.mechanism == "atomics":
        return (
            [Step(0, "access", "update", order, scope)],
            [Step(1, "access", "update", wait_order, wait_scope)],
        )
    first, second = [Step(0, "access", before)], [Step(1, "wait", "", wait_order, wait_scope)]
    if test.fence:
        first.append(Step(0, "fence", "", "acq_rel", test.fence))
    first.append(Step(0, "signal", "", order, scope))
    if test.fence_after:
        second.append(Step(1, "fence", "", "acq_rel", test.fence_after))
    second.append(Step(1, "access", after))
    return first, second


def _interleavings(first: list[Step], second: list[Step]) -> Iterator[list[Step]]:
    count = len(first) + len(second)
    for places in combinations(range(count), len(first)):
        one, other = iter(first), iter(second)
        yield [next(one) if place in places else next(other) for place in range(count)]


def _is_execution(test: Litmus, order: list[Step]) -> bool:
    """Whether the wait comes after the signal, if it waits for the signal at all: other blocks and clusters do not."""
    kinds = [step.what for step in order]
    if "wait" not in kinds or not _meets(test):
        return True
    return kinds.index("signal") < kinds.index("wait")


def _meets(test: Litmus) -> bool:
    """Whether the mechanism lets one thread wait for the other at all."""
    if test.mechanism == "block barrier":
        return test.together == BLOCK
    if test.mechanism == "cluster barrier":
        return test.together in {BLOCK, CLUSTER}
    return True


def _judged(test: Litmus, order: list[Step]) -> str:
    accesses = [number for number, step in enumerate(order) if step.what == "access"]
    one, other = accesses
    if _strong_together(test, order[one], order[other]):
        return "sound"
    if (one, other) in closed(_base(order) | _synchronizes(test, order)):
        return "sound"
    in_practice = closed(_base(order) | _synchronizes_in_practice(test, order))
    is_complete = order[one].kind == "read" and (test.used != NONE or _releases(test, order))
    return "doubtful" if is_complete and (one, other) in in_practice else "broken"


def _releases(test: Litmus, order: list[Step]) -> bool:
    """Whether the first thread waits for its loads before its signal, in a scope that includes the other thread."""
    of_first = [step for step in order if step.thread == 0 and step.order in {"release", "acq_rel"}]
    return any(_covers(step, test) for step in of_first if step.scope)


def _strong_together(test: Litmus, one: Step, other: Step) -> bool:
    """Whether two accesses are morally strong: strong, and of scopes that include both threads."""
    return bool(one.order and other.order) and _covers(one, test) and _covers(other, test)


def _covers(step: Step, test: Litmus) -> bool:
    return test.together in INCLUDED[step.scope]


def _base(order: list[Step]) -> set[Pair]:
    """Return the program order."""
    pairs = product(range(len(order)), repeat=2)
    return {(a, b) for a, b in pairs if a < b and order[a].thread == order[b].thread}


def _synchronizes(test: Litmus, order: list[Step]) -> set[Pair]:
    """Return which operations of the first thread synchronize with which of the second one."""
    if "wait" not in (step.what for step in order) or not _meets(test):
        return set()
    at = {(step.thread, step.what): number for number, step in enumerate(order)}
    signal, wait = at[0, "signal"], at[1, "wait"]
    if test.mechanism == "block barrier":
        return {(signal, wait)}
    before, after = at.get((0, "fence")), at.get((1, "fence"))
    if test.mechanism == "cluster barrier":
        # Its scope is the cluster, and its wait always acquires.
        starts = {signal} if order[signal].order == "release" else set()
        starts |= {before} if before is not None and order[before].scope != "cta" else set()
        return {(start, wait) for start in starts}
    if not (_covers(order[signal], test) and _covers(order[wait], test)):
        return set()  # the wait observes the signal by operations that are not morally strong
    starts = {signal} if order[signal].order == "release" else set()
    starts |= {before} if before is not None and _covers(order[before], test) else set()
    ends = {wait} if order[wait].order == "acquire" else set()
    ends |= {after} if after is not None and _covers(order[after], test) else set()
    return set(product(starts, ends))


def _synchronizes_in_practice(test: Litmus, order: list[Step]) -> set[Pair]:
    """Return the same if barriers order memory whatever their orders and scopes are; flags do not."""
    if test.mechanism not in {"cluster barrier", "mbarrier"} or not _meets(test):
        return _synchronizes(test, order)
    kinds = [step.what for step in order]
    return {(kinds.index("signal"), kinds.index("wait"))}


def closed(pairs: set[Pair]) -> set[Pair]:
    """Return the transitive closure."""
    closed = set(pairs)
    while more := {(a, d) for (a, b), (c, d) in product(closed, repeat=2) if b == c} - closed:
        closed |= more
    return closed

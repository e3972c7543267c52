"""The verdict on a litmus test of a bulk copy from the written model, by relations between its steps.

As in `model.py`: an access before a copy needs a path to it on which a proxy fence lies, and one after a copy a path
from an observation of its completion.
"""

from itertools import product

from tests.litmus.bulk_table import FIRST, NONE, SECOND, BulkLitmus
from tests.litmus.model import closed

Step = tuple[str, str]  # thread and what it does


def bulk_verdict(test: BulkLitmus) -> str:
    """Return `sound`, `doubtful` or `broken`."""
    return _access_first(test) if test.by == SECOND else _copy_first(test)


def _order(steps: list[Step], *, barrier: bool) -> set[tuple[int, int]]:
    """Return the pairs of steps of which the first happens before the second one, by program order and the barrier."""
    numbers = range(len(steps))
    pairs = {(a, b) for a, b in product(numbers, repeat=2) if a < b and steps[a][0] == steps[b][0]}
    if barrier:
        pairs.add((steps.index((FIRST, "barrier")), steps.index((SECOND, "barrier"))))
    return closed(pairs)


def _access_first(test: BulkLitmus) -> str:
    steps: list[Step] = []
    steps += [(FIRST, "fence")] if test.early_fence == FIRST else []
    steps += [(FIRST, "access")]
    steps += [(FIRST, "fence")] if test.fence == FIRST else []
    steps += [(FIRST, "barrier")]
    steps += [(SECOND, "fence")] if test.early_fence == SECOND else []
    steps += [(SECOND, "barrier")]
    steps += [(SECOND, "fence")] if test.fence == SECOND else []
    steps += [(SECOND, "copy")]
    order, access, copy = _order(steps, barrier=test.barrier), steps.index((FIRST, "access")), len(steps) - 1
    if (access, copy) not in order:
        return "broken"
    fences = [number for number, step in enumerate(steps) if step[1] == "fence"]
    if any((access, fence) in order and (fence, copy) in order for fence in fences):
        return "sound"
    return "doubtful" if test.access == "read" and test.used else "broken"


def _copy_first(test: BulkLitmus) -> str:
    steps: list[Step] = [(FIRST, "copy")]
    steps += [(FIRST, "observation")] if test.wait.startswith(FIRST) else []
    steps += [(FIRST, "barrier"), (SECOND, "barrier")]
    steps += [(SECOND, "observation")] if test.wait == SECOND else []
    steps += [(SECOND, "access")]
    if test.wait == NONE or (test.wait == "first only source" and test.side == "target"):
        return "broken"
    order = _order(steps, barrier=test.barrier)
    observation = next(number for number, step in enumerate(steps) if step[1] == "observation")
    return "sound" if (observation, len(steps) - 1) in order else "broken"

"""Tests of which faster commands check a sample: `make test`, then `make test-archs`, and `make test-complete` all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest

_Item = TypeVar("_Item")

# The test's argument `every` says whether it checks everything.
all_or_a_sample = pytest.mark.parametrize(
    "every", [pytest.param(False, id="sample"), pytest.param(True, id="every", marks=pytest.mark.complete)]
)


def chosen(items: Sequence[_Item], *, every: bool, one_in: int) -> Sequence[_Item]:
    """Return all items, or the first one of `one_in` in turn."""
    return items if every else items[::one_in]


def in_turn(values: Sequence[object], *, one_in: int) -> list[object]:
    """Return the values of a parameter, of which the sample has the first one of `one_in`."""
    return [
        pytest.param(value, marks=pytest.mark.complete if number % one_in else ())
        for number, value in enumerate(values)
    ]


def leave_cases(items: Iterable[pytest.Item]) -> None:
    """Leave cases of functions with the mark `one_in` to the next slower command, all but the first of N in turn.

    Cases of `make test` get the mark `archs`, those of `make test-archs` the mark `complete`. With `one_in(N, M)`, the
    first of M of the cases that `make test` leaves stays in `make test-archs`.
    """
    numbers: Counter[tuple[str, bool]] = Counter()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is None or item.get_closest_marker("complete"):
            continue
        is_slow = item.get_closest_marker("archs") is not None
        key = item.nodeid.partition("[")[0]
        number = numbers[key, is_slow]
        numbers[key, is_slow] += 1
        first, then = (mark.args[0], 1) if is_slow or len(mark.args) == 1 else mark.args
        if number % first:
            item.add_marker("complete" if is_slow else "archs")
            turn = number - number // first - 1
            if turn % then:
                item.add_marker("complete")

"""Tests that take hours if they check everything: `make test-archs` checks a sample, `make test-complete` all."""

from collections.abc import Sequence
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

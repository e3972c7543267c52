"""The name of an entry in the cache of data: a hash of all that values consist of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from shflbench.cuda.compile.data_cache import DataCache

LAUNCHES = 10_000  # one after the other


@dataclass(frozen=True)
class Launch:
    """A launch whose buffers the launch before wrote."""

    number: int
    buffers: tuple[Launch, ...] = ()


def name(*decisive: object) -> str:
    path = DataCache(Path("cache"), "test", ()).path(*decisive)
    assert path is not None
    return path.name


def chain(first: Launch, length: int = LAUNCHES) -> Launch:
    """Return the last of many launches with two buffers each: 2 to the power of `length` ways lead to the first."""
    launch = first
    for number in range(length):
        launch = Launch(number, (launch, launch))
    return launch


@pytest.mark.archs
def test_a_part_that_many_values_share_is_read_once() -> None:
    assert name(chain(Launch(0))) == name(chain(Launch(0)))
    assert name(chain(Launch(0))) != name(chain(Launch(1)))


def test_the_name_does_not_depend_on_what_is_shared() -> None:
    shared, copies = Launch(1), (Launch(1), Launch(1))
    assert name(Launch(0, (shared, shared))) == name(Launch(0, copies))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        (("a", "bc"), ("ab", "c")),
        ((1, (2, 3)), (1, 2, 3)),
        ({"a": 1}, ("a", 1)),
        (b"a", "a"),
        (np.zeros(4, np.int32), np.zeros(2, np.int64)),
        (np.zeros(4), np.zeros((2, 2))),
    ],
)
def test_values_of_other_types_and_shapes_have_other_names(one: object, other: object) -> None:
    assert name(one) != name(other)


def test_what_is_no_data_has_no_name() -> None:
    assert DataCache(Path("cache"), "test", ()).path((1, [object()])) is None

from collections.abc import Callable

import numpy as np
import pytest

from shflbench.emulator.requests.sectors import local_sectors, sectors

LANES = np.arange(32)
ALL = np.ones((1, 32), np.bool_)


def counted(place: Callable[[int], int], size: int) -> tuple[int, int]:
    taken, least = sectors(np.array([[place(lane) for lane in range(32)]]), ALL, size)
    return int(taken[0]), int(least[0])


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_neighbors_fill_their_sectors_and_a_shift_adds_one(size: int) -> None:
    assert counted(lambda lane: size * lane, size) == (size, size)
    assert counted(lambda lane: size * (lane + 1), size) == (size + 1, size)


def test_strides_waste_sectors_and_equal_addresses_share_one() -> None:
    assert counted(lambda lane: 8 * lane, 4) == (8, 4)
    assert counted(lambda lane: 128 * lane, 4) == (32, 4)
    assert counted(lambda _: 256, 16) == (1, 1)


def test_lanes_that_are_not_active_touch_nothing() -> None:
    taken, least = sectors(np.array([128 * LANES]), LANES[None] < 3, 4)
    assert (taken.tolist(), least.tolist()) == ([3], [1])


def test_the_same_word_of_local_memory_is_contiguous_over_the_lanes() -> None:
    same, own = np.zeros((1, 32), np.int64), 4 * LANES[None]
    assert [int(values[0]) for values in local_sectors(same, ALL, 4)] == [4, 4]
    assert [int(values[0]) for values in local_sectors(same, ALL, 1)] == [4, 4]
    assert [int(values[0]) for values in local_sectors(same, ALL, 16)] == [16, 16]
    assert [int(values[0]) for values in local_sectors(own, ALL, 4)] == [32, 4]

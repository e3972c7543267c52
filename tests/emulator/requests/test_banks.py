"""Passes through the banks of shared memory; benchmarks/wavefronts.md compares the same rule with a GPU."""

from collections.abc import Callable

import numpy as np
import pytest

from shflbench.emulator.requests.banks import passes

LANES = range(32)


def counted(place: Callable[[int], int | None], size: int, *, load: bool = True) -> tuple[int, int]:
    """Return the passes of one request, and those without conflicts; None is a lane that is not active."""
    places = [place(lane) for lane in LANES]
    addresses = np.array([[place or 0 for place in places]])
    active = np.array([[place is not None for place in places]])
    taken, least = passes(addresses, active, size, joined=load)
    return int(taken[0]), int(least[0])


@pytest.mark.parametrize("stride", range(1, 33))
def test_a_stride_of_32_bit_words_takes_as_many_passes_as_words_of_one_bank(stride: int) -> None:
    words = {lane * stride for lane in LANES}
    expected = max(sum(word % 32 == bank for word in words) for bank in LANES)
    assert counted(lambda lane: 4 * stride * lane, 4) == (expected, 1)


@pytest.mark.parametrize(("size", "expected"), [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)])
def test_a_full_warp_of_distinct_neighbors_takes_a_pass_per_128_bytes(size: int, expected: int) -> None:
    assert counted(lambda lane: size * lane, size) == (expected, expected)
    assert counted(lambda lane: size * lane, size, load=False) == (expected, expected)


@pytest.mark.parametrize(("size", "expected"), [(4, 1), (8, 1), (16, 2)])
def test_a_uniform_load_returns_two_parts_together(size: int, expected: int) -> None:
    assert counted(lambda _: 0, size) == (expected, expected)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_a_uniform_store_takes_as_many_passes_as_distinct_addresses(size: int) -> None:
    assert counted(lambda _: 0, size, load=False) == (size // 4, size // 4)


@pytest.mark.parametrize(("bit", "expected"), [(1, (1, 2)), (2, (1, 2)), (4, (2, 4)), (8, (2, 4)), (16, (2, 4))])
def test_lanes_with_equal_addresses_join_two_parts_if_they_are_neighbors(bit: int, expected: tuple[int, int]) -> None:
    def element(lane: int) -> int:
        return lane // (2 * bit) * bit + lane % bit

    assert counted(lambda lane: 8 * element(lane), 8)[0] == expected[0]
    assert counted(lambda lane: 16 * element(lane), 16)[0] == expected[1]


def test_equal_addresses_in_one_half_of_the_warp_join_nothing() -> None:
    assert counted(lambda lane: 0 if lane < 16 else 16 * lane, 16) == (4, 4)
    assert counted(lambda lane: 16 * lane if lane < 16 else 0, 16) == (4, 4)
    assert counted(lambda lane: 0 if lane < 16 else 8 * lane, 8) == (2, 2)


@pytest.mark.parametrize(("lanes", "expected"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 3), (32, 4)])
def test_parts_without_active_lanes_take_no_pass(lanes: int, expected: int) -> None:
    assert counted(lambda lane: 16 * lane if lane < lanes else None, 16) == (expected, expected)


def test_lanes_without_an_active_partner_join_two_parts() -> None:
    assert counted(lambda lane: 4 * lane if lane % 2 == 0 else None, 8) == (1, 1)
    assert counted(lambda lane: 4 * lane if lane % 2 == 0 else None, 8, load=False) == (2, 2)


def test_conflicts_are_counted_within_each_part() -> None:
    assert counted(lambda lane: 128 * lane, 16) == (32, 4)
    assert counted(lambda lane: 128 * (lane // 2), 16) == (16, 2)  # joined: 8 addresses in the same banks


def test_requests_are_independent_of_each_other() -> None:
    uniform, rows = np.zeros(32, np.int64), 128 * np.arange(32)
    active = np.ones((3, 32), np.bool_)
    active[2, 1:] = False
    taken, least = passes(np.array([uniform, rows, rows]), active, 4, joined=True)
    assert (taken.tolist(), least.tolist()) == ([1, 32, 1], [1, 1, 1])

from fractions import Fraction

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

ONLINE = load(builtin()["max-and-sum"])


def workload() -> Workload:
    return cases.workload(ONLINE)


def pair_of(state: int) -> tuple[int, Fraction]:
    """Return the maximum and the sum of a lane: three bits decide on each bit of the maximum, one on the sum."""
    chosen = state & state >> 3 & state >> 7
    return 4 + (chosen >> 21) % 4, 1 + Fraction((state >> 19) % 2, 2)


def pair_of_warp(states: list[int]) -> tuple[int, Fraction]:
    pairs = [pair_of(state % 2**32) for state in states]
    largest = max(maximum for maximum, _ in pairs)
    return largest, sum((total / 2 ** (largest - maximum) for maximum, total in pairs), Fraction(0))


def seen_by_lanes(pair: tuple[int, Fraction]) -> int:
    """Return what the pair of a warp adds to the state of each lane."""
    return (bits(pair[1]) >> 13) + bits(pair[0])


def bits(number: int | Fraction) -> int:
    return int(np.float32(float(number)).view(np.uint32))


@pytest.mark.parametrize("iterations", [0, 1, 2, 9])
def test_reference_is_the_recurrence_lane_by_lane(iterations: int) -> None:
    (states,) = workload().inputs(0)
    warps = [[int(state) % 2**32 for state in warp] for warp in states.tolist()]
    for _ in range(iterations):
        pairs = [pair_of_warp(warp) for warp in warps]
        warps = [
            [(state * 0x9E3779B1 + seen_by_lanes(pair)) % 2**32 for state in warp]
            for warp, pair in zip(warps, pairs, strict=True)
        ]
    assert after(workload(), iterations, states).view(np.uint32).tolist() == warps


def test_every_sum_is_exact_in_f16_whatever_the_order() -> None:
    """Sums are multiples of 1/16 of at most 48: f16 has 11 digits."""
    assert Fraction(WARP) * Fraction(3, 2) * 16 < 2**11
    data = workload()
    for index in range(INPUT_SETS):
        for iteration in range(4):
            for warp in after(data, iteration, *data.inputs(index)).tolist():
                assert (pair_of_warp(warp)[1] * 16).denominator == 1


def test_the_largest_maximum_and_the_lane_that_has_it_change() -> None:
    data = workload()
    (states,) = data.inputs(0)
    seen, deciding = set(), set()
    for iteration in range(100):
        warp = after(data, iteration, states)[0].tolist()
        maxima = [pair_of(state % 2**32)[0] for state in warp]
        seen.add(max(maxima))
        if maxima.count(max(maxima)) == 1:
            deciding.add(maxima.index(max(maxima)))
    assert {6, 7} <= seen
    assert len(deciding) > WARP // 2


@pytest.mark.parametrize("missed", [0, 31])
def test_a_lane_that_is_left_out_in_any_iteration_is_visible_at_the_end(missed: int) -> None:
    def leave_out(before: Array, states: Array) -> None:
        """Let the pair of the last warp miss one lane."""
        warp = before[-1].tolist()
        by = seen_by_lanes(pair_of_warp(warp[:missed] + warp[missed + 1 :])) - seen_by_lanes(pair_of_warp(warp))
        states[-1] = (states[-1].astype(np.int64) + by).astype(np.uint32).view(np.int32)

    assert hidden(workload(), leave_out, range(INPUT_SETS)) == []


def test_a_maximum_that_one_lane_has_wrong_in_any_iteration_is_visible_at_the_end() -> None:
    def confuse(_: Array, states: Array) -> None:
        states.view(np.uint32)[-1, 5] += np.uint32(1 << 21)  # 5 in place of 4

    assert hidden(workload(), confuse) == []


def test_lanes_stay_different_over_many_iterations() -> None:
    data = workload()
    assert all(len(set(warp)) == WARP for warp in after(data, 4096, *data.inputs(0)).tolist())


def test_a_redux_replaces_the_first_of_two_butterflies() -> None:
    counts = [
        ONLINE.declaration.variant(name).expected_counts(DTYPES["f32"], {}) for name in ("two-reductions", "redux")
    ]
    assert counts == [{"SHFL": 10}, {"SHFL": 5, "REDUX": 1}]


@pytest.mark.parametrize(("variant", "waits"), [("redux-smem8-shfl", True), ("rescale-smem8-shfl", False)])
def test_a_sum_that_is_rescaled_does_not_wait_for_its_maximum(variant: str, *, waits: bool) -> None:
    """A lane stores its part of the sum after or before it has the bits of the maximum, all but the sign inverted."""
    kernel = kernels.compiled(f"max-and-sum/{variant}/f32")
    assert kernel.sass is not None
    assert kernel.loop is not None
    loop = [item for item in kernel.sass if kernel.loop.start <= item.address <= kernel.loop.end]
    stored = next(index for index, item in enumerate(loop) if item.base == "STS")
    known = next(index for index, item in enumerate(loop) if item.base == "LOP3" and "0x7fffffff" in item.operands)
    assert (stored > known) == waits


def test_a_maximum_far_from_the_one_before_needs_a_second_sum() -> None:
    counts = [
        ONLINE.declaration.variant(name).expected_counts(DTYPES["f32"], {})
        for name in ("redux-smem8-shfl", "rescale-smem8-shfl")
    ]
    assert counts == [{"STS": 1, "LDS": 2, "SHFL": 3, "REDUX": 1}, {"STS": 2, "LDS": 4, "SHFL": 6, "REDUX": 1}]

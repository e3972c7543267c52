from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

TOP_K = load(builtin()["top-k"])
CHOICES = [pytest.param(options, id="-".join(options.values())) for options in TOP_K.declaration.option_choices]
Options = Mapping[str, str]
Wrong = Callable[[int, list[int]], list[int]]


def workload(options: Options) -> Workload:
    return cases.workload(TOP_K, "i32", launch="1x64", options=options)


def signed(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def changed(x: int, got: int, number: int) -> int:
    """Return element `number` of a selection, from the one before and what its lane got there."""
    got %= 2**32
    product = (x ^ (got << 16 | got >> 16)) * 0x9E3779B1 % 2**32
    return signed(product // 1024 * 1024 + number)


def nothing_wrong(_iteration: int, largest: list[int]) -> list[int]:
    return largest


def selected(values: Array, options: Options, iterations: int, wrong: Wrong = nothing_wrong) -> list[Array]:
    """Return what the lanes get at the end, and the elements, in Python's whole numbers.

    `wrong` changes what the lanes of the last warp get in an iteration.
    """
    k, warps = int(options["k"]), values.reshape(-1, int(options["elements"])).tolist()
    all_largest, all_elements = [], []
    for warp, first in enumerate(warps):
        elements, largest = first, [0] * WARP
        for iteration in range(iterations):
            elements = [changed(x, largest[number % WARP], number) for number, x in enumerate(elements)]
            descending = sorted(elements, reverse=True)
            largest = [descending[lane % k] for lane in range(WARP)]
            if warp == len(warps) - 1:
                largest = wrong(iteration, largest)
        all_largest.append(largest)
        all_elements.append(elements)
    return [np.array(all_largest, np.int32), np.array(all_elements, np.int32)]


@pytest.mark.parametrize("options", CHOICES)
@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_reference_agrees_with_a_loop_over_the_elements(options: Options, iterations: int) -> None:
    (values,) = workload(options).inputs(0)
    got = TOP_K.reference([values], workload(options).setting, iterations)
    assert [part.tolist() for part in got] == [part.tolist() for part in selected(values, options, iterations)]


@pytest.mark.parametrize("bit", [0, 9, 15, 16, 31])
def test_a_wrong_bit_of_what_a_lane_gets_in_any_iteration_is_visible_at_the_end(bit: int) -> None:
    options = TOP_K.declaration.option_choices[0]
    (values,) = workload(options).inputs(0)
    for iterations in workload(options).verify_iterations:
        right = selected(values, options, iterations)
        for wrong_iteration in range(iterations):

            def wrong(iteration: int, largest: list[int], at: int = wrong_iteration) -> list[int]:
                return [*largest[:-2], signed(largest[-2] ^ 1 << bit), largest[-1]] if iteration == at else largest

            assert mismatch(selected(values, options, iterations, wrong), right, 0.0), (iterations, wrong_iteration)


@pytest.mark.parametrize("options", CHOICES)
def test_no_two_elements_that_a_warp_selects_from_are_equal(options: Options) -> None:
    for index in range(workload(options).input_sets):
        _, elements = workload(options).expected(index, 1)
        warps = elements.reshape(-1, int(options["elements"])).tolist()
        assert [len(set(warp)) for warp in warps] == [int(options["elements"])] * len(warps)


@pytest.mark.archs
def test_the_merge_sort_of_cub_merges_in_shared_memory_and_gives_the_largest_to_all_lanes_by_shuffles() -> None:
    kernel = kernels.compiled("top-k/cub/i32/elements=256/k=8")
    assert kernel.loop is not None
    assert kernel.loop.counts["SHFL"] == 8
    assert {"STS", "LDS"} <= kernel.loop.counts.keys()


@pytest.mark.archs
def test_shuffles_loads_and_ballots_grow_with_the_elements() -> None:
    def counts(variant: str, elements: str, k: str) -> Mapping[str, int]:
        kernel = kernels.compiled(f"top-k/{variant}/i32/elements={elements}/k={k}")
        assert kernel.loop is not None
        return kernel.loop.counts

    assert [counts("bitonic", *sizes)["SHFL"] for sizes in (("32", "8"), ("256", "8"), ("256", "32"))] == [14, 77, 155]
    assert [counts("radix", *sizes)["VOTE"] for sizes in (("32", "8"), ("256", "8"), ("1024", "8"))] == [2, 16, 64]
    assert [counts("merge", *sizes)["LDS"] for sizes in (("32", "8"), ("256", "8"), ("256", "32"))] == [17, 73, 85]

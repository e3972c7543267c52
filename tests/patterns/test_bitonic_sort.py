from itertools import product

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

SORT = load(builtin()["bitonic-sort"])
DTYPE_NAMES = SORT.declaration.dtypes
FRACTION_BITS = {"f32": 23, "f64": 52}


def workload(dtype: str, payload: str = "value") -> Workload:
    return cases.workload(SORT, dtype, options={"payload": payload})


def sorted_pairs(keys: Array, values: Array, iterations: int, payload: str = "value") -> tuple[Array, Array]:
    """Return the result of the pattern's reference."""
    keys, values = cases.code_of(SORT)["reference"](keys, values, iterations=iterations, payload=payload)
    return keys, values


def scramble(key: int, lane: int, dtype: str) -> int:
    """Return the scrambled bits of a lane's key, in Python's whole numbers."""
    bits = FRACTION_BITS.get(dtype, 8 * DTYPES[dtype].size)
    mixed = key * 0x9E3779B97F4A7C15 % (1 << bits) // WARP * WARP + lane
    return mixed + {"f32": 0x3F800000, "f64": 0x3FF0000000000000}.get(dtype, 0)


def network(keys: Array, values: Array) -> tuple[list[list[int]], list[list[int]]]:
    """Return one warp sorted like in the kernels: the 15 steps of the deck, all lanes at once."""
    key, value = keys.tolist(), values.tolist()
    for size in (2, 4, 8, 16, 32):
        distance = size // 2
        while distance:
            swaps = [
                (key[lane] < key[lane ^ distance]) == (bool(lane & distance) != bool(lane & size % WARP))
                for lane in range(WARP)
            ]
            key = [key[lane ^ distance] if swap else key[lane] for lane, swap in enumerate(swaps)]
            value = [value[lane ^ distance] if swap else value[lane] for lane, swap in enumerate(swaps)]
            distance //= 2
    return key, value


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("iterations", [0, 1, 2, 9])
def test_reference_scrambles_and_sorts_warp_by_warp(dtype: str, iterations: int) -> None:
    keys, values = workload(dtype).inputs(0)
    unsigned = f"u{DTYPES[dtype].size}"
    expected = []
    for warp, carried in zip(keys, values, strict=True):
        lanes, with_them = warp, carried.tolist()
        for _ in range(iterations):
            numbers = [scramble(bits, lane, dtype) for lane, bits in enumerate(lanes.view(unsigned).tolist())]
            pairs = sorted(zip(np.array(numbers, unsigned).view(keys.dtype).tolist(), with_them, strict=True))
            lanes, with_them = np.array([key for key, _ in pairs], keys.dtype), [value for _, value in pairs]
        expected.append((lanes.tolist(), with_them))
    got = [array.tolist() for array in sorted_pairs(keys, values, iterations)]
    assert list(zip(*got, strict=True)) == expected


def test_network_of_the_deck_sorts_distinct_keys_in_15_steps() -> None:
    for index in range(INPUT_SETS):
        keys, values = workload("i32").inputs(index)
        for warp, carried in zip(cases.code_of(SORT)["scramble"](keys), values, strict=True):
            order = np.argsort(warp)
            assert network(warp, carried) == (warp[order].tolist(), carried[order].tolist())


def test_comparison_of_the_deck_loses_a_value_if_two_keys_are_equal() -> None:
    keys = np.zeros(WARP, np.int32)
    _, values = network(keys, np.arange(WARP))
    assert len(set(values)) < WARP


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_no_two_keys_of_a_warp_become_equal(dtype: str) -> None:
    keys, values = workload(dtype).inputs(0)
    for _ in range(200):
        keys, values = sorted_pairs(keys, values, 1)
        assert all(len(set(warp)) == WARP for warp in keys.tolist())


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_every_iteration_sorts_keys_in_another_order(dtype: str) -> None:
    keys, values = workload(dtype).inputs(0)
    for _ in range(50):
        before = values
        keys, values = sorted_pairs(keys, values, 1)
        assert ((before != values).sum(axis=1) > WARP // 2).all()


def test_without_a_payload_values_stay_and_keys_are_sorted() -> None:
    keys, values = workload("i32").inputs(0)
    alone = sorted_pairs(keys, values, 9, "none")
    assert alone[0].tolist() == sorted_pairs(keys, values, 9)[0].tolist()
    assert alone[1].tolist() == values.tolist()


@pytest.mark.parametrize(
    ("mistake", "payload"),
    [*product(["a key twice", "two keys exchanged"], SORT.declaration.options["payload"]), ("a value twice", "value")],
)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_mistake_in_any_iteration_is_visible_at_the_end(dtype: str, mistake: str, payload: str) -> None:
    data = workload(dtype, payload)
    for iterations in data.verify_iterations:
        for iteration in range(1, iterations + 1):
            keys, values = data.inputs(0)
            keys, values = sorted_pairs(keys, values, iteration, payload)
            wrong = (values if mistake == "a value twice" else keys)[-1]
            wrong[5:7] = wrong[6], wrong[5 if mistake == "two keys exchanged" else 6]
            got = sorted_pairs(keys, values, iterations - iteration, payload)
            assert mismatch(got, data.expected(0, iterations), 0.0), (iterations, iteration)


def test_keys_of_complemented_runs_are_moved_by_products_and_not_selected_by_the_units_that_compare() -> None:
    kernel = kernels.compiled("bitonic-sort/shfl-complement/i32/payload=none")
    assert kernel.loop
    body = [item for item in kernel.sass or () if kernel.loop.start <= item.address <= kernel.loop.end]
    assert sum(item.base == "IMAD" and bool(item.predicate) for item in body) == 15 * kernel.loop.unroll
    assert not [item for item in body if item.base == "SEL"]

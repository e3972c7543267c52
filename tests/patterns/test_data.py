import numpy as np
import pytest

from shflbench.core.model import DTYPES, Dtype
from shflbench.cuda.backends.base import Array
from shflbench.patterns.data import distinct

THREADS = 4 * 132 * 1024  # the largest launch of `launch-sweep` on an H200
# Numbers in a row that all differ: as many as a type has room for, between 1 and 2 where it is a float.
DIFFERENT = {"f16": 2**10, "bf16": 2**7, "f16x2": 2**10, "bf16x2": 2**7, "i8": 2**8, "i16": 2**16}

each_dtype = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
floats = [dtype for dtype in DTYPES.values() if dtype.floating]
integers = [dtype for dtype in DTYPES.values() if not dtype.floating]


def drawn(dtype: Dtype, seed: int = 1, count: int = THREADS) -> Array:
    return distinct(np.random.default_rng(seed), dtype, count)


def bits_of(values: Array) -> Array:
    """Return the bits of each number as an integer."""
    return values.reshape(-1).view(f"u{values.dtype.itemsize}")


@each_dtype
def test_every_thread_of_a_grid_gets_a_different_value(dtype: Dtype) -> None:
    values = drawn(dtype)
    assert values.dtype == dtype.numpy
    assert values.shape == ((THREADS, dtype.components) if dtype.components > 1 else (THREADS,))
    row = DIFFERENT.get(dtype.name, THREADS * dtype.components)
    numbers = bits_of(values)
    assert len(numbers) >= row
    for start in {0, (len(numbers) - row) // 3, len(numbers) - row}:
        ordered = np.sort(numbers[start : start + row])
        assert np.all(ordered[1:] != ordered[:-1])


@each_dtype
def test_lanes_of_a_warp_differ_from_one_another_and_from_the_next_warp(dtype: Dtype) -> None:
    numbers = bits_of(drawn(dtype, count=64 * 32)).reshape(64, -1)
    assert all(len(set(warp)) == len(warp) for warp in numbers.tolist())
    assert (numbers[1:] != numbers[:-1]).mean() > 0.98


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES.values() if dtype.words > 1], ids=lambda dtype: dtype.name)
def test_each_word_of_a_long_value_differs_between_neighbors(dtype: Dtype) -> None:
    words = drawn(dtype).view(np.uint32).reshape(THREADS, dtype.words)
    assert (words[1:] != words[:-1]).mean(axis=0).min() > 0.999


@pytest.mark.parametrize("dtype", floats, ids=lambda dtype: dtype.name)
def test_floats_are_finite_and_between_one_and_two(dtype: Dtype) -> None:
    values = drawn(dtype).astype(np.float64)
    assert values.min() >= 1.0
    assert values.max() < 2.0


@pytest.mark.parametrize("dtype", integers, ids=lambda dtype: dtype.name)
def test_integers_use_every_bit(dtype: Dtype) -> None:
    bits = np.unpackbits(drawn(dtype).view(np.uint8).reshape(THREADS, dtype.size), axis=1)
    assert np.all(np.abs(bits.mean(axis=0) - 0.5) < 0.01)


@each_dtype
def test_equal_seeds_give_equal_data_and_other_seeds_do_not(dtype: Dtype) -> None:
    assert drawn(dtype, count=64).tolist() == drawn(dtype, count=64).tolist()
    assert drawn(dtype, count=64).tolist() != drawn(dtype, seed=2, count=64).tolist()


def test_names_sizes_and_words_of_the_dtypes() -> None:
    assert {name: (dtype.size, dtype.words) for name, dtype in DTYPES.items()} == {
        "f16": (2, 1),
        "bf16": (2, 1),
        "f16x2": (4, 1),
        "bf16x2": (4, 1),
        "f32": (4, 1),
        "f64": (8, 2),
        "i8": (1, 1),
        "i16": (2, 1),
        "i32": (4, 1),
        "i64": (8, 2),
        "f32x2": (8, 2),
        "f32x4": (16, 4),
    }
    for dtype in DTYPES.values():
        assert dtype.components * np.dtype(dtype.numpy).itemsize == dtype.size

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.model import DTYPES
from shflbench.patterns.data import distinct

if TYPE_CHECKING:
    from shflbench.backends.base import Array
    from shflbench.model import Dtype

THREADS = 4 * 132 * 1024  # the largest launch of `launch-sweep` on an H200

each_dtype = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)


def drawn(dtype: Dtype, seed: int = 1, count: int = THREADS) -> Array:
    return distinct(np.random.default_rng(seed), dtype, count)


@each_dtype
def test_every_thread_of_a_grid_gets_another_value(dtype: Dtype) -> None:
    values = drawn(dtype)
    assert values.dtype == dtype.numpy
    assert len(np.unique(values.view(f"u{dtype.size}"))) == THREADS


@each_dtype
def test_each_half_of_a_64_bit_value_differs_between_neighbours(dtype: Dtype) -> None:
    words = drawn(dtype).view(np.uint32).reshape(THREADS, dtype.words)
    assert (words[1:] != words[:-1]).mean(axis=0).min() > 0.999


@pytest.mark.parametrize("dtype", [DTYPES["f32"], DTYPES["f64"]], ids=["f32", "f64"])
def test_floats_are_finite_and_between_one_and_two(dtype: Dtype) -> None:
    values = drawn(dtype).astype(np.float64)
    assert values.min() >= 1.0
    assert values.max() < 2.0


@pytest.mark.parametrize("dtype", [DTYPES["i32"], DTYPES["i64"]], ids=["i32", "i64"])
def test_integers_use_every_bit(dtype: Dtype) -> None:
    bits = np.unpackbits(drawn(dtype).view(np.uint8).reshape(THREADS, dtype.size), axis=1)
    assert np.all(np.abs(bits.mean(axis=0) - 0.5) < 0.01)


@each_dtype
def test_seed_decides(dtype: Dtype) -> None:
    assert drawn(dtype, count=64).tolist() == drawn(dtype, count=64).tolist()
    assert drawn(dtype, count=64).tolist() != drawn(dtype, seed=2, count=64).tolist()

"""Draw input data that reveals every mistake: each lane has a different value, in all bits of the element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import ml_dtypes  # noqa: F401  (makes `bfloat16` known to NumPy)
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shflbench.core.model import Dtype

# The number of bits that differ, and the exponent bits of a float from 1 to 2, by NumPy's name of the type.
_FRACTION = {
    "float16": (10, 0x3C00),
    "bfloat16": (7, 0x3F80),
    "float32": (23, 0x3F800000),
    "float64": (52, 0x3FF0000000000000),
}

# Magnitudes of floats that `varied` draws, as powers of two: products of three are finite in half precision, and so are
# `exp` of a single number and sums of thousands in any other type.
LEAST_POWER, MOST_POWER = -8.0, 3.3
# Likewise integers, by bytes: sums of thousands fit the type. Unsigned ones use all bits, because they may wrap.
MOST_SIGNED_POWER = {4: 20, 8: 40}
VARIED_PERIOD = 262_139  # a prime, after which they repeat: larger data takes seconds

FEWEST_WITH_SPECIAL = 16  # floats: all results may depend on each of a few, and would be NaN
ZERO_PERIOD = 61  # a prime, so that zeros meet each column of a matrix
FIELDS = 4  # of a structure such as float4

CHUNK = 2**16  # numbers at a time: half a megabyte fits the cache


def distinct(rng: np.random.Generator, dtype: Dtype, count: int) -> NDArray[np.generic]:
    """Return `count` elements in random order: integers of all bits, floats from 1 to 2.

    Of 2^b numbers in a row no two are equal, where b is the number of bits that may differ in the type.
    Shape [count], or [count, components] for a vector type.
    """
    bits, one = _FRACTION.get(dtype.numpy, (8 * dtype.size, 0))
    values = np.empty(dtype.components * count, f"u{dtype.size // dtype.components}")
    mix = _mixer(rng, bits)
    for start in range(0, values.size, CHUNK):
        part = values[start : start + CHUNK]
        part[:] = np.bitwise_or(mix(start, part.size), one)
    elements = values.view(dtype.numpy)
    return elements.reshape(count, dtype.components) if dtype.components > 1 else elements


def varied(  # noqa: PLR0913  (what may differ, by name)
    rng: np.random.Generator,
    dtype: str,
    count: int,
    *,
    most: int | None = None,
    positive: bool = False,
    ascending: bool = False,
) -> NDArray[np.generic]:
    """Return `count` numbers of NumPy's type `dtype`, whose magnitudes are spread evenly over powers of two.

    Floats have fractions and go from 2^-8 to 10, integers from 1 to `most`; both signs unless they are `positive`. None
    is 0. Sums of floats depend on the precision, and agree within it in any order.
    """
    number, period = np.dtype(dtype), min(count, VARIED_PERIOD)
    is_integer = np.issubdtype(number, np.integer)
    least, end = LEAST_POWER, MOST_POWER
    if is_integer:
        least, end = 0.0, math.log2(most or _most_varied(number))
    magnitudes = np.exp2(rng.uniform(least, end, period))
    if is_integer:
        magnitudes = np.floor(magnitudes)
    values = magnitudes if positive else magnitudes * rng.choice((-1.0, 1.0), period)
    repeated = np.resize(values.astype(number), count)
    return np.sort(repeated) if ascending else repeated


def _most_varied(number: np.dtype[np.integer]) -> int:
    most = int(np.iinfo(number).max)
    return most if number.kind == "u" else min(most, 1 << MOST_SIGNED_POWER.get(number.itemsize, 20))


def with_special(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return floats of which a few are NaN and infinities, far apart, so that few results depend on several of them.

    Each stands in all fields of a small structure, and NaN also behind the infinities, which hide it in a maximum.
    """
    special = values.copy()
    flat, count = special.reshape(-1), values.size
    fields = FIELDS if count >= FEWEST_WITH_SPECIAL * FIELDS else 1
    for place, value in ((count // 3, np.nan), (count // 2, np.inf), (count * 5 // 6, -np.inf)):
        flat[place : place + fields] = value
    flat[-1:] = np.nan
    return special


def with_nan(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return floats of which a single one is NaN: infinities of both signs hide one that a sum leaves out."""
    special = values.copy()
    special.reshape(-1)[values.size // 3] = np.nan
    return special


def with_zeros(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return numbers of which one in ZERO_PERIOD is zero: a kernel may leave out what it would multiply by zero."""
    zeros = values.copy()
    zeros.reshape(-1)[::ZERO_PERIOD] = 0
    return zeros


def _mixer(rng: np.random.Generator, bits: int) -> Callable[[int, int], NDArray[np.unsignedinteger]]:
    """Return a function of a first index and a count that returns numbers below 2^bits, by index.

    2^bits numbers in a row are distinct, because each step is a bijection modulo 2^bits: a multiplication by an odd
    number, and an xor with the upper half (the finalizer of MurmurHash3, for any width).
    """
    word = np.uint32 if bits <= 32 else np.uint64  # noqa: PLR2004  (half the bytes, half the time)
    mask, half = word(2**bits - 1), word(bits // 2 + bits % 2)
    begin = rng.integers(2**31)
    factors = (2 * rng.integers(2**62, size=3) + 1).astype(word)  # odd

    def mix(start: int, count: int) -> NDArray[np.unsignedinteger]:
        indices = np.arange(begin + start, begin + start + count, dtype=np.int64)
        numbers: NDArray[np.unsignedinteger] = indices.astype(word)
        for factor in factors:
            numbers *= factor
            numbers &= mask
            numbers ^= numbers >> half
        return numbers

    return mix

"""Input data that shows every mistake: another value in each lane, in all bits of the element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.model import Dtype

# Odd, so that multiplying by it modulo a power of two maps different numbers to different numbers
# (2^64 divided by the golden ratio; Knuth, The Art of Computer Programming, volume 3, section 6.4).
_SPREAD = 0x9E3779B97F4A7C15

# Mantissa bits and the exponent bits of a value from 1 to 2, by the size of the element.
_FRACTION = {4: (23, 0x3F800000), 8: (52, 0x3FF0000000000000)}


def distinct(rng: np.random.Generator, dtype: Dtype, count: int) -> NDArray[np.generic]:
    """Return `count` elements, all different, in random order: integers of all bits, floats from 1 to 2."""
    unsigned = f"u{dtype.size}"
    numbers = rng.permutation(count).astype(np.uint64) * np.uint64(_SPREAD)
    if dtype.numpy.startswith("int"):
        return numbers.astype(unsigned).view(dtype.numpy)  # the low bits of the product
    bits, one = _FRACTION[dtype.size]
    return ((numbers & np.uint64(2**bits - 1)) | np.uint64(one)).astype(unsigned).view(dtype.numpy)

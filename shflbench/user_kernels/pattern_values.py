"""Element types, numbers and sizes of a comparison as a pattern has them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shflbench.core.model import DTYPES
from shflbench.patterns.stored import BySize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker import CandidateBuffer, CandidateNumber
    from shflbench.patterns.stored import Number
    from shflbench.user_kernels.comparison import KernelComparison, Size

Value = TypeVar("Value")

# Of the element types of arguments, those that a pattern has under another name: bits are compared, and not values.
DTYPE_OF = {"u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "bool": "i8"}


def buffer_dtype(buffer: CandidateBuffer) -> str:
    """Return the element type of a buffer as patterns name it."""
    dtype = DTYPE_OF.get(buffer.element, buffer.element)
    return dtype if buffer.size % DTYPES[dtype].size == 0 else "i8"


def element_count(comparison: KernelComparison, buffer: CandidateBuffer) -> BySize[int]:
    """Return the number of elements of a buffer."""
    unit = DTYPES[buffer_dtype(buffer)].size
    return at_size(
        {
            size: item.size // unit
            for size, launch in comparison.sizes.items()
            for item in launch.buffers
            if item.name == buffer.name
        }
    )


def at_size(values: Mapping[Size, Value]) -> BySize[Value]:
    """Return values as a function of a setting: one of them, or by the option of the sizes if they depend on it."""
    if len(set(map(repr, values.values()))) == 1:
        return BySize({"": next(iter(values.values()))})
    sizes = {size: value for size, value in values.items() if size is not None}
    return BySize({size[1]: value for size, value in sizes.items()}, next(iter(sizes))[0])


def number_value(number: CandidateNumber) -> tuple[float, str]:
    """Return the value of a number and its dtype as a pattern specifies them."""
    dtype = DTYPE_OF.get(number.element, number.element)
    size = DTYPES[dtype].size
    if dtype == "bf16":
        return float(np.frombuffer(b"\0\0" + number.data[:size], "<f4")[0]), dtype
    value = np.frombuffer(number.data[:size], DTYPES[dtype].numpy)[0]
    return value.item(), dtype


def stored_number(number: CandidateNumber) -> Number:
    """Return the value of a number, or its text if it is infinite or NaN."""
    value, _ = number_value(number)
    return value if isfinite(value) else str(value)

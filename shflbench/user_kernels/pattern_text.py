"""Parts of a declaration as Python: element types, and numbers that depend on the size of the data."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import DTYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker import CandidateBuffer, CandidateNumber
    from shflbench.user_kernels.comparison import KernelComparison, Size

# Of the element types of arguments, those that a pattern has under another name: bits are compared, and not values.
DTYPE_OF = {"u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "bool": "i8"}


def buffer_dtype(buffer: CandidateBuffer) -> str:
    """Return the element type of a buffer as patterns name it."""
    dtype = DTYPE_OF.get(buffer.element, buffer.element)
    return dtype if buffer.size % DTYPES[dtype].size == 0 else "i8"


def element_count(comparison: KernelComparison, buffer: CandidateBuffer) -> str:
    """Return the number of elements of a buffer, by the size, as Python."""
    unit = DTYPES[buffer_dtype(buffer)].size
    return at_size(
        {
            size: item.size // unit
            for size, launch in comparison.sizes.items()
            for item in launch.buffers
            if item.name == buffer.name
        }
    )


def at_size(values: Mapping[Size, object]) -> str:
    """Return numbers as Python: themselves, or by the option of the sizes if they depend on them."""
    if len(set(map(repr, values.values()))) == 1:
        return _python(next(iter(values.values())))
    option = next(size[0] for size in values if size is not None)
    known = ", ".join(f"{size[1]!r}: {_python(value)}" for size, value in values.items() if size is not None)
    return f"{{{known}}}[at.options[{option!r}]]"


def _python(value: object) -> str:
    """Return a number as Python, which has no word for infinity and NaN."""
    return f"float({str(value)!r})" if isinstance(value, float) and not isfinite(value) else repr(value)


def contents_key(name: str, size: Size) -> str:
    """Return the name of the contents of a buffer in `inputs.npz`."""
    return name if size is None else f"{name}-{size[1]}"


def number_value(number: CandidateNumber) -> tuple[float, str]:
    """Return the value of a number and its dtype as a pattern states them."""
    dtype = DTYPE_OF.get(number.element, number.element)
    size = DTYPES[dtype].size
    if dtype == "bf16":
        return float(np.frombuffer(b"\0\0" + number.data[:size], "<f4")[0]), dtype
    value = np.frombuffer(number.data[:size], DTYPES[dtype].numpy)[0]
    return value.item(), dtype

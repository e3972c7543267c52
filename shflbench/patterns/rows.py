"""Rows of elements for `row-norm` and `softmax`: their number, the options, and the variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import WARP, Mechanism
from shflbench.patterns.declare import Setting, Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "BLOCKS",
    "DTYPES",
    "NOTES",
    "OPTIONS",
    "distinct_rows",
    "elements",
    "length",
    "repeat_rows",
    "repeated",
    "row_count",
    "row_variants",
    "rows_at_once",
]

DTYPES = ("f32", "bf16")
BLOCKS = (128, 256, 512, 1024)
OPTIONS = {
    "length": ("1024", "64", "128", "256", "512", "4096", "16384"),
    "load": ("vector", "scalar"),
}

NOTES = (
    "The matrix has as many rows as the launch has warps, or more if rows are so short that a part of a warp is "
    "enough for one: each lane of `shfl-warp` and `smem-warp` loads at least 64 bytes, of up to four rows, before it "
    "reduces the first. These two differ in the reduction only. In the other variants a block takes the same rows, "
    "one after another, as persistent kernels do; threads beyond the end of a short row wait. Elements are in f32 in "
    "registers; rows are read by streaming loads (`ld.global.cs`), so that they do not evict from L1 what is read "
    "again. A thread keeps up to 128 elements, 64 in blocks of 512 threads and 32 in blocks of 1,024: a block keeps "
    "every row, a warp rows of up to 4,096, 2,048 and 1,024 elements. `shfl-warp` and `smem-warp` read a longer row "
    "again for each pass over it, from L1 or L2 where it is still there; no variant uses local memory. With "
    "`load=scalar` a thread loads one element at a time, and neighboring threads load neighboring elements."
)

_ACCESS_BYTES = 16  # of the widest load
_BYTES_AT_ONCE = 64  # that a thread loads before it reduces, as in rows.cuh
_DISTINCT = 2**21  # elements in rows that differ; later rows repeat them, because more take NumPy seconds


def length(at: Setting) -> int:
    """Return the elements of a row."""
    return at.whole("length")


def row_count(at: Setting) -> int:
    """Return the rows of a launch: as many as its warps work on if the lanes of a row have 16 bytes or more each."""
    return at.threads // _lanes(at) * rows_at_once(at)


def _lanes(at: Setting) -> int:
    """Return the lanes of a warp that share a row, as in rows.cuh."""
    return min(WARP, length(at) * at.dtype.size // _ACCESS_BYTES)


def rows_at_once(at: Setting) -> int:
    """Return the rows that the lanes of a warp load before they reduce the first, as in rows.cuh."""
    return max(1, _BYTES_AT_ONCE * _lanes(at) // (length(at) * at.dtype.size))


def _slots(at: Setting) -> int:
    """Return the shared memory of `smem-warp`, in bytes per block: an f32 per thread and row that it loads at once."""
    return at.block * rows_at_once(at) * np.dtype(np.float32).itemsize


def elements(at: Setting) -> int:
    """Return the elements of all rows."""
    return row_count(at) * length(at)


def distinct_rows(at: Setting) -> int:
    """Return after how many rows the rows repeat: an odd number, so that no power of two is a multiple of it."""
    return min(row_count(at), _DISTINCT // length(at) + 1)


def repeat_rows(rows: NDArray[np.generic], at: Setting) -> NDArray[np.generic]:
    """Return all rows of a launch, which repeat the given ones; shape [rows, length]."""
    return np.resize(rows, (row_count(at), length(at)))


def repeated(
    x: NDArray[np.generic], at: Setting, function: Callable[[NDArray[np.generic]], NDArray[np.generic]]
) -> NDArray[np.generic]:
    """Return `function` of all rows of x, which works row by row and is called once for rows that repeat."""
    rows, period = x.reshape(-1, length(at)), distinct_rows(at)
    bits = rows.view(f"u{rows.itemsize}")  # which NumPy compares faster than bf16
    if np.array_equal(bits[period:], bits[:-period]):
        return repeat_rows(function(rows[:period]), at)
    return function(rows)


def row_variants(reduced: str) -> tuple[Variant, ...]:
    """Return the variants; `reduced` says what is combined, e.g. `the sums`."""
    return (
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary=f"a block per row; {reduced} by a tree in shared memory with `__syncthreads()` after each level",
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                f"a block per row; {reduced} by a tree in shared memory, its last six levels in one warp through "
                "`volatile` accesses without barriers; relies on lockstep execution of the warp"
            ),
        ),
        Variant(
            name="shfl-block",
            mechanism=Mechanism.SHFL,
            summary=f"a block per row; {reduced} by shuffles, with one slot in shared memory per warp and one barrier",
        ),
        Variant(
            name="shfl-warp",
            mechanism=Mechanism.SHFL,
            summary=f"a warp per row, or a part of a warp per short row; {reduced} by shuffles alone",
        ),
        Variant(
            name="smem-warp",
            mechanism=Mechanism.SMEM,
            summary=(
                f"a warp per row, or a part of a warp per short row, as in `shfl-warp`; {reduced} by a tree in the "
                "warp's own part of shared memory with `__syncwarp()` in each level"
            ),
            shared=_slots,
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary=f"a block per row; {reduced} by `cub::BlockReduce`; shared memory broadcasts them from thread 0",
            only={"load": ("vector",)},  # its header takes seconds to compile
            source="cub.cu",
        ),
    )

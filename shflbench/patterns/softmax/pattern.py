"""Each row of a matrix becomes its softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.patterns.declare import Input, Output, Pattern, Setting
from shflbench.patterns.rows import (
    BLOCKS,
    DTYPES,
    NOTES,
    OPTIONS,
    distinct_rows,
    elements,
    length,
    repeat_rows,
    repeated,
    row_variants,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

PATTERN = Pattern(
    summary="Each row becomes the exponentials of its elements, divided by their sum (softmax).",
    source="our own, after kernels of machine-learning frameworks",
    notes=(
        f"{NOTES} The exponentials of a row in registers take the place of its elements; those of another row are "
        "calculated twice. They are `ex2.approx.ftz` of the product with log2(e)."
    ),
    dtypes=DTYPES,
    options=OPTIONS,
    one_pass=True,
    static_block=True,
    blocks=BLOCKS,
    representative={"launch": "16384x256"},
    buffers=(Input("x", elements=elements), Output("y", elements=elements)),
    bytes_moved=lambda at: 2 * elements(at) * at.dtype.size,
    variants=row_variants("the largest element and the sum"),
)

# Of the inputs. Elements of one row that count differ by at most 1, so that each of them counts.
LOWEST, HIGHEST = 9, 15  # largest elements of rows: minus 1, they have as many bits as bf16 in steps of 1/16
STEPS = {"f32": 1024, "bf16": 16}  # from the largest element down by 1: all have few enough bits for the type
COUNTED = 24  # elements of a row that count, in bf16
NEGLIGIBLE = 64  # how much smaller the others are: e^-64 = 2^-92
DOMINANT, DOMINATED = 120, -40  # e^120 overflows, e^-160 is zero in f32

UNIT = 2.0**-24  # the relative error of one operation in f32, at most


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw rows in which each element that is lost or counted twice changes the result by more than the tolerance.

    In even rows, many elements matter equally: all of them in f32; 24 in bf16, among them the first and the last, and
    others in each row, because of more than that a single one would be lost in rounding. In odd rows, one element is so
    large that the exponentials of the others are zero, and that without the largest element its own is infinite.
    """
    count, columns, name = distinct_rows(at), length(at), at.dtype.name
    rows = (
        rng.integers(LOWEST, HIGHEST + 1, (count, 1)) - rng.integers(0, STEPS[name] + 1, (count, columns)) / STEPS[name]
    )
    order = rng.permutation(np.arange(1, columns - 1))
    if name == "bf16":
        counted = np.resize(order, (count, COUNTED))  # a permutation, so that the rows count different elements
        counted[:, :2] = 0, columns - 1
        is_counted = np.zeros(rows.shape, bool)
        np.put_along_axis(is_counted, counted, values=True, axis=1)
        rows = np.where(is_counted, rows, np.floor(rows) - NEGLIGIBLE)
    rows[1::2] = DOMINATED - rng.integers(0, 8, rows[1::2].shape)
    odd = np.arange(1, count, 2)
    rows[odd, np.resize([0, columns - 1, *order], odd.size)] = DOMINANT
    return repeat_rows(rows.astype(at.dtype.numpy), at)


def reference(x: NDArray[np.generic], at: Setting, **_: str) -> NDArray[np.generic]:
    """Return the softmax in double precision, rounded to f32 and to the element type."""

    def softmax(rows: NDArray[np.generic]) -> NDArray[np.generic]:
        wide = rows.astype(np.float64)
        wide -= wide.max(axis=1, keepdims=True)
        np.exp(wide, out=wide)
        wide /= wide.sum(axis=1, keepdims=True)
        return wide.astype(np.float32).astype(rows.dtype)

    return repeated(x, at, softmax)


def tolerance(at: Setting, iterations: int) -> float:  # noqa: ARG001
    """Return the largest rounding error of one element.

    In units of 2^-24, relative: the exponent of an element that counts is at most 1, its product with log2(e) has an
    error of 1 from the constant and 1 from rounding, which changes the exponential by 2; `ex2.approx` adds 4 (PTX ISA:
    2^-22). The sum has these 6, and 1 for each addition in the longest chain: length / 128 in a lane, 3 between
    the chains of a lane, 10 between 1,024 threads. The reciprocal and the last product add 1 each, the reference 1. In
    f32, the largest element of a row is at most e / length, because none that counts is smaller than 1 / e. In bf16 it
    is at most e / 24 < 2^-3, and all these errors together can at most change the last of its 8 bits: 2^-11. The rows
    with one dominant element are exact: 1 and 0.
    """
    if at.dtype.name == "bf16":
        return 2.0**-11
    columns = length(at)
    return (6 + 6 + columns / 128 + 13 + 3) * UNIT * np.e / columns

"""Values for numbers that nobody gave, by the name of the parameter and the launch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.checker.inputs.shapes import LaunchShape

# By the last word that a name consists of: `numRows` and `num_rows` are `rows`.
_ROWS = {"height", "rows", "row", "ny", "h", "y", "dimy", "sizey"}
_DEPTH = {"depth", "planes", "nz", "z", "dimz", "sizez"}
_FEW = {
    "iterations",
    "iteration",
    "iters",
    "iter",
    "niter",
    "steps",
    "passes",
    "repeat",
    "repeats",
    "repetitions",
    "loops",
    "rounds",
}
_NONE = {"offset", "start", "begin", "first", "base", "shift", "lo", "low", "pos", "id", "rank", "flag", "mode"}
_ONE = {"step", "seed", "log", "logn", "order", "radius", "device", "scale", "factor"}
_FOUR = {"channels", "channel"}  # also where vectors of four elements lie in a row
_SIZES = {
    "n", "m", "nx", "size", "sz", "count", "length", "len", "width", "w", "cols", "columns", "elements", "elems",
    "total", "items", "points", "limit", "max", "num", "dim", "dimx", "sizex",
}  # fmt: skip
_PITCHES = {"pitch", "stride", "ld", "lda", "ldb", "ldc", "ldd"}
ITERATIONS = 3
SHORTER = 8  # sizes are shortened by about an eighth: 256 becomes 223

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class SynthesizedNumber:
    """A value for a number that nobody gave; `varied` says that it is not the value of the first seed."""

    value: int | float
    varied: bool = False


def is_size(name: str) -> bool:
    """Whether the name of a parameter says that it is the size of something."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and bool({words[-1], "".join(words[-2:])} & (_SIZES | _ROWS | _DEPTH))


def is_size_of_row(name: str) -> bool:
    """Whether the name of a parameter says how far apart rows are."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and words[-1] in _PITCHES


def power_of_two(value: int) -> int:
    """Return the largest power of two that is at most `value`, which is positive."""
    return 1 << (value.bit_length() - 1) if value > 0 else 1


def synthesized_number(  # noqa: PLR0913  (what decides on the number)
    name: str, kind: str, size: int, shape: LaunchShape, *, vary: bool = False, least: int = 0, is_exact: bool = False
) -> SynthesizedNumber:
    """Return a value for the number `name`: mostly the threads of the launch along x, because sizes are most frequent.

    `kind` is `f` for floating-point numbers, `b` for truth values, else an integer of `size` bytes. With `vary`, sizes
    are no multiple of a warp and leave the last threads without work, and other numbers are one larger. A number of at
    least `least` is a size, whatever its name is, and `is_exact` says that more shows nothing else.
    """
    if kind == "f":
        return SynthesizedNumber(1.0)
    if kind == "b":
        return SynthesizedNumber(1)
    words = [word.lower() for word in _WORDS.findall(name)]
    last = {words[-1], "".join(words[-2:])} if words else set()
    several_rows, several_planes = shape.extent(1) > 1, shape.extent(2) > 1
    most = (1 << (8 * size - 1)) - 1
    for known, value in ((_FEW, ITERATIONS), (_NONE, 0), (_ONE, 1), (_FOUR, 4)):
        if last & known and not least:
            return SynthesizedNumber(min(value + vary, most), varied=vary)
    extent = shape.extent(0)
    if last & _ROWS and several_rows:
        extent = shape.extent(1)
    elif last & _DEPTH and several_planes:
        extent = shape.extent(2)
    elif "n" in last and several_rows and len(words) == 1:
        extent = max(shape.extent(0), shape.extent(1))
    extent = least if least and is_exact else max(extent, least)
    less = extent - (extent // SHORTER + 1) if vary else extent
    return SynthesizedNumber(min(max(less, 1), most), varied=less < extent)

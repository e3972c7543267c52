"""Compare outputs of a kernel with those of the reference: by their bits, or within a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shflbench.cuda.backends.base import Array

    Mask = NDArray[np.bool_]

CHUNK = 2**16  # numbers at a time: their copies in double precision fit the cache


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far outputs agree with the reference."""

    mismatch: str = ""  # the first difference, in words; empty if there is none
    by_median: int = 0  # elements whose error only the median magnitude allows
    other_zeros: int = 0  # zeros with another sign than that of the reference


def mismatch(
    got: Sequence[Array],
    expected: Sequence[Array],
    tolerance: float,
    unordered: Sequence[bool] = (),
    relative: Sequence[float] = (),
) -> str:
    """Return the first difference in words; empty if there is none. See `agreement` for the arguments."""
    return agreement(got, expected, tolerance, unordered, relative).mismatch


def agreement(  # noqa: PLR0913, PLR0917  (the rules, and the names for the sentence)
    got: Sequence[Array],
    expected: Sequence[Array],
    tolerance: float,
    unordered: Sequence[bool] = (),
    relative: Sequence[float] = (),
    names: Sequence[str] = (),
) -> Agreement:
    """Return how outputs agree with those that are `expected`.

    Without a tolerance, the bits must agree. With a tolerance, the absolute error of each floating-point number must
    not exceed it; with a `relative` one of the output, not this share of the reference's magnitude or, where that is
    smaller, of the median magnitude of the numbers of the output that are not 0, because sums that nearly cancel have
    larger errors. The median, and not the mean, because one large number would hide the errors of all others. Where
    the reference is infinite or NaN, the number must be the same infinity, or NaN. Equal bits always agree. In an
    output that is `unordered`, each row (the last axis of the reference) may have any order. `names` are those of the
    outputs.
    """
    by_median = other_zeros = 0
    for number, (actual, reference) in enumerate(zip(got, expected, strict=True)):
        rows, wanted = actual.reshape(reference.shape), reference
        if number < len(unordered) and unordered[number]:
            rows, wanted = np.sort(rows, axis=-1), np.sort(wanted, axis=-1)
        flat, wanted = rows.reshape(-1), wanted.reshape(-1)
        wrong = _differs(flat, wanted, tolerance)
        share = relative[number] if relative else 0.0
        if share and not np.issubdtype(wanted.dtype, np.integer) and wrong.any():
            near, zeros = _accept_within(flat, wanted, share, wrong)
            by_median, other_zeros = by_median + near, other_zeros + zeros
        if wrong.any():
            element = int(np.argmax(wrong))
            count = int(np.count_nonzero(wrong))
            what = f"element {element} is {flat[element]}, not {wanted[element]} ({count} of {wrong.size} are wrong)"
            name = f"`{names[number]}`" if names else f"output {number + 1}"
            return Agreement(what if len(expected) == 1 else f"in {name}, {what}")
    return Agreement("", by_median, other_zeros)


def _differs(actual: Array, reference: Array, tolerance: float) -> Mask:
    if not tolerance or np.issubdtype(reference.dtype, np.integer):
        unsigned = f"u{reference.dtype.itemsize}"
        return np.asarray(actual.view(unsigned) != np.ascontiguousarray(reference).view(unsigned))
    wrong = np.empty(actual.shape, bool)
    for start in range(0, actual.size, CHUNK):
        part = slice(start, start + CHUNK)
        mine, wanted = actual[part].astype(np.float64), reference[part].astype(np.float64)
        with np.errstate(invalid="ignore"):  # the difference of two infinities
            is_near = np.abs(mine - wanted) <= tolerance  # not `> tolerance`, which accepts NaN
        wrong[part] = ~(is_near | _are_same(mine, wanted))
    return wrong


def _are_same(actual: Array, reference: Array) -> Mask:
    """Return where two arrays have the same number, or both NaN."""
    return np.asarray((actual == reference) | (np.isnan(actual) & np.isnan(reference)))


def _accept_within(actual: Array, reference: Array, relative: float, wrong: Mask) -> tuple[int, int]:
    """Clear the elements of `wrong` whose error is allowed.

    Return how many of them only the median magnitude allows, and how many are zeros of the other sign.
    """
    places = np.nonzero(wrong)[0]
    mine, wanted = actual[places].astype(np.float64), reference[places].astype(np.float64)
    same = _are_same(mine, wanted)
    with np.errstate(invalid="ignore"):
        error = np.where(np.isfinite(wanted), np.abs(mine - wanted), np.inf)
    allowed = np.where(np.isfinite(wanted), relative * np.abs(wanted), 0.0)
    by_itself = same | (error <= allowed)
    by_median = ~by_itself & (error <= relative * _median_magnitude(reference)) if not by_itself.all() else ~by_itself
    wrong[places[by_itself | by_median]] = False
    return int(np.count_nonzero(by_median)), int(np.count_nonzero(same & (mine == 0)))


def _median_magnitude(reference: Array) -> float:
    """Return the median magnitude of the numbers that are finite and not 0; 0 if there are none."""
    magnitude = np.abs(reference.astype(np.float64))
    counted = magnitude[np.isfinite(magnitude) & (magnitude > 0)]
    return float(np.median(counted)) if counted.size else 0.0

"""Other contents of inputs, within the range of those that the user gives.

A kernel that is right for random numbers may be wrong for equal, ordered or extreme ones. No number is smaller than
the smallest, or larger than the largest of the given ones, so that indices stay indices. Integers that ascend, such as
offsets, stay as they are, and those that differ from one another, such as a permutation, are only permuted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Draw: TypeAlias = Callable[[Array, np.random.Generator], "Array | None"]  # None: these contents do not fit

FEWEST = 3  # elements of which an order says something
NEAR_ZERO = 0.1  # of the largest number: a range that begins below it is taken to begin at 0


def _one_changed(given: Array, random: np.random.Generator) -> Array | None:
    """Return the same but for one element: a few elements do not tell inputs apart."""
    others = np.unique(given)
    place = random.integers(given.size)
    others = others[others != given[place]]
    if not others.size:
        return None
    contents = given.copy()
    contents[place] = random.choice(others[[0, -1]])
    return contents


def _permuted(given: Array, random: np.random.Generator) -> Array | None:
    return np.asarray(random.permutation(given))


def _zeros(given: Array, _: np.random.Generator) -> Array | None:
    return np.zeros_like(given) if _has(given, 0) else None


def _equal(given: Array, _: np.random.Generator) -> Array | None:
    return np.full_like(given, 1 if _has(given, 1) else given.max())


def _ascending(given: Array, _: np.random.Generator) -> Array | None:
    return np.sort(given)


def _descending(given: Array, _: np.random.Generator) -> Array | None:
    return np.ascontiguousarray(np.sort(given)[::-1])


def _extremes(given: Array, random: np.random.Generator) -> Array | None:
    ends: Array = np.array([given.min(), given.max()], given.dtype)
    return ends[random.integers(0, 2, given.size)]


def _clustered(given: Array, random: np.random.Generator) -> Array | None:
    """Return runs of equal elements: neighbors are the same, as in sorted or skewed data."""
    few = random.choice(given, max(1, given.size // 16))
    return few[np.sort(random.integers(0, few.size, given.size))]


def _denormal(given: Array, random: np.random.Generator) -> Array | None:
    if given.dtype.kind != "f" or not _has(given, 0):
        return None
    tiny = np.finfo(given.dtype).smallest_subnormal
    return np.asarray(tiny * random.integers(0, 100, given.size), given.dtype)


def _last_only(given: Array, _: np.random.Generator) -> Array | None:
    if not _has(given, 0):
        return None
    contents = np.zeros_like(given)
    contents[-1:] = given.max()
    return contents


CONTENTS: Mapping[str, Draw] = {
    "one element changed": _one_changed,
    "another element changed": _one_changed,
    "permuted": _permuted,
    "zeros": _zeros,
    "equal": _equal,
    "ascending": _ascending,
    "descending": _descending,
    "smallest and largest": _extremes,
    "clustered": _clustered,
    "denormal": _denormal,
    "zeros but for the last": _last_only,
}
# Those for which other lanes may communicate, and more of them; for all others, only results are compared.
CHECKED = frozenset({"zeros", "equal", "smallest and largest", "clustered"})
# Contents that results are only defined for where the reference says so.
SPECIAL: Mapping[str, tuple[float, ...]] = {"infinities": (np.inf, -np.inf), "NaN": (np.nan,)}


def drawn(name: str, given: Array, random: np.random.Generator) -> Array | None:
    """Return other contents of an input in the order of memory; None where these do not fit it."""
    flat = given.ravel(order="K")
    if not flat.size or flat.dtype.kind not in "iufb":
        return None
    if name in SPECIAL:
        return _with_special(flat, SPECIAL[name], random)
    if flat.dtype.kind in "iu" and flat.size >= FEWEST:
        if (flat[1:] >= flat[:-1]).all() and flat[0] != flat[-1]:
            return None
        if name != "permuted" and _is_permutation(flat):
            return None
    return CONTENTS[name](flat, random)


def _is_permutation(given: Array) -> bool:
    """Whether integers are consecutive numbers in some order."""
    count = np.unique(given).size
    return count == given.size == int(given.max()) - int(given.min()) + 1


def _with_special(given: Array, values: tuple[float, ...], random: np.random.Generator) -> Array | None:
    if given.dtype.kind != "f":
        return None
    contents = given.copy()
    contents[random.integers(0, given.size, max(1, given.size // 50))] = random.choice(values)
    return contents


def _has(given: Array, value: float) -> bool:
    """Whether a value lies within the given ones; random fractions from 0 to 1 hardly ever contain 0, which counts."""
    least, most = float(given.min()), float(given.max())
    is_fraction = given.dtype.kind == "f" and 0 <= least < NEAR_ZERO * most
    return (0 if is_fraction else least) <= value <= most

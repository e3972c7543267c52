"""Compare the results of counted launches: what they left in their buffers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.cuda.backends.base import POISON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.cuda.backends.base import Array, KernelCall
    from shflbench.emulator import EmulatedLaunch

MOST_ELEMENTS = 1 << 20  # of a buffer that are kept, so that many large launches of a file fit in memory
RELATIVE = 1e-3  # differences of floating-point results that another order of additions causes
OF_MEDIAN = 1e-4  # likewise of results near zero, as a share of the median result


class ResultRelation(StrEnum):
    """Whether two launches are known to compute the same."""

    EQUAL = "equal"  # all results
    EQUAL_WHERE_COUNTED = "equal where counted"  # of the blocks that were counted, what both wrote
    UNKNOWN = "not compared"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenElements:
    """The elements of a buffer that a launch changed, in ascending order of their places."""

    places: NDArray[np.int64]
    values: Array
    is_whole: bool  # whether none was left out

    @classmethod
    def of(cls, before: Array | tuple[int, str], after: Array) -> WrittenElements:
        """Return the elements of a buffer that differ from those before, or from arbitrary ones of a size."""
        bits = after.reshape(-1).view(np.uint8).reshape(after.size, -1)
        old = POISON if isinstance(before, tuple) else before.reshape(-1).view(np.uint8).reshape(after.size, -1)
        places = np.flatnonzero((bits != old).any(axis=1))
        kept = places[:MOST_ELEMENTS]
        return cls(kept, after.reshape(-1)[kept], len(kept) == len(places))


@dataclass(frozen=True, slots=True, eq=False)
class LaunchResults:
    """The inputs and the results of a launch, or of the blocks of it that were counted, by the names of buffers."""

    inputs: Mapping[str, bytes]  # hashes
    outputs: Mapping[str, WrittenElements]

    @classmethod
    def of(
        cls, call: KernelCall, inputs: Sequence[Array], launch: EmulatedLaunch, outputs: Sequence[Array]
    ) -> LaunchResults:
        """Return what a launch of a call found in its inputs and left in its outputs."""
        read = {item.name: _digest(array) for item, array in zip(call.inputs, inputs, strict=True)}
        names = [item.name for item in call.written if not item.variable]
        old = (item for item in launch.outputs if isinstance(item, (tuple, np.ndarray)))
        triples = zip(names, old, outputs, strict=False)
        return cls(read, {name: WrittenElements.of(before, after) for name, before, after in triples})


@dataclass(frozen=True, slots=True)
class ComparedBlocks:
    """Which blocks of two launches were counted."""

    are_all: bool  # of both launches
    are_same: bool  # blocks of the same numbers, in grids and blocks of the same shapes
    add_up: bool  # whether blocks change what other blocks leave, by atomics


def relation_of(
    one: LaunchResults, other: LaunchResults, names: Mapping[str, str], blocks: ComparedBlocks
) -> ResultRelation:
    """Return whether two launches left the same; `names` gives the name in `one` of each buffer of `other`."""
    if any(one.inputs.get(names.get(name, "")) != digest for name, digest in other.inputs.items()):
        return ResultRelation.UNKNOWN
    if blocks.add_up and not (blocks.are_all or blocks.are_same):
        return ResultRelation.UNKNOWN
    shared = dict(_pairs(one, other, names))
    compared = [_are_equal(*pair, all_places=blocks.are_all) for pair in shared.values()]
    known = [item for item in compared if item is not None]
    if not all(known):
        return ResultRelation.UNKNOWN if blocks.add_up and not blocks.are_all else ResultRelation.DIFFERENT
    if not known or None in compared:
        return ResultRelation.UNKNOWN
    is_whole = all(item.is_whole for pair in shared.values() for item in pair)
    return ResultRelation.EQUAL if blocks.are_all and is_whole else ResultRelation.EQUAL_WHERE_COUNTED


def _pairs(
    one: LaunchResults, other: LaunchResults, names: Mapping[str, str]
) -> Iterator[tuple[str, tuple[WrittenElements, WrittenElements]]]:
    for name, theirs in other.outputs.items():
        mine = one.outputs.get(names.get(name, ""))
        if mine is not None:
            yield name, (mine, theirs)


def _are_equal(mine: WrittenElements, theirs: WrittenElements, *, all_places: bool) -> bool | None:
    """Return whether both changed a buffer alike; None if they changed no common element.

    Of launches that were counted in part, the elements that both changed are compared.
    """
    if all_places and mine.is_whole and theirs.is_whole and not np.array_equal(mine.places, theirs.places):
        return False
    _, first, second = np.intersect1d(mine.places, theirs.places, assume_unique=True, return_indices=True)
    if not first.size:
        return None
    return _are_close(mine.values[first], theirs.values[second])


def _are_close(one: Array, other: Array) -> bool:
    if one.dtype != other.dtype:
        return False
    if not np.issubdtype(one.dtype, np.inexact):
        return bool((one == other).all())
    values = one[np.isfinite(one)]
    median = float(np.median(np.abs(values))) if values.size else 0.0
    return bool(np.allclose(other, one, rtol=RELATIVE, atol=OF_MEDIAN * median, equal_nan=True))


def _digest(array: Array) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=16).digest()

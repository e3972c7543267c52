"""Seeded contents of buffers: numbers that are small, exact in every type, and different from lane to lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.checker.inputs.compared_constants import ContentThresholds
    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.inputs.grammar import BufferValue

SHARE = 0.5  # of the elements that are near a limit
DIFFERENT = 1024  # permutations in one buffer, which then repeat
PART = 1 << 16  # elements that are made at once: their 64-bit numbers then stay in the cache of a processor
LONGEST = 6  # elements of a range, where ranges are longer than the average of one
SMALL = 8  # sums of thousands of such integers are exact in f32; products of two fit any type


def random_values(element: Element, count: int, most: int, name: str, seed: int) -> NDArray[np.uint8]:
    """Return the bytes of `count` random elements: integers from 0 to `most` - 1, floats from -8 to 8 in whole numbers.

    Names give buffers different contents under one seed.
    """
    random = np.random.default_rng((seed, crc32(name.encode())))
    first, end = 0, 2
    if element.kind == "f":
        first, end = -SMALL, SMALL + 1
    elif element.kind != "b":
        end = min(max(most, 1), int(np.iinfo(element.numpy).max) + 1)
    result = np.empty(count * element.size, np.uint8)
    for start in range(0, count, PART):  # of the same numbers as all at once
        numbers = random.integers(first, end, min(PART, count - start))
        encoded = element.encode(numbers.astype("f8") if element.kind == "f" else numbers)
        result[start * element.size :][: encoded.size] = encoded
    return result


def sorted_offsets(element: Element, count: int, most: int, name: str, seed: int) -> NDArray[np.uint8]:
    """Return the bytes of `count` integers from 0 to `most` - 1 that never decrease and begin with 0.

    As where each row of a sparse matrix begins: ranges from one to the next do not overlap.
    """
    offsets = np.sort(random_values(element, count, most, name, seed).view(element.numpy))
    offsets[:1] = 0
    return offsets.view(np.uint8)


def long_ranges(element: Element, count: int, most: int, name: str, seed: int) -> NDArray[np.uint8]:
    """Return the bytes of `count` offsets below `most` of ranges with several elements; what remains is empty ranges.

    As for a block per range, whose loop over an average of one element often ends before its second iteration.
    """
    random = np.random.default_rng((seed, crc32(name.encode())))
    lengths = random.integers(0, LONGEST + 1, max(count - 1, 0))
    lengths[:1] = LONGEST
    offsets = np.concatenate([np.zeros(1, "i8"), np.cumsum(lengths)])[:count]
    last = max(min(most - 1, int(np.iinfo(element.numpy).max)), 0)
    return element.encode(np.minimum(offsets, last))


def range_limits(  # noqa: PLR0913, PLR0917  (what the contents depend on)
    element: Element, count: int, most: int, name: str, seed: int, first: int
) -> NDArray[np.uint8]:
    """Return where each of `count` ranges begins, or with `first` 1 where it ends: they follow one another, and repeat.

    They have an element each, on average. `name` is that of the buffer with the begins, for both.
    """
    period = max(min(count, most), 1)
    limits = sorted_offsets(element, period + 1, most, name, seed).view(element.numpy)
    return np.resize(limits[first:][:period], count).view(np.uint8)


def ascending(contents: NDArray[np.uint8], element: Element) -> NDArray[np.uint8]:
    """Return contents with their elements in ascending order; those whose type NumPy does not know as they are."""
    if element.kind not in "iuf" or element.name == "bf16":
        return contents
    whole = contents.size // element.size * element.size
    numbers = np.sort(contents[:whole].view(element.numpy), kind="stable")
    return np.concatenate([numbers.view(np.uint8), contents[whole:]])


def is_ascending(contents: NDArray[np.uint8], element: Element) -> bool:
    """Whether elements that are not all equal are in ascending order; False for types that NumPy does not know."""
    if element.kind not in "iuf" or element.name == "bf16":
        return False
    numbers = contents[: contents.size // element.size * element.size].view(element.numpy)
    return bool(numbers.size and numbers[0] < numbers[-1] and (numbers[1:] >= numbers[:-1]).all())


def permutations(element: Element, count: int, most: int, name: str, seed: int) -> NDArray[np.uint8]:
    """Return the bytes of `count` integers that are permutations of the numbers below `most`, or below `count`."""
    random = np.random.default_rng((seed, crc32(name.encode())))
    period = max(min(count, most, int(np.iinfo(element.numpy).max) + 1), 1)
    numbers = [random.permutation(period) for _ in range(min(-(-count // period), DIFFERENT))]
    return element.encode(np.resize(np.concatenate([*numbers, np.zeros(0, "i8")]), count))


def near(
    contents: NDArray[np.uint8], element: Element, thresholds: ContentThresholds, name: str, seed: int
) -> NDArray[np.uint8]:
    """Return contents in which half of the elements are at `limits` or beside them, and one is each of `marks`.

    One only: contents may be a set, in which a search, `if (in[i] == 200) *place = i;`, has one hit.
    """
    most = np.finfo(element.numpy) if element.kind == "f" else np.iinfo(element.numpy)
    beside = dict.fromkeys(value for limit in thresholds.limits for value in (limit - 1, limit, limit + 1))
    near_limits, marks = ([v for v in values if most.min <= v <= most.max] for values in (beside, thresholds.marks))
    count = contents.size // element.size
    random = np.random.default_rng((seed, crc32(name.encode()), len(near_limits)))
    result = contents.copy()
    rows = result[: count * element.size].reshape(count, element.size)
    if near_limits:
        replaced = random.random(count) < SHARE
        rows[replaced] = element.encode(random.choice(np.array(near_limits, "f8"), count)).reshape(rows.shape)[replaced]
    places = random.permutation(count)[: len(marks)]
    rows[places] = element.encode(np.array(marks[: len(places)], "f8")).reshape(len(places), element.size)
    return result


def fill(value: BufferValue, most: int, name: str, seed: int) -> NDArray[np.uint8]:
    """Return the bytes of a buffer that the user described."""
    element, count = value.element, value.count
    numbers: NDArray[Any]
    match value.fill:
        case "random":
            return random_values(element, count, most, name, seed)
        case "0":
            return np.zeros(count * element.size, np.uint8)
        case "index":
            # Types with few bits wrap around.
            period = 2 if element.kind == "b" else 1 << (8 * element.size - 1) if element.kind != "f" else 1 << 11
            numbers = np.arange(count) % min(period, 1 << 62)  # NumPy counts with 64 bits
        case _:
            numbers = np.resize(np.array(value.fill), count)
    return element.encode(numbers)

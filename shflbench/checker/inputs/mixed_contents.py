"""Contents of several buffers that fit one another, so that conditions on elements of more than one are fulfilled.

In `if (state[u] == -2) for (e = row[u]; e < row[u + 1]; e++) if (state[to[e]] == -1 && chosen[to[e]] == u) …` nothing
happens unless states are mixed, rows have elements, and indices lead to elements whose indices lead back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from shflbench.checker.inputs.contents import SMALL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shflbench.checker.inputs.elements import Element

PER_RANGE = 2  # elements: the neighbors before and after


@dataclass(frozen=True, slots=True)
class MixedContents:
    """What each of several buffers holds."""

    marks: Mapping[str, tuple[float, ...]]  # values that are mixed, by the names of the buffers
    neighbors: Mapping[str, int]  # buffers of indices next to that of the element or of its range → elements per range
    ranges: frozenset[str] = frozenset()  # buffers of where ranges begin: all of `PER_RANGE` elements
    lowest: frozenset[str] = frozenset()  # buffers of limits that no other contents are below
    highest: frozenset[str] = frozenset()  # and above

    @property
    def text(self) -> str:
        """The contents in words."""
        mixed = [f"{', '.join(f'{value:g}' for value in marks)} mixed in {name}" for name, marks in self.marks.items()]
        beside = [f"neighboring indices in {name}" for name in self.neighbors]
        ranges = [f"ranges of {PER_RANGE} elements in {name}" for name in sorted(self.ranges)]
        limits = [f"the smallest values in {name}" for name in sorted(self.lowest)]
        limits += [f"the largest values in {name}" for name in sorted(self.highest)]
        return "; ".join([*mixed, *beside, *ranges, *limits])

    def filled(self, name: str, element: Element, count: int, most: int, seed: int) -> NDArray[np.uint8] | None:
        """Return the bytes of `count` elements; integers that are indices are below `most`. None for other buffers."""
        random = np.random.default_rng((seed, crc32(name.encode()), count))
        last = max(min(most - 1, int(np.iinfo(element.numpy).max)), 0) if element.kind in "iu" else 0
        if name in self.lowest:
            return element.encode(np.full(count, -SMALL if element.kind == "f" else 0))
        if name in self.highest:
            return element.encode(np.full(count, SMALL if element.kind == "f" else last))
        if name in self.marks:
            return element.encode(random.choice(np.array(self.marks[name], "f8"), count))
        if name in self.ranges:
            return element.encode(np.minimum(PER_RANGE * np.arange(count), last))
        if name in self.neighbors:
            places = np.arange(count)
            beside = 2 * (places % PER_RANGE if self.neighbors[name] > 1 else random.integers(0, 2, count)) - 1
            indices = np.minimum(places // self.neighbors[name], last)
            return element.encode(np.clip(indices + beside, 0, last))
        return None

"""Other values for what nobody gave, which show whether a fault says only that the first values do not fit.

Random indices lie beyond a buffer whose size the host code specifies, and rows of a chosen width overlap: with zeros,
or with a width of the launch, neither happens.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.contents import SMALL
from shflbench.checker.inputs.scalars import is_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from shflbench.checker.inputs.elements import Element


FEW = 32
LENGTH = 5  # of `RANGES`


class Contents(Enum):
    """What each chosen buffer holds."""

    ORDER = "0, 1, 2, …"
    FEW = "0 to 31"
    ZERO = "zeros"
    ONE = "ones"
    RANGES = f"ranges of {LENGTH} elements"  # a loop that the compiler unrolls four times takes its rest, too
    SHORT_RANGES = "ranges of one element"


@dataclass(frozen=True, slots=True)
class ContentLayout:
    """What the elements of a buffer are, where records or numbers of iterations."""

    record: int = 1  # elements of a record, such as 3 for an index, a begin and a length
    is_count: bool = False  # the elements decide how often loops run, and are no part of addresses


PLAIN = ContentLayout()


@dataclass(frozen=True, slots=True)
class Alternative:
    """Values for all that nobody gave."""

    contents: Contents
    number: int | None = None  # for each integer; None: what its name and the launch suggest
    other: int | None = None  # for those whose name is not that of a size
    length: int = 0  # of ranges: which element of a record it is, from the last one

    @property
    def text(self) -> str:
        """The values in words."""
        texts = [f"contents {self.contents.value}"]
        texts += [f"sizes {self.number}"] if self.number is not None else []
        texts += [f"other integers {self.other}"] if self.other not in {None, self.number} else []
        return f"chosen {', '.join(texts)}"

    @property
    def has_other_numbers(self) -> bool:
        """Whether integers have other values than those that their names and the launch suggest."""
        return (self.number, self.other) != (None, None)

    def integer(self, name: str) -> int | None:
        """Return the value of an integer parameter, None if it is as usual."""
        return self.number if is_size(name) else self.other

    def filled(self, element: Element, count: int, most: int, layout: ContentLayout = PLAIN) -> NDArray[np.uint8]:
        """Return the bytes of `count` elements; integers are below `most`."""
        match self.contents:
            case Contents.RANGES | Contents.SHORT_RANGES if element.kind in "iu":
                return element.encode(self._ranges(np.arange(count), _period(element, most), layout))
            case Contents.ZERO:
                return np.zeros(count * element.size, np.uint8)
            case Contents.ONE:
                return element.encode(np.ones(count))
        most = min(most, FEW) if self.contents is Contents.FEW else most
        period = SMALL if element.kind == "f" else 2 if element.kind == "b" else _period(element, most)
        return element.encode(np.arange(count) % period)

    def _ranges(self, places: NDArray[np.int64], period: int, layout: ContentLayout) -> NDArray[np.int64]:
        """Return the begins and lengths of ranges that do not overlap; other elements differ likewise."""
        is_length = (places % layout.record == layout.record - 1 - self.length) & (layout.record > 1)
        numbers = places // layout.record
        if self.contents is Contents.SHORT_RANGES:
            return np.where(is_length | layout.is_count, 1, numbers % period)
        return np.where(is_length | layout.is_count, LENGTH, LENGTH * numbers)


def _period(element: Element, most: int) -> int:
    return max(min(most, int(np.iinfo(element.numpy).max)), 1)


# Where a number does not fit, all contents are tried before the next: it is the rarer reason.
NUMBERS = ((None, None), (16, 16), (1, 1), (None, 0), (64, 64), (4, 4), (64, 1), (256, 256))
EQUAL = (Contents.ORDER, Contents.FEW, Contents.ZERO, Contents.ONE)  # of all buffers, whatever they are used for
ALTERNATIVES = tuple(Alternative(contents, *numbers) for numbers in NUMBERS for contents in EQUAL)
# For faults on which no contents decide.
OF_NUMBERS = tuple(Alternative(Contents.ORDER, *numbers) for numbers in NUMBERS)
# For loops that did not end: they run a few times, first with sizes for which all threads have work.
AS_USUAL = Alternative(Contents.ORDER)
SHORT = (AS_USUAL, *(Alternative(contents, *numbers) for numbers in ((4, 4), (16, 1), (1, 1)) for contents in EQUAL))
# Likewise where contents decide how often: once, before sizes get smaller.
SHORT_BY_CONTENTS = (AS_USUAL, Alternative(Contents.ONE), *SHORT[1:])


def of_ranges(layouts: Collection[ContentLayout]) -> Iterator[Alternative]:
    """Yield alternatives with ranges that do not overlap, of which each element of a record may be the length."""
    longest = max((layout.record for layout in layouts), default=0)
    if longest > 1 or any(layout.is_count for layout in layouts):
        lengths = (Contents.RANGES, Contents.SHORT_RANGES)
        yield from (Alternative(contents, length=place) for place in range(longest) for contents in lengths)

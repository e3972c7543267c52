"""Other values for what nobody gave, which show whether a fault says only that the first values do not fit.

Random indices lie beyond a buffer whose size the host code states, and rows of a derived width overlap: with zeros, or
with a width of the launch, neither happens.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.contents import SMALL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.checker.inputs.elements import Element


class Contents(Enum):
    """What each derived buffer holds."""

    ORDER = "0, 1, 2, …"
    ZERO = "zeros"
    ONE = "ones"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Values for all that nobody gave."""

    contents: Contents
    number: int | None = None  # for each integer; None: what its name and the launch suggest

    @property
    def text(self) -> str:
        """The values in words."""
        numbers = f", other numbers {self.number}" if self.number is not None else ""
        return f"derived contents {self.contents.value}{numbers}"

    def filled(self, element: Element, count: int, most: int) -> NDArray[np.uint8]:
        """Return the bytes of `count` elements; integers are below `most`."""
        match self.contents:
            case Contents.ZERO:
                return np.zeros(count * element.size, np.uint8)
            case Contents.ONE:
                return element.encode(np.ones(count))
        period = SMALL if element.kind == "f" else 2 if element.kind == "b" else _period(element, most)
        return element.encode(np.arange(count) % period)


def _period(element: Element, most: int) -> int:
    return max(min(most, int(np.iinfo(element.numpy).max)), 1)


# Where one number does not fit, all contents are tried before the next: a number is the rarer reason.
ALTERNATIVES = tuple(Alternative(contents, number) for number in (None, 16, 1, 64, 4, 256) for contents in Contents)

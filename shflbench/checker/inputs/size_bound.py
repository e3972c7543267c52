"""A size of a buffer that is computed from parameters, such as `width * height`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Terms: TypeAlias = "tuple[tuple[int, tuple[int, ...]], ...]"  # factors, and the first bytes of parameters to multiply


@dataclass(frozen=True, slots=True)
class SizeBound:
    """The size that a guard suggests for a buffer."""

    elements: Terms
    limit: Terms  # of the index that the guard limits, times the rows that such an index has
    element_bytes: int
    in_loop: bool  # a loop accesses the buffer, so that few threads reach its end
    unread: bool = False  # no guard: the limit is a size that the kernel never reads
    of_grid: bool = False  # no guard: the limit is a number of which the host code rounds its grid up


def evaluate(terms: Terms, numbers: Mapping[int, int]) -> int | None:
    """Return the value of a sum of products for values of the parameters; None if one is unknown."""
    if any(byte not in numbers for _, bytes_ in terms for byte in bytes_):
        return None
    return sum(factor * prod(numbers[byte] for byte in bytes_) for factor, bytes_ in terms)

"""The sizes that guards suggest for the buffers of one launch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES
from shflbench.checker.inputs.default_launches import is_edge
from shflbench.checker.inputs.numbers import ArgumentNumbers
from shflbench.checker.inputs.size_bound import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.size_bound import SizeBound
    from shflbench.cuda_sources.kernel_file import SourceKernel


@dataclass(frozen=True, slots=True)
class SuggestedSize:
    """A size of a buffer."""

    bytes: int
    reached: bool  # by the threads of the launch


class SuggestedSizes:
    """The sizes for one launch, with the numbers of that launch."""

    def __init__(self, kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec) -> None:
        """Compute the numbers."""
        self._launch, self._bounds, self._elements = launch, spec.bounds, spec.per_thread
        self._numbers = dict(ArgumentNumbers(kernel, launch, spec).integers())
        first = ArgumentNumbers(kernel, launch, replace(spec, vary=False)).integers()
        self._first = {byte: int(number.value) for byte, number in first}

    def largest(self, name: str) -> SuggestedSize | None:
        """Return the largest size for a buffer; None without one, or if it is too large."""
        sizes = [size for bound, size in self._sizes(name) if not (bound.unread and self._is_synthesized(bound))]
        largest = max(sizes, key=lambda size: size.bytes, default=None)
        return largest if largest is not None and largest.bytes <= MOST_TOTAL_BYTES else None

    def scaled(self, name: str, bytes_: int) -> SuggestedSize | None:
        """Return the size of a buffer that has `bytes_` in the host code, scaled down with its numbers."""
        for bound, size in self._sizes(name):
            elements = evaluate(bound.elements, self._first)
            if elements is not None and elements * bound.element_bytes == bytes_ and size.bytes < bytes_:
                return size
        return None

    def reaches(self, name: str, elements: int) -> bool:
        """Return whether the launch reaches the end of a buffer with a constant size."""
        host = self._launch.host
        scaled = host is not None and host.grid is not None and self._launch.shape.grid != host.grid
        in_loop = any(bound.in_loop for bound in self._bounds.get(name, ()))
        return not scaled or in_loop or elements <= self._launch.shape.threads

    def _sizes(self, name: str) -> Iterator[tuple[SizeBound, SuggestedSize]]:
        values = {byte: int(number.value) for byte, number in self._numbers.items()}
        every = self._bounds.get(name, ())
        for bound in every if is_edge(self._launch) else (bound for bound in every if not bound.of_grid):
            elements, limit = evaluate(bound.elements, values), evaluate(bound.limit, values)
            if elements is not None and limit is not None:
                reached = bound.in_loop or limit <= self._launch.shape.threads * self._per_thread(bound)
                yield bound, SuggestedSize(max(elements, 1) * bound.element_bytes, reached)

    def _per_thread(self, bound: SizeBound) -> int:
        """Return how many elements of the size a thread has."""
        return max((self._elements.get(byte, 1) for _, bytes_ in bound.limit for byte in bytes_), default=1)

    def _is_synthesized(self, bound: SizeBound) -> bool:
        numbers = [self._numbers[byte] for _, bytes_ in bound.limit for byte in bytes_]
        return any(number.origin.is_synthesized and not number.scaled for number in numbers)

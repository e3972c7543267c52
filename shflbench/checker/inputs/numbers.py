"""The numbers among the arguments of a launch: given, from the host code, or chosen."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.accessors import dimensions, usual_size
from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.scalars import (
    ITERATIONS,
    SHORTER,
    is_size,
    is_size_of_row,
    power_of_two,
    synthesized_number,
)
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.elements import Element
    from shflbench.cuda_sources.kernel_file import HostArgument, HostLaunch, SourceKernel

UNITS = 2  # of a megabyte, for example, in `n = bytes / (1 << 20)`
SHIFT = 3  # bits of a chosen number to shift by: rows of 8 elements


@dataclass(frozen=True, slots=True)
class ArgumentNumber:
    """One number and where it comes from."""

    value: int | float
    origin: Origin
    scaled: bool = False  # from the host code, and scaled down with the grid


def _is_whole(value: int | float) -> bool:  # noqa: PYI041  (two types)
    return isinstance(value, int) or value.is_integer()


def scaled_down(value: int | float, launch: PlannedLaunch) -> int | None:  # noqa: PYI041  (two types)
    """Return a size of the host code, such as 1000 for 4x256, for a launch with fewer blocks: 488 for 2x256.

    So that as many threads of the last block are beyond it. None for a number that does not end in the last block.
    """
    host, shape = launch.host, launch.shape
    if host is None or host.grid is None or host.block != shape.block or host.is_computed or not _is_whole(value):
        return None
    for axis in range(3):
        threads = host.grid[axis] * shape.block[axis]
        removed = threads - shape.extent(axis)
        if removed > 0 and threads - shape.block[axis] < value <= threads:
            return int(value) - removed
    return None


def is_too_large(launch: HostLaunch) -> bool:
    """Whether the buffers of a launch do not fit."""
    sizes = {item.buffer.number: item.buffer.size or 0 for item in launch.arguments if item.buffer is not None}
    return sum(sizes.values()) > MOST_TOTAL_BYTES


class ArgumentNumbers:
    """The numbers of one launch."""

    def __init__(self, kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec) -> None:
        """Keep what decides on them."""
        self._kernel, self._launch, self._spec = kernel, launch, spec
        self._offsets = kernel.offsets
        self._dimensions = dimensions(kernel)

    def host(self, place: int) -> HostArgument | None:
        """Return what the host code says of the parameter at `place`, None if nothing."""
        host = self._launch.host
        if host is None or len(host.arguments) != len(self._kernel.parameters):
            return None
        return host.arguments[place]

    def number(self, name: str, element: Element, host: HostArgument | None) -> ArgumentNumber:
        """Return the number `name`, for which the user gives no value."""
        if host is not None and host.value is not None:
            return self._of_host(name, element, host.value)
        if name in self._dimensions:
            return self._of_accessor(name)
        plain = name.rpartition(".")[2]
        other = self._spec.alternative.integer(plain) if self._spec.alternative is not None else None
        is_shift = self._offsets.get(name) in self._spec.shifts
        if self._spec.alternative is not None and element.kind in "iu" and (several := self._units(name)):
            return ArgumentNumber(several, Origin.CHOSEN)
        if other is not None and element.kind in "iu" and not is_shift:
            return ArgumentNumber(other, Origin.CHOSEN)
        shape, vary = self._launch.shape, self._spec.vary
        offset = self._offsets.get(name)
        least, is_exact = self._strided(name), offset in self._spec.blocks
        number = synthesized_number(plain, element.kind, element.size, shape, vary=vary, least=least, is_exact=is_exact)
        value, is_varied = number.value, number.varied
        if is_shift:
            value, is_varied = SHIFT + vary, vary
        elif offset in self._spec.starts:
            value, is_varied = int(vary), vary
        elif offset in self._spec.masks:
            value = power_of_two(int(value))
        return ArgumentNumber(value, Origin.VARIED if is_varied else Origin.CHOSEN)

    def _of_accessor(self, name: str) -> ArgumentNumber:
        """Return the size of a dimension of a tensor, or the stride that contiguous memory of its sizes has."""
        other, given = self._spec.alternative, self._spec.given.get(name)
        if isinstance(given, NumberValue):
            return ArgumentNumber(given.value, Origin.GIVEN)
        if self._dimensions[name].is_stride:
            inner = [self._of_accessor(item) for item in self._dimensions[name].inner]
            origins = {item.origin for item in inner}
            origin = Origin.VARIED if Origin.VARIED in origins else Origin.CHOSEN
            return ArgumentNumber(prod(int(item.value) for item in inner), origin)
        size = usual_size(self._dimensions, self._launch.shape)
        if other is not None and other.number is not None:
            return ArgumentNumber(min(other.number, size), Origin.CHOSEN)
        less = size - (size // SHORTER + 1) if self._spec.vary else size
        return ArgumentNumber(less, Origin.VARIED if less < size else Origin.CHOSEN)

    def _of_host(self, name: str, element: Element, value: int | float) -> ArgumentNumber:  # noqa: PYI041  (two types)
        """Return the number of the host code, or another one where the launch differs from that of the host code."""
        if self._is_number_of_blocks(name, value):
            return ArgumentNumber(self._launch.shape.blocks, Origin.CHOSEN, scaled=True)
        if element.kind in "iu" and (other := self._other(name)) is not None:
            return ArgumentNumber(other, Origin.CHOSEN)
        smaller = scaled_down(value, self._launch) if self._spec.vary and element.kind in "iu" else None
        if smaller is not None:
            return ArgumentNumber(smaller, Origin.VARIED, scaled=True)
        return ArgumentNumber(value, Origin.HOST)

    def _other(self, name: str) -> int | None:
        """Return the alternative of a parameter that nothing passes, such as `mode`, which is no size; None without."""
        host, other = self._launch.host, self._spec.alternative
        plain = name.rpartition(".")[2]
        if host is None or other is None or not host.takes_parameters or is_size(plain) or is_size_of_row(plain):
            return None
        return other.other

    def _is_number_of_blocks(self, name: str, value: int | float) -> bool:  # noqa: PYI041  (two types)
        """Whether a number of the host code is that of its blocks, of which the launch has fewer: they all arrive."""
        grid = self._launch.host.grid if self._launch.host is not None else None
        is_compared = self._offsets.get(name) in self._spec.arrivals
        return self._launch.origin.is_scaled_down and is_compared and grid is not None and value == prod(grid)

    def _units(self, name: str) -> int:
        """Return a number of several units that code divides it by, 0 if those that names suggest have several."""
        unit = self._spec.units.get(self._offsets.get(name, -1), 0)
        return UNITS * unit if unit > self._launch.shape.threads else 0

    def _strided(self, name: str) -> int:
        """Return the least value with which loops have several iterations and threads all their elements, or 0.

        These are loops that step by the grid or the block.
        """
        shape = self._launch.shape
        sizes = {f"%nctaid.{axis}": size for axis, size in zip("xyz", shape.grid, strict=True)}
        sizes |= {f"%ntid.{axis}": size for axis, size in zip("xyz", shape.block, strict=True)}
        offset = self._offsets.get(name)
        every = [item.elements(sizes, ITERATIONS) for item in self._spec.strides if item.limit == offset]
        many = self._spec.per_thread.get(offset, 0) if offset is not None else 0
        return max([*every, many * shape.extent(0)])

    def integers(self) -> Iterator[tuple[int, ArgumentNumber]]:
        """Yield the integers among the parameters and the fields of structures, each with its first byte."""
        for place, parameter in enumerate(self._kernel.parameters):
            name = parameter.name
            items = [(0, name, parameter.pointer, parameter.element, self.host(place))]
            if parameter.fields and not parameter.pointer and name not in self._spec.given:
                outer = self.host(place)
                items = [
                    (part.offset, f"{name}.{part.name}", part.pointer, part.element, outer and outer.field(part.name))
                    for part in parameter.fields
                ]
            for offset, label, pointer, type_, host in items:
                element, given = element_of(type_), self._spec.given_value(label, host)
                if pointer or element is None or element.kind not in "iu":
                    continue
                number = self.number(label, element, host)
                if isinstance(given, NumberValue):
                    number = ArgumentNumber(given.value, Origin.GIVEN)
                if _is_whole(number.value):
                    yield parameter.offset + offset, number

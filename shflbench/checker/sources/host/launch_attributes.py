"""The attributes of a launch by `cudaLaunchKernelEx`."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from shflbench.checker.sources.host.launch_structures import CLUSTER, PROGRAMMATIC_SERIALIZATION, SIZES
from shflbench.checker.sources.host.values import UNKNOWN, Cell, CellAddress, HostElement, Pointer, Structure
from shflbench.checker.sources.kernel_file import UNKNOWN_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.sources.kernel_file import Dims

_AXES = ("x", "y", "z")
_MOST_ATTRIBUTES = 32


def may_overlap(fields: Mapping[str, Cell]) -> bool:
    """Whether a launch with these fields of its configuration may begin before the launch before it has ended.

    A value that the host code does not determine counts: the program can launch the kernel so.
    """
    for attribute in _known_attributes(fields):
        if attribute.field("id").load() == PROGRAMMATIC_SERIALIZATION:
            value = attribute.field("val").load()
            if not isinstance(value, Structure):
                return True
            allowed = value.field("programmaticStreamSerializationAllowed").load()
            return allowed is UNKNOWN or bool(allowed)
    return False


def cluster_of(configuration: Mapping[str, Cell]) -> Dims | None:
    """Return the blocks of a cluster that the attributes of a configuration name; None if none does.

    `UNKNOWN_CLUSTER` where one may, but the host code does not determine how many.
    """
    attributes = list(_attributes(configuration))
    numbers = [item.field("id").load() if item is not None else None for item in attributes]
    if CLUSTER not in numbers:
        return None if all(isinstance(number, int) for number in numbers) else UNKNOWN_CLUSTER
    attribute = attributes[numbers.index(CLUSTER)]
    value = attribute.field("val").load() if attribute is not None else None
    sizes = value.field("clusterDim").load() if isinstance(value, Structure) else None
    if isinstance(sizes, tuple):
        extents = sizes
    elif isinstance(sizes, Structure):
        extents = tuple(sizes.field(axis).load() for axis in _AXES)
    else:
        return UNKNOWN_CLUSTER
    x, y, z = extents
    return (x, y, z) if isinstance(x, int) and isinstance(y, int) and isinstance(z, int) else UNKNOWN_CLUSTER


def _attributes(configuration: Mapping[str, Cell]) -> Iterator[Structure | None]:
    """Yield the attributes of a configuration; None for one, or several, of which nothing is known."""
    listed, count = (configuration[name].load() if name in configuration else None for name in ("attrs", "numAttrs"))
    if listed is None or count is None or count == 0:
        return
    if isinstance(listed, CellAddress):
        first = listed.cell.load()
        yield first if isinstance(first, Structure) and count == 1 else None
        return
    if isinstance(listed, Structure) and listed.memory is not None:
        listed = Pointer(listed.memory, 0, listed.element)
    if not isinstance(listed, Pointer) or not isinstance(count, int) or count > _MOST_ATTRIBUTES:
        yield None
        return
    for number in range(count):
        at = listed.moved(number)
        item = HostElement(at.memory, at.offset, at.target).load()
        yield item if isinstance(item, Structure) else None


def _known_attributes(fields: Mapping[str, Cell]) -> Iterator[Structure]:
    """Yield the attributes of a configuration of which something is known, in order."""
    listed = fields["attrs"].load() if "attrs" in fields else UNKNOWN
    number = fields["numAttrs"].load() if "numAttrs" in fields else UNKNOWN
    if isinstance(listed, CellAddress):
        items = {0: listed.cell.load()}
    elif isinstance(listed, Structure) and listed.memory is not None:
        items = listed.memory.objects
    elif isinstance(listed, Pointer):
        start = listed.offset or 0
        items = {place - start: item for place, item in listed.memory.objects.items() if place >= start}
    else:
        items = {}
    end = number * SIZES["cudaLaunchAttribute"] if isinstance(number, int) else inf
    for place, item in sorted(items.items()):
        if place < end and isinstance(item, Structure):
            yield item

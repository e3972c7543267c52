"""The attributes of a launch by `cudaLaunchKernelEx`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.launch_structures import CLUSTER, COOPERATIVE, PROGRAMMATIC_SERIALIZATION
from shflbench.cuda_sources.host.values import UNKNOWN, CellAddress, HostElement, Pointer, Structure
from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.cuda_sources.host.values import Cell
    from shflbench.cuda_sources.kernel_file import Dims

_AXES = ("x", "y", "z")
_MOST_ATTRIBUTES = 32


def may_overlap(configuration: Mapping[str, Cell]) -> bool:
    """Whether a launch by a configuration may begin before the launch before it has ended.

    A value that the host code does not determine counts: the program can launch the kernel so.
    """
    return _may_be_set(configuration, PROGRAMMATIC_SERIALIZATION, "programmaticStreamSerializationAllowed") or False


def may_be_cooperative(configuration: Mapping[str, Cell]) -> bool:
    """Whether a launch by a configuration may be cooperative; attributes of which nothing is known count."""
    is_set = _may_be_set(configuration, COOPERATIVE, "cooperative")
    return UNKNOWN in _numbers(configuration) if is_set is None else is_set


def _may_be_set(configuration: Mapping[str, Cell], number: int, member: str) -> bool | None:
    """Whether the attribute of this number may have a value that is not zero; None if the configuration has none."""
    for attribute in _attributes(configuration):
        if attribute is not None and attribute.field("id").load() == number:
            value = attribute.field("val").load()
            flag = value.field(member).load() if isinstance(value, Structure) else UNKNOWN
            return flag is UNKNOWN or bool(flag)
    return None


def cluster_of(configuration: Mapping[str, Cell]) -> Dims | None:
    """Return the blocks of a cluster that the attributes of a configuration name; None if none does.

    `UNKNOWN_CLUSTER` where one may, but the host code does not determine how many.
    """
    attributes = list(_attributes(configuration))
    numbers = _numbers(configuration)
    if CLUSTER not in numbers or not isinstance(configuration["numAttrs"].load(), int):
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


def _numbers(configuration: Mapping[str, Cell]) -> list[object]:
    """Return the numbers that say which attributes the configuration has."""
    return [item.field("id").load() if item is not None else UNKNOWN for item in _attributes(configuration)]


def _attributes(configuration: Mapping[str, Cell]) -> Iterator[Structure | None]:
    """Yield the attributes of a configuration; None for one, or several, of which nothing is known.

    If their number is not known, all that the program has set come first.
    """
    listed, count = (configuration[name].load() if name in configuration else 0 for name in ("attrs", "numAttrs"))
    if listed == 0 or count == 0:
        return
    if isinstance(listed, Structure) and listed.memory is not None:
        listed = Pointer(listed.memory, 0, listed.element)
    is_whole = isinstance(count, int) and count <= _MOST_ATTRIBUTES
    items: list[object] = []
    if isinstance(listed, CellAddress):
        items, is_whole = [listed.cell.load()], count == 1
    elif isinstance(listed, Pointer) and isinstance(count, int) and is_whole:
        places = map(listed.moved, range(count))
        items = [HostElement(at.memory, at.offset, at.target).load() for at in places]
    elif isinstance(listed, Pointer):
        items = [item for place, item in sorted(listed.memory.objects.items()) if place >= (listed.offset or 0)]
    yield from (item if isinstance(item, Structure) else None for item in items)
    if not items or not is_whole:
        yield None

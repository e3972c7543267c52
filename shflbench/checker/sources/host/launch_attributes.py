"""The attributes of a launch by `cudaLaunchKernelEx`."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from shflbench.checker.sources.host.launch_structures import CLUSTER, PROGRAMMATIC_SERIALIZATION, SIZES
from shflbench.checker.sources.host.values import UNKNOWN, Cell, CellAddress, Pointer, Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.sources.kernel_file import Dims

_AXES = ("x", "y", "z")


def may_overlap(fields: Mapping[str, Cell]) -> bool:
    """Whether a launch with these fields of its configuration may begin before the launch before it has ended.

    A value that the host code does not determine counts: the program can launch the kernel so.
    """
    for attribute in _attributes(fields):
        if attribute.field("id").load() == PROGRAMMATIC_SERIALIZATION:
            value = attribute.field("val").load()
            if not isinstance(value, Structure):
                return True
            allowed = value.field("programmaticStreamSerializationAllowed").load()
            return allowed is UNKNOWN or bool(allowed)
    return False


def cluster_of(fields: Mapping[str, Cell]) -> Dims | None:
    """Return the blocks of a cluster that the attributes of a configuration name; None if none does, or not surely."""
    for attribute in _attributes(fields):
        if attribute.field("id").load() == CLUSTER:
            value = attribute.field("val").load()
            sizes = value.field("clusterDim").load() if isinstance(value, Structure) else UNKNOWN
            if isinstance(sizes, Structure):
                sizes = tuple(sizes.field(axis).load() for axis in _AXES)
            return sizes if isinstance(sizes, tuple) and all(isinstance(item, int) for item in sizes) else None
    return None


def _attributes(fields: Mapping[str, Cell]) -> Iterator[Structure]:
    """Yield the attributes of a configuration, in order."""
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

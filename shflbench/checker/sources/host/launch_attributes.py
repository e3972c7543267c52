"""The attributes of launches by `cudaLaunchKernelEx`, as host code sets them in `cudaLaunchAttribute`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.sources.host.types import INT, UNKNOWN_TYPE
from shflbench.checker.sources.host.values import Cell, CellAddress, HostElement, Pointer, Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.sources.kernel_file import Dims

# Numbers from driver_types.h of CUDA 13.
ATTRIBUTE_IDS: Mapping[str, int] = {"cudaLaunchAttributeClusterDimension": 4}
_AXES = ("x", "y", "z")


def attribute_fields() -> dict[str, Cell]:
    """Return the fields of an attribute that nothing was assigned to, of its value those of the size of a cluster."""
    sizes = Structure(UNKNOWN_TYPE, {axis: Cell(type=INT) for axis in _AXES})
    value = Structure(UNKNOWN_TYPE, {"clusterDim": Cell(sizes)})
    return {"id": Cell(type=INT), "val": Cell(value)}


def cluster_of(configuration: Mapping[str, Cell]) -> Dims | None:
    """Return the blocks of a cluster that the attributes of a configuration name; None if none does, or not surely."""
    attribute = next((item for item in _attributes(configuration) if _is_cluster(item)), None)
    value = attribute.field("val").load() if attribute is not None else None
    sizes = value.field("clusterDim").load() if isinstance(value, Structure) else None
    if isinstance(sizes, tuple):
        extents = sizes
    elif isinstance(sizes, Structure):
        extents = tuple(sizes.field(axis).load() for axis in _AXES)
    else:
        return None
    x, y, z = extents
    return (x, y, z) if isinstance(x, int) and isinstance(y, int) and isinstance(z, int) else None


def _is_cluster(attribute: Structure) -> bool:
    number = attribute.field("id").load()
    return isinstance(number, int) and number == ATTRIBUTE_IDS["cudaLaunchAttributeClusterDimension"]


def _attributes(configuration: Mapping[str, Cell]) -> Iterator[Structure]:
    """Yield the attributes of a configuration."""
    listed, count = (configuration[name].load() if name in configuration else None for name in ("attrs", "numAttrs"))
    if isinstance(listed, CellAddress):
        first = listed.cell.load()
        if isinstance(first, Structure) and isinstance(count, int) and count > 0:
            yield first
    elif isinstance(listed, Structure) and listed.memory is not None:
        listed = Pointer(listed.memory, 0, listed.element)
    if not isinstance(listed, Pointer) or not isinstance(count, int):
        return
    for number in range(count):
        at = listed.moved(number)
        item = HostElement(at.memory, at.offset, at.target).load()
        if isinstance(item, Structure):
            yield item

"""The attributes of launches by `cudaLaunchKernelEx`, as host code sets them in `cudaLaunchAttribute`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.sources.host.types import INT, UNKNOWN_TYPE
from shflbench.checker.sources.host.values import Cell, CellAddress, HostElement, Pointer, Structure
from shflbench.checker.sources.kernel_file import UNKNOWN_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.sources.kernel_file import Dims

# Numbers from driver_types.h of CUDA 13.
ATTRIBUTE_IDS: Mapping[str, int] = {
    "cudaLaunchAttributeIgnore": 0,
    "cudaLaunchAttributeAccessPolicyWindow": 1,
    "cudaLaunchAttributeCooperative": 2,
    "cudaLaunchAttributeSynchronizationPolicy": 3,
    "cudaLaunchAttributeClusterDimension": 4,
    "cudaLaunchAttributeClusterSchedulingPolicyPreference": 5,
    "cudaLaunchAttributeProgrammaticStreamSerialization": 6,
    "cudaLaunchAttributeProgrammaticEvent": 7,
    "cudaLaunchAttributePriority": 8,
    "cudaLaunchAttributeMemSyncDomainMap": 9,
    "cudaLaunchAttributeMemSyncDomain": 10,
    "cudaLaunchAttributePreferredClusterDimension": 11,
    "cudaLaunchAttributeLaunchCompletionEvent": 12,
    "cudaLaunchAttributeDeviceUpdatableKernelNode": 13,
    "cudaLaunchAttributePreferredSharedMemoryCarveout": 14,
}
_AXES = ("x", "y", "z")
_MOST_ATTRIBUTES = 32


def attribute_fields() -> dict[str, Cell]:
    """Return the fields of an attribute that nothing was assigned to, of its value those of the size of a cluster."""
    sizes = Structure(UNKNOWN_TYPE, {axis: Cell(type=INT) for axis in _AXES})
    value = Structure(UNKNOWN_TYPE, {"clusterDim": Cell(sizes)})
    return {"id": Cell(type=INT), "val": Cell(value)}


def cluster_of(configuration: Mapping[str, Cell]) -> Dims | None:
    """Return the blocks of a cluster that the attributes of a configuration name; None if none does.

    `UNKNOWN_CLUSTER` where one may, but the host code does not determine how many.
    """
    attributes = list(_attributes(configuration))
    numbers = [item.field("id").load() if item is not None else None for item in attributes]
    if ATTRIBUTE_IDS["cudaLaunchAttributeClusterDimension"] not in numbers:
        return None if all(isinstance(number, int) for number in numbers) else UNKNOWN_CLUSTER
    attribute = attributes[numbers.index(ATTRIBUTE_IDS["cudaLaunchAttributeClusterDimension"])]
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

"""Launch a kernel with attributes: it may overlap the launch before it, be in clusters, or be cooperative.

cupy has no call for them.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.core.dimensions import NO_CLUSTER, PORTABLE_CLUSTER, dims_text
from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda.backends.base import KernelLaunch


class AttributedLaunch:
    """A launch on the default stream that may overlap the one before, be in clusters, or have all blocks resident."""

    def __init__(self, function: Any, launch: KernelLaunch) -> None:  # noqa: ANN401  (cupy ships no types)
        """Prepare the launch of a function of cupy; LaunchError if no GPU runs clusters of that size."""
        from cuda.bindings import driver

        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = launch.dims.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = launch.dims.block
        config.sharedMemBytes = launch.shared_bytes
        attributes = list(_attributes(driver, launch))
        config.attrs, config.numAttrs = attributes, len(attributes)
        self._driver, self._config, self._function = driver, config, driver.CUfunction(function.ptr)
        self._what = "a programmatic launch"
        if launch.cooperative:
            self._what = f"a cooperative launch of {prod(launch.dims.grid):,} blocks, which have to be resident at once"
        if launch.cluster != NO_CLUSTER:
            self._what = f"a launch in clusters of {dims_text(launch.cluster)} blocks"
        if prod(launch.cluster) > PORTABLE_CLUSTER:
            allowed = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            self._require(driver.cuFuncSetAttribute(self._function, allowed, 1))

    def __call__(self, arguments: Sequence[Any]) -> None:
        """Launch with arrays of cupy, numbers and structures of NumPy; LaunchError if the driver refuses it."""
        by_value = (np.generic, np.ndarray)
        values = [item if isinstance(item, by_value) else np.uint64(item.data.ptr) for item in arguments]
        # The driver copies the parameters before it returns.
        contents = [ctypes.create_string_buffer(value.tobytes(), value.nbytes) for value in values]
        addresses = (ctypes.c_void_p * len(contents))(*map(ctypes.addressof, contents))
        self._require(self._driver.cuLaunchKernelEx(self._config, self._function, ctypes.addressof(addresses), 0))

    def _require(self, result: tuple[Any]) -> None:
        (error,) = result
        if error != self._driver.CUresult.CUDA_SUCCESS:
            raise LaunchError(f"the driver refuses {self._what}: {error.name}")


def _attributes(driver: Any, launch: KernelLaunch) -> Iterator[Any]:  # noqa: ANN401  (likewise)
    if launch.programmatic:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attribute.value.programmaticStreamSerializationAllowed = 1
        yield attribute
    if launch.cooperative:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        attribute.value.cooperative = 1
        yield attribute
    if launch.cluster != NO_CLUSTER:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        sizes = attribute.value.clusterDim
        sizes.x, sizes.y, sizes.z = launch.cluster
        yield attribute

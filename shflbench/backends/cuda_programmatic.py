"""Launch a kernel that may begin before the launch before it has ended; cupy has no call for it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.base import KernelLaunch


class ProgrammaticLaunch:
    """A launch on the default stream with `cudaLaunchAttributeProgrammaticStreamSerialization`."""

    def __init__(self, function: Any, launch: KernelLaunch) -> None:  # noqa: ANN401  (cupy ships no types)
        """Prepare the launch of a function of cupy."""
        from cuda.bindings import driver

        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attribute.value.programmaticStreamSerializationAllowed = 1
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = launch.dims.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = launch.dims.block
        config.sharedMemBytes = launch.shared_bytes
        config.attrs, config.numAttrs = [attribute], 1
        self._driver, self._config, self._function = driver, config, driver.CUfunction(function.ptr)

    def __call__(self, arguments: Sequence[Any]) -> None:
        """Launch with arrays of cupy and numbers of NumPy; LaunchError if the driver refuses it."""
        values = [item if isinstance(item, np.generic) else np.uint64(item.data.ptr) for item in arguments]
        # The driver copies the parameters before it returns.
        contents = [ctypes.create_string_buffer(value.tobytes(), value.nbytes) for value in values]
        addresses = (ctypes.c_void_p * len(contents))(*map(ctypes.addressof, contents))
        (error,) = self._driver.cuLaunchKernelEx(self._config, self._function, ctypes.addressof(addresses), 0)
        if error != self._driver.CUresult.CUDA_SUCCESS:
            raise LaunchError(f"the driver refuses a programmatic launch: {error.name}")

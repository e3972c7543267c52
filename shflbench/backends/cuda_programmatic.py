"""Launch a kernel that may begin before the launch before it has ended; cupy has no call for it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.base import KernelLaunch


def launch_programmatically(function: Any, launch: KernelLaunch, arguments: Sequence[Any]) -> None:  # noqa: ANN401
    """Launch a function of cupy on the default stream with `cudaLaunchAttributeProgrammaticStreamSerialization`.

    `arguments` are arrays of cupy and numbers of NumPy. LaunchError if the driver refuses the launch.
    """
    from cuda.bindings import driver

    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    attribute.value.programmaticStreamSerializationAllowed = 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = launch.dims.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = launch.dims.block
    config.sharedMemBytes = launch.shared_bytes
    config.attrs, config.numAttrs = [attribute], 1
    values = [item if isinstance(item, np.generic) else np.uint64(item.data.ptr) for item in arguments]
    # The driver copies the parameters before it returns.
    contents = [ctypes.create_string_buffer(value.tobytes(), value.nbytes) for value in values]
    addresses = (ctypes.c_void_p * len(contents))(*map(ctypes.addressof, contents))
    (error,) = driver.cuLaunchKernelEx(config, driver.CUfunction(function.ptr), ctypes.addressof(addresses), 0)
    if error != driver.CUresult.CUDA_SUCCESS:
        raise LaunchError(f"the driver refuses a programmatic launch: {error.name}")

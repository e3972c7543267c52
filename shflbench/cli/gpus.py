"""The GPUs of this machine as the driver lists them; no CUDA needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import pynvml

from shflbench.backends.nvml import as_text
from shflbench.errors import DeviceError

NO_DRIVER = (
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND,
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU by NVML, the driver's management library."""

    index: int
    name: str
    arch: str  # e.g. "sm_90"
    memory_gib: float
    driver: str
    uuid: str


def find() -> list[Gpu]:
    """Return the GPUs of this machine; DeviceError if there is no driver or it does not answer."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        if error.value in NO_DRIVER:
            message = "no NVIDIA driver is loaded"
            raise DeviceError(message, "install one from https://www.nvidia.com/drivers, if there is a GPU") from error
        message = f"the NVIDIA driver does not answer: {error}"
        raise DeviceError(message, "`nvidia-smi` should say why; after an update of the driver, reboot") from error
    try:
        driver = as_text(pynvml.nvmlSystemGetDriverVersion()) or ""
        return [_gpu(index, driver) for index in range(pynvml.nvmlDeviceGetCount())]
    except (pynvml.NVMLError, UnicodeDecodeError) as error:
        message = f"the NVIDIA driver does not describe its GPUs: {error}"
        raise DeviceError(message, "`nvidia-smi` should say why") from error
    finally:
        with suppress(pynvml.NVMLError):  # a driver that went away meanwhile does not say goodbye
            pynvml.nvmlShutdown()


def _gpu(index: int, driver: str) -> Gpu:
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        index=index,
        name=as_text(pynvml.nvmlDeviceGetName(handle)) or "",
        arch=f"sm_{major}{minor}",
        memory_gib=round(pynvml.nvmlDeviceGetMemoryInfo(handle).total / 2**30, 1),
        driver=driver,
        uuid=as_text(pynvml.nvmlDeviceGetUUID(handle)) or "",
    )

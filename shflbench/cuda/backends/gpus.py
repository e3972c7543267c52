"""List the GPUs of this machine by the driver, with what in their state would disturb times; no CUDA needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pynvml

from shflbench.cuda.backends.nvml import as_text
from shflbench.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.model import DeviceState

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
            raise DeviceError(
                message, "if there is a GPU, install the driver from https://www.nvidia.com/drivers"
            ) from error
        message = f"the NVIDIA driver does not answer: {error}"
        raise DeviceError(message, "run `nvidia-smi` for the reason; after a driver update, reboot") from error
    try:
        driver = as_text(pynvml.nvmlSystemGetDriverVersion()) or ""
        return [_gpu(index, driver) for index in range(pynvml.nvmlDeviceGetCount())]
    except (pynvml.NVMLError, UnicodeDecodeError) as error:
        message = f"the NVIDIA driver does not describe its GPUs: {error}"
        raise DeviceError(message, "run `nvidia-smi` for the reason") from error
    finally:
        with suppress(pynvml.NVMLError):  # the driver may have been unloaded meanwhile
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


def usable(state: DeviceState) -> bool:
    """Whether CUDA programs may use the GPU at all."""
    return state.compute_mode != "prohibited"


def describe(state: DeviceState) -> str:
    """Return the known settings in one line, empty if none is known."""
    switches = {"ECC": state.ecc, "MIG": state.mig, "persistence": state.persistence}
    parts = [f"{name} {'on' if on else 'off'}" for name, on in switches.items() if on is not None]
    if state.compute_mode is not None:
        parts.append(f"compute mode {state.compute_mode}")
    if state.power_limit_w is not None:
        parts.append(f"power limit {state.power_limit_w:g} W")
    if parts and state.other_processes is None:
        parts.append("other processes unknown")
    if state.other_processes == 0:
        parts.append("no other process")
    return ", ".join(parts)


def disturbances(index: int, state: DeviceState) -> Iterator[tuple[str, str]]:
    """Yield what would disturb a measurement, each with its remedy; `index` is that of nvidia-smi."""
    if not usable(state):
        yield (
            "its compute mode is prohibited: no program may use it",
            f"ask its administrator to run: nvidia-smi -i {index} -c DEFAULT",
        )
    if state.mig:
        yield (
            "MIG is on: times are those of one instance, and the others change the clock",
            f"ask its administrator to run: nvidia-smi -i {index} -mig 0",
        )
    if state.other_processes:
        many = f"{state.other_processes} other processes use"
        yield (
            f"{'another process uses' if state.other_processes == 1 else many} it: times get longer and vary more",
            "wait, or choose another GPU with --gpu; nvidia-smi lists the processes",
        )

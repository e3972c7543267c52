"""The GPUs of this machine as the driver lists them, and what of their state would disturb times; no CUDA needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pynvml

from shflbench.backends.nvml import as_text
from shflbench.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.model import DeviceState

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


def usable(state: DeviceState) -> bool:
    """Whether CUDA programs may use the GPU at all."""
    return state.compute_mode != "prohibited"


def describe(state: DeviceState) -> str:
    """Return what is known of the state in one line, empty if nothing is."""
    switches = {"ECC": state.ecc, "MIG": state.mig, "persistence": state.persistence}
    parts = [f"{name} {'on' if on else 'off'}" for name, on in switches.items() if on is not None]
    if state.compute_mode is not None:
        parts.append(f"compute mode {state.compute_mode}")
    if state.power_limit_w is not None:
        parts.append(f"power limit {state.power_limit_w:g} W")
    if parts and state.other_processes is None:
        parts.append("other processes not shown here")
    if state.other_processes == 0:
        parts.append("nobody else computes on it")
    return ", ".join(parts)


def disturbances(index: int, state: DeviceState) -> Iterator[tuple[str, str]]:
    """Yield what would disturb a measurement, each with its remedy; `index` is the GPU's, as nvidia-smi counts."""
    if not usable(state):
        yield (
            "no program may compute on it: its compute mode is prohibited",
            f"have its owner run: nvidia-smi -i {index} -c DEFAULT",
        )
    if state.mig:
        yield (
            "MIG cuts it into instances: times are those of one, and others move the clock",
            f"have its owner run: nvidia-smi -i {index} -mig 0",
        )
    if state.other_processes:
        who = "another process computes" if state.other_processes == 1 else f"{state.other_processes} others compute"
        yield (
            f"{who} on it, which makes times longer and uneven",
            "wait, or choose another GPU with --gpu; nvidia-smi lists who it is",
        )

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from shflbench.cli.gpus import Gpu, find
from shflbench.errors import DeviceError
from tests.fakes.nvml import scripted

ANSWERS: dict[str, Any] = {
    "nvmlInit": None,
    "nvmlShutdown": None,
    "nvmlSystemGetDriverVersion": "580.159.04",
    "nvmlDeviceGetCount": 1,
    "nvmlDeviceGetHandleByIndex": "handle",
    "nvmlDeviceGetCudaComputeCapability": (9, 0),
    "nvmlDeviceGetName": "NVIDIA H200",
    "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=150_754_820_096),
    "nvmlDeviceGetUUID": "GPU-1234",
}
H200 = Gpu(0, "NVIDIA H200", "sm_90", 140.4, "580.159.04", "GPU-1234")
LOST = pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
UNDECODABLE = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make NVML answer as above, but for what is named; an error is raised."""
    return scripted(monkeypatch, ANSWERS)


@pytest.mark.usefixtures("nvml")
def test_gpus_are_those_that_the_driver_lists() -> None:
    assert find() == [H200]


def test_texts_that_come_as_bytes_are_read(nvml: Callable[..., None]) -> None:
    nvml(nvmlSystemGetDriverVersion=b"580.159.04", nvmlDeviceGetName=b"NVIDIA H200", nvmlDeviceGetUUID=b"GPU-1234")
    assert find() == [H200]


@pytest.mark.parametrize("code", [pynvml.NVML_ERROR_LIBRARY_NOT_FOUND, pynvml.NVML_ERROR_DRIVER_NOT_LOADED])
def test_machine_without_a_driver_is_told_from_a_broken_one(nvml: Callable[..., None], code: int) -> None:
    nvml(nvmlInit=pynvml.NVMLError(code))
    with pytest.raises(DeviceError, match=r"^no NVIDIA driver is loaded$"):
        find()
    nvml(nvmlInit=pynvml.NVMLError(pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH))
    with pytest.raises(DeviceError, match=r"^the NVIDIA driver does not answer: ") as caught:
        find()
    assert "reboot" in caught.value.advice


@pytest.mark.parametrize("failure", [LOST, UNDECODABLE], ids=repr)
@pytest.mark.parametrize("question", [name for name in ANSWERS if name not in {"nvmlInit", "nvmlShutdown"}])
def test_driver_that_fails_at_any_question_is_an_error_with_advice(
    nvml: Callable[..., None], question: str, failure: Exception
) -> None:
    nvml(**{question: failure})
    with pytest.raises(DeviceError, match=r"^the NVIDIA driver does not describe its GPUs: ") as caught:
        find()
    assert caught.value.advice == "`nvidia-smi` should say why"


def test_driver_that_goes_away_at_the_end_has_still_said_what_there_is(nvml: Callable[..., None]) -> None:
    nvml(nvmlShutdown=LOST)
    assert find() == [H200]

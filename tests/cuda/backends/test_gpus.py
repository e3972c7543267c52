from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from shflbench.core.model import DeviceState
from shflbench.cuda.backends.gpus import Gpu, describe, disturbances, find, usable
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
QUIET = DeviceState(
    ecc=True, mig=False, persistence=True, compute_mode="default", power_limit_w=700.0, other_processes=0
)
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
def test_missing_driver_and_broken_driver_have_different_messages(nvml: Callable[..., None], code: int) -> None:
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
    assert caught.value.advice == "run `nvidia-smi` for the reason"


def test_gpus_are_listed_although_the_driver_is_unloaded_at_the_end(nvml: Callable[..., None]) -> None:
    nvml(nvmlShutdown=LOST)
    assert find() == [H200]


def test_state_is_described_in_one_line() -> None:
    assert describe(QUIET) == (
        "ECC on, MIG off, persistence on, compute mode default, power limit 700 W, no other process"
    )


def test_unknown_settings_are_left_out() -> None:
    assert describe(DeviceState(ecc=False, power_limit_w=72.5, other_processes=0)) == (
        "ECC off, power limit 72.5 W, no other process"
    )
    assert describe(DeviceState()) == ""


def test_processes_that_cannot_be_listed_are_unknown() -> None:
    assert describe(DeviceState(ecc=True)) == "ECC on, other processes unknown"


@pytest.mark.parametrize("state", [QUIET, DeviceState()], ids=["quiet", "unknown"])
def test_nothing_disturbs_a_quiet_or_unknown_gpu(state: DeviceState) -> None:
    assert list(disturbances(0, state)) == []
    assert usable(state)


@pytest.mark.parametrize(
    ("state", "sentence", "remedy"),
    [
        (
            replace(QUIET, mig=True),
            "MIG is on: times are those of one instance, and the others change the clock",
            "ask its administrator to run: nvidia-smi -i 2 -mig 0",
        ),
        (
            replace(QUIET, other_processes=1),
            "another process uses it: times get longer and vary more",
            "wait, or choose another GPU with --gpu; nvidia-smi lists the processes",
        ),
        (
            replace(QUIET, other_processes=3),
            "3 other processes use it: times get longer and vary more",
            "wait, or choose another GPU with --gpu; nvidia-smi lists the processes",
        ),
        (
            replace(QUIET, compute_mode="prohibited"),
            "its compute mode is prohibited: no program may use it",
            "ask its administrator to run: nvidia-smi -i 2 -c DEFAULT",
        ),
    ],
    ids=["mig", "another", "others", "prohibited"],
)
def test_disturbance_has_a_remedy(state: DeviceState, sentence: str, remedy: str) -> None:
    assert list(disturbances(2, state)) == [(sentence, remedy)]


def test_gpu_whose_compute_mode_is_prohibited_cannot_be_used() -> None:
    assert not usable(replace(QUIET, compute_mode="prohibited"))
    assert usable(replace(QUIET, compute_mode="exclusive-process"))

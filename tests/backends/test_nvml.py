from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pynvml
import pytest

from shflbench.backends.nvml import THROTTLE_REASONS, Monitor
from shflbench.model import Conditions

if TYPE_CHECKING:
    from collections.abc import Callable

UUID = "GPU-1234"
UNSUPPORTED = pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)

ANSWERS: dict[str, Any] = {
    "nvmlInit": None,
    "nvmlDeviceGetHandleByUUID": "handle",
    "nvmlDeviceGetCurrentClocksEventReasons": 0x1,  # idle
    "nvmlDeviceGetPowerUsage": 182500,
    "nvmlDeviceGetClockInfo": 1980,
    "nvmlDeviceGetTemperature": 41,
    "nvmlDeviceGetMaxClockInfo": 1995,
    "nvmlSystemGetDriverVersion": "580.159",
}


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make NVML answer as above, but for what is named; an error is raised."""

    def answering(answer: Any) -> Callable[..., Any]:
        def ask(*_: object) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask

    def answers(**changes: Any) -> None:
        for question, answer in (ANSWERS | changes).items():
            monkeypatch.setattr(pynvml, question, answering(answer))

    answers()
    return answers


@pytest.mark.usefixtures("nvml")
def test_conditions_are_what_nvml_says() -> None:
    monitor = Monitor(UUID)
    assert monitor.problem == ""
    assert monitor.conditions() == Conditions(sm_clock_mhz=1980, temperature_c=41, power_w=182.5, throttle=())
    assert (monitor.driver(), monitor.max_clock_mhz()) == ("580.159", 1995)


def test_gpu_is_found_by_its_uuid(nvml: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    nvml()
    asked: list[str] = []
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", asked.append)
    Monitor(UUID)
    assert asked == [UUID]


@pytest.mark.parametrize(("bit", "reason"), THROTTLE_REASONS.items())
def test_reason_that_slows_the_clock_is_named(nvml: Callable[..., None], bit: int, reason: str) -> None:
    nvml(nvmlDeviceGetCurrentClocksEventReasons=bit | 0x1)
    assert Monitor(UUID).conditions().throttle == (reason,)


@pytest.mark.parametrize("bit", [0x1, 0x2, 0x100])  # idle, clocks set by the user, clocks of a display
def test_reason_that_is_no_throttling_is_not_named(nvml: Callable[..., None], bit: int) -> None:
    nvml(nvmlDeviceGetCurrentClocksEventReasons=bit)
    assert Monitor(UUID).conditions().throttle == ()


def test_reasons_have_the_bits_of_nvml() -> None:
    prefix = "nvmlClocksEventReason"
    names = ("SwPowerCap", "SyncBoost", "SwThermalSlowdown")
    assert {getattr(pynvml, prefix + name) for name in names} < set(THROTTLE_REASONS)
    slowdowns = ("HwSlowdown", "HwThermalSlowdown", "HwPowerBrakeSlowdown")
    assert {getattr(pynvml, f"nvmlClocksThrottleReason{name}") for name in slowdowns} < set(THROTTLE_REASONS)


def test_question_that_the_gpu_does_not_answer_stays_unknown(nvml: Callable[..., None]) -> None:
    nvml(nvmlDeviceGetPowerUsage=UNSUPPORTED, nvmlDeviceGetCurrentClocksEventReasons=UNSUPPORTED)
    assert Monitor(UUID).conditions() == Conditions(sm_clock_mhz=1980, temperature_c=41, power_w=None, throttle=())
    nvml(nvmlDeviceGetMaxClockInfo=UNSUPPORTED)
    assert Monitor(UUID).max_clock_mhz() == 0


@pytest.mark.parametrize("question", ["nvmlInit", "nvmlDeviceGetHandleByUUID"])
def test_without_nvml_everything_is_unknown_and_the_problem_is_named(nvml: Callable[..., None], question: str) -> None:
    nvml(**{question: pynvml.NVMLError(pynvml.NVML_ERROR_DRIVER_NOT_LOADED)})
    monitor = Monitor(UUID)
    assert monitor.problem == (
        "NVML does not work (Driver Not Loaded): clock, temperature, power and throttling are unknown"
    )
    assert (monitor.conditions(), monitor.driver(), monitor.max_clock_mhz()) == (Conditions(), "", 0)


def test_missing_package_is_a_problem_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert Monitor(UUID).problem.startswith("NVML does not work (")

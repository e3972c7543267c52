from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from shflbench.core.model import Conditions, DeviceState
from shflbench.cuda.backends.nvml import (
    MACHINE_NAMESPACE,
    THROTTLE_REASONS,
    Monitor,
    count_others,
    named_uuid,
    sees_everyone,
)
from tests.fakes.nvml import scripted

UUID = "GPU-1234"
UNSUPPORTED = pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
NO_FUNCTION = pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
LOST = pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
UNDECODABLE = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


def processes(*pids: int) -> list[SimpleNamespace]:
    return [SimpleNamespace(pid=pid, usedGpuMemory=None) for pid in pids]


# Values of an H200 with driver 580; only clock, power, temperature and processes are invented.
ANSWERS: dict[str, Any] = {
    "nvmlInit": None,
    "nvmlDeviceGetHandleByUUID": "handle",
    "nvmlDeviceGetCurrentClocksEventReasons": 0x1,  # idle
    "nvmlDeviceGetPowerUsage": 182500,
    "nvmlDeviceGetClockInfo": 1980,
    "nvmlDeviceGetTemperature": 41,
    "nvmlDeviceGetCurrentClocksThrottleReasons": 0x1,
    "nvmlDeviceGetMaxClockInfo": 1995,
    "nvmlDeviceGetMemoryBusWidth": 6144,
    "nvmlSystemGetDriverVersion": "580.159",
    "nvmlDeviceGetPciInfo": SimpleNamespace(busId="00000000:00:06.0"),
    "nvmlDeviceGetApplicationsClock": 1980,
    "nvmlDeviceGetEccMode": [1, 1],
    "nvmlDeviceGetMigMode": [0, 0],
    "nvmlDeviceGetPersistenceMode": 1,
    "nvmlDeviceGetComputeMode": 0,
    "nvmlDeviceGetEnforcedPowerLimit": 700000,
    "nvmlDeviceGetMemoryInfo": SimpleNamespace(used=644939776),
    "nvmlDeviceGetComputeRunningProcesses": processes(17, 425),
}
QUESTIONS = [name for name in ANSWERS if name not in {"nvmlInit", "nvmlDeviceGetHandleByUUID"}]


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Script NVML to return ANSWERS, with changes by keyword; errors are raised. The process is in no container."""
    namespace = tmp_path / "pid"
    namespace.symlink_to(MACHINE_NAMESPACE)
    monkeypatch.setattr("shflbench.cuda.backends.nvml.OWN_NAMESPACE", namespace)
    return scripted(monkeypatch, ANSWERS)


@pytest.mark.usefixtures("nvml")
def test_conditions_are_those_of_nvml() -> None:
    monitor = Monitor(UUID)
    assert monitor.problem == ""
    assert monitor.conditions() == Conditions(sm_clock_mhz=1980, temperature_c=41, power_w=182.5, throttle=())
    assert (monitor.driver(), monitor.max_clock_mhz()) == ("580.159", 1995)


def test_gpu_is_found_by_its_uuid(nvml: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    nvml()
    queried: list[str] = []
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", queried.append)
    Monitor(UUID)
    assert queried == [UUID]


@pytest.mark.parametrize(("known", "name"), [("GPU-12", "GPU-12"), ("MIG-12", "MIG-12"), ("GPU-99", "GPU-12")])
def test_uuid_has_the_prefix_by_which_the_driver_knows_it(
    nvml: Callable[..., None], monkeypatch: pytest.MonkeyPatch, known: str, name: str
) -> None:
    def handle(uuid: str) -> str:
        if uuid != known:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return uuid

    nvml()
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", handle)
    assert named_uuid("12") == name


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


def test_value_that_the_gpu_does_not_support_is_unknown(nvml: Callable[..., None]) -> None:
    nvml(nvmlDeviceGetPowerUsage=UNSUPPORTED, nvmlDeviceGetCurrentClocksEventReasons=UNSUPPORTED)
    assert Monitor(UUID).conditions() == Conditions(sm_clock_mhz=1980, temperature_c=41, power_w=None, throttle=())
    nvml(nvmlDeviceGetMaxClockInfo=UNSUPPORTED)
    assert Monitor(UUID).max_clock_mhz() == 0


@pytest.mark.parametrize("question", ["nvmlInit", "nvmlDeviceGetHandleByUUID"])
def test_without_nvml_all_values_are_unknown_and_the_problem_is_named(nvml: Callable[..., None], question: str) -> None:
    nvml(**{question: pynvml.NVMLError(pynvml.NVML_ERROR_DRIVER_NOT_LOADED)})
    monitor = Monitor(UUID)
    assert monitor.problem == (
        "NVML does not work (Driver Not Loaded): clock, temperature, power and throttling are unknown"
    )
    assert (monitor.conditions(), monitor.driver(), monitor.max_clock_mhz()) == (Conditions(), "", 0)
    assert monitor.state({425}) == DeviceState()


def test_throttling_is_read_from_a_driver_with_its_old_name(nvml: Callable[..., None]) -> None:
    nvml(nvmlDeviceGetCurrentClocksEventReasons=NO_FUNCTION, nvmlDeviceGetCurrentClocksThrottleReasons=0x40)
    assert Monitor(UUID).conditions().throttle == ("hardware thermal slowdown",)


@pytest.mark.usefixtures("nvml")
def test_state_is_that_of_nvml() -> None:
    assert Monitor(UUID).state({425}) == DeviceState(
        pci_bus="00000000:00:06.0",
        max_memory_clock_mhz=1995,
        memory_bus_bits=6144,
        application_clock_mhz=1980,
        application_memory_clock_mhz=1980,
        ecc=True,
        mig=False,
        persistence=True,
        compute_mode="default",
        power_limit_w=700.0,
        memory_used_bytes=644939776,
        other_processes=1,
    )


def test_each_clock_is_queried_by_its_number(nvml: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    nvml()
    clocks = {pynvml.NVML_CLOCK_SM: 1980, pynvml.NVML_CLOCK_MEM: 3201}
    for question in ("nvmlDeviceGetMaxClockInfo", "nvmlDeviceGetApplicationsClock"):
        monkeypatch.setattr(pynvml, question, lambda _, kind: clocks[kind])
    monitor = Monitor(UUID)
    state = monitor.state()
    assert (monitor.max_clock_mhz(), state.max_memory_clock_mhz) == (1980, 3201)
    assert (state.application_clock_mhz, state.application_memory_clock_mhz) == (1980, 3201)


def test_switch_has_its_current_state_and_not_the_one_after_a_reset(nvml: Callable[..., None]) -> None:
    nvml(nvmlDeviceGetEccMode=[1, 0], nvmlDeviceGetMigMode=[0, 1])
    state = Monitor(UUID).state()
    assert (state.ecc, state.mig) == (True, False)


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        (pynvml.NVML_COMPUTEMODE_DEFAULT, "default"),
        (pynvml.NVML_COMPUTEMODE_PROHIBITED, "prohibited"),
        (pynvml.NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, "exclusive-process"),
        (77, None),
    ],
)
def test_compute_mode_has_the_name_of_nvml(nvml: Callable[..., None], mode: int, name: str | None) -> None:
    nvml(nvmlDeviceGetComputeMode=mode)
    assert Monitor(UUID).state().compute_mode == name


def test_text_that_nvml_gives_as_bytes_is_read(nvml: Callable[..., None]) -> None:
    nvml(nvmlSystemGetDriverVersion=b"580.159", nvmlDeviceGetPciInfo=SimpleNamespace(busId=b"00000000:5D:00.0"))
    monitor = Monitor(UUID)
    assert (monitor.driver(), monitor.state().pci_bus) == ("580.159", "00000000:5D:00.0")


def test_processes_are_unknown_where_the_driver_does_not_list_them(nvml: Callable[..., None]) -> None:
    nvml(nvmlDeviceGetComputeRunningProcesses=UNSUPPORTED)
    assert Monitor(UUID).other_processes({425}) is None


@pytest.mark.parametrize("failure", [UNSUPPORTED, NO_FUNCTION, LOST, UNDECODABLE, None, b"", [], "?"], ids=repr)
@pytest.mark.parametrize("question", QUESTIONS)
def test_one_failed_query_loses_one_value(nvml: Callable[..., None], question: str, failure: object) -> None:
    def answers() -> list[object]:
        monitor = Monitor(UUID)
        now, state = monitor.conditions(), monitor.state({425})
        parts = [getattr(part, name) for part in (now, state) for name in part.__slots__]
        return [*parts, monitor.driver(), monitor.max_clock_mhz()]

    usual = answers()
    nvml(**{question: failure})
    changed = [(before, after) for before, after in zip(usual, answers(), strict=True) if before != after]
    # The maximum and the application clock are queried twice, for the SM and for the memory.
    assert len(changed) <= (2 if "Clock" in question else 1), changed
    assert all(after in {None, "", "?", 0} for _, after in changed)


@pytest.mark.parametrize("failure", [LOST, UNDECODABLE, RuntimeError("broken")], ids=repr)
def test_nvml_that_fails_later_leaves_all_values_unknown_and_the_problem_named(
    nvml: Callable[..., None], failure: Exception
) -> None:
    monitor = Monitor(UUID)
    assert monitor.conditions().sm_clock_mhz == 1980
    nvml(**dict.fromkeys(QUESTIONS, failure))
    assert (monitor.conditions(), monitor.state({425})) == (Conditions(), DeviceState())
    assert (monitor.driver(), monitor.max_clock_mhz(), monitor.other_processes()) == ("", 0, None)
    assert monitor.problem == (
        f"NVML stopped answering ({failure}): clock, temperature, power and throttling are unknown"
    )


@pytest.mark.usefixtures("nvml")
def test_nvml_that_works_has_no_problem_after_many_queries() -> None:
    monitor = Monitor(UUID)
    for _ in range(3):
        monitor.conditions()
        monitor.state()
    assert monitor.problem == ""


def test_machine_without_the_library_has_a_problem_and_raises_nothing(nvml: Callable[..., None]) -> None:
    nvml(nvmlInit=pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND))
    assert Monitor(UUID).problem == (
        "NVML does not work (NVML Shared Library Not Found): clock, temperature, power and throttling are unknown"
    )


OURS = (17, 18)  # the command and its worker; only the worker computes


@pytest.mark.parametrize(("listed", "others"), [((), 0), ((18,), 0), ((18, 99), 1), ((98, 99), 2), ((18, 99, 99), 1)])
def test_outside_of_containers_all_processes_but_ours_are_counted(listed: tuple[int, ...], others: int) -> None:
    assert count_others(listed, OURS, everyone=True) == others


@pytest.mark.parametrize(
    ("listed", "ours", "others"),
    [
        pytest.param((18, 99), OURS, 1, id="another process is visible"),
        pytest.param((), OURS, None, id="an empty list proves nothing"),
        pytest.param((18,), OURS, None, id="nor does our process alone"),
        pytest.param((40_018,), OURS, None, id="our process has another id on the machine"),
        pytest.param((40_018, 40_019), (), 2, id="all are others where none is ours"),
    ],
)
def test_in_a_container_visible_processes_are_counted_that_are_not_ours(
    listed: tuple[int, ...], ours: tuple[int, ...], others: int | None
) -> None:
    assert count_others(listed, ours, everyone=False) == others


@pytest.mark.parametrize(
    ("targets", "expected"),
    [([MACHINE_NAMESPACE], True), (["pid:[4026532201]"], False), ([], False)],
    ids=["machine", "container", "no proc"],
)
def test_namespace_shows_whether_this_is_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, targets: list[str], *, expected: bool
) -> None:
    namespace = tmp_path / "pid"
    for target in targets:
        namespace.symlink_to(target)
    monkeypatch.setattr("shflbench.cuda.backends.nvml.OWN_NAMESPACE", namespace)
    assert sees_everyone() is expected

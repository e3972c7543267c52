"""Read a GPU's state through NVML, the driver's management library.

NVML may be missing, refuse a query or fail at any time, and a measurement must not fail with it: values that NVML
does not return are unknown, and nothing in `Monitor` raises.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pynvml

from shflbench.core.model import Conditions, DeviceState

if TYPE_CHECKING:
    from collections.abc import Collection

# Clock event reasons that keep the clock below the requested one. Idle, an application clock set by the user, and the
# clock of a display are not among them. Source: nvml.h, nvmlClocksEventReasons.
THROTTLE_REASONS = {
    0x04: "software power cap",
    0x08: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
# Source: nvml.h, nvmlComputeMode_t. The mode 1, exclusive thread, no longer exists.
COMPUTE_MODES: dict[int | None, str] = {0: "default", 2: "prohibited", 3: "exclusive-process"}
# The pid namespace of the machine itself always has this number. Source: Linux, include/linux/proc_ns.h,
# PROC_PID_INIT_INO.
MACHINE_NAMESPACE = "pid:[4026531836]"
WHOLE, INSTANCE = "GPU-", "MIG-"  # prefixes of UUIDs
OWN_NAMESPACE = Path("/proc/self/ns/pid")


class Monitor:
    """Queries one GPU."""

    def __init__(self, uuid: str) -> None:
        """Open the GPU with `uuid` (`GPU-…`, or `MIG-…`); where NVML fails, now or later, `problem` says why."""
        self.problem = ""
        self._refusal = ""  # why the last failed query failed
        self._handle: Any = None
        try:
            pynvml.nvmlInit()
            self._handle = pynvml.nvmlDeviceGetHandleByUUID(uuid)
        except Exception as error:  # noqa: BLE001  (whatever a broken driver or binding raises)
            self.problem = _problem("does not work", str(error))

    def conditions(self) -> Conditions:
        """Return the GPU's current clock, temperature, power and throttle reasons."""
        if self._handle is None:
            return Conditions()
        reasons = self._number("nvmlDeviceGetCurrentClocksEventReasons")
        if reasons is None:
            reasons = self._number("nvmlDeviceGetCurrentClocksThrottleReasons")  # its name before driver 535
        now = Conditions(
            sm_clock_mhz=self._number("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_SM),
            temperature_c=self._number("nvmlDeviceGetTemperature", pynvml.NVML_TEMPERATURE_GPU),
            power_w=_watts(self._number("nvmlDeviceGetPowerUsage")),
            throttle=tuple(name for bit, name in THROTTLE_REASONS.items() if (reasons or 0) & bit),
        )
        if reasons is None and now == Conditions() and not self.problem:
            self.problem = _problem("stopped answering", self._refusal)
        return now

    def state(self, own_pids: Collection[int] = ()) -> DeviceState:
        """Return the GPU's settings and the number of other processes; `own_pids` are the processes of this run.

        `l2_bytes` stays None: NVML does not report it.
        """
        return DeviceState(
            pci_bus=as_text(getattr(self._ask("nvmlDeviceGetPciInfo"), "busId", None)),
            max_memory_clock_mhz=self._number("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_MEM),
            memory_bus_bits=self._number("nvmlDeviceGetMemoryBusWidth"),
            application_clock_mhz=self._number("nvmlDeviceGetApplicationsClock", pynvml.NVML_CLOCK_SM),
            application_memory_clock_mhz=self._number("nvmlDeviceGetApplicationsClock", pynvml.NVML_CLOCK_MEM),
            ecc=_is_on(self._ask("nvmlDeviceGetEccMode")),
            mig=_is_on(self._ask("nvmlDeviceGetMigMode")),
            persistence=_is_on(self._ask("nvmlDeviceGetPersistenceMode")),
            compute_mode=COMPUTE_MODES.get(self._number("nvmlDeviceGetComputeMode")),
            power_limit_w=_watts(self._number("nvmlDeviceGetEnforcedPowerLimit")),
            memory_used_bytes=as_number(getattr(self._ask("nvmlDeviceGetMemoryInfo"), "used", None)),
            other_processes=self.other_processes(own_pids),
        )

    def other_processes(self, own_pids: Collection[int] = ()) -> int | None:
        """Return how many processes other than `own_pids` compute on the GPU now; None if unknown."""
        listed = self._ask("nvmlDeviceGetComputeRunningProcesses")
        if not isinstance(listed, list):
            return None
        pids = {pid for pid in (as_number(getattr(process, "pid", None)) for process in listed) if pid is not None}
        return count_others(pids, own_pids, everyone=sees_everyone())

    def index(self) -> int | None:
        """Return the number by which nvidia-smi lists the GPU; None if unknown."""
        return self._number("nvmlDeviceGetIndex")

    def driver(self) -> str:
        """Return the driver's version, empty if unknown."""
        if self._handle is None:
            return ""
        try:
            return as_text(pynvml.nvmlSystemGetDriverVersion()) or ""
        except Exception:  # noqa: BLE001  (as above)
            return ""

    def max_clock_mhz(self) -> int:
        """Return the highest SM clock the driver offers, 0 if unknown."""
        return self._number("nvmlDeviceGetMaxClockInfo", pynvml.NVML_CLOCK_SM) or 0

    def _number(self, question: str, *arguments: int) -> int | None:
        return as_number(self._ask(question, *arguments))

    def _ask(self, question: str, *arguments: int) -> Any:  # noqa: ANN401  (each query has its own type of result)
        if self._handle is None:
            return None
        try:
            return getattr(pynvml, question)(self._handle, *arguments)
        except Exception as error:  # noqa: BLE001  (not every GPU, driver and binding supports every query)
            self._refusal = str(error)
            return None


def named_uuid(digits: str) -> str:
    """Return the UUID of a GPU or of a MIG instance with the prefix by which the driver knows it.

    CUDA 13 gives the UUID of the instance for a GPU in MIG mode, without saying which of the two it is
    (`cuDeviceGetUuid`). Without NVML, a whole GPU is assumed.
    """
    for prefix in (WHOLE, INSTANCE):
        uuid = f"{prefix}{digits}"
        try:
            pynvml.nvmlInit()
            pynvml.nvmlDeviceGetHandleByUUID(uuid)
        except Exception:  # noqa: BLE001, S112  (as above)
            continue
        return uuid
    return f"{WHOLE}{digits}"


def as_text(answer: object) -> str | None:
    """Return a text that NVML gave as str or, in some versions of the binding, as bytes."""
    if isinstance(answer, bytes):
        return answer.decode(errors="replace")
    return answer if isinstance(answer, str) else None


def as_number(answer: object) -> int | None:
    """Return a whole number that NVML gave, None for anything else."""
    return answer if isinstance(answer, int) and not isinstance(answer, bool) else None


def _is_on(answer: object) -> bool | None:
    """Return the state of a switch; NVML gives a pair for some, the states now and after the next reset."""
    now = answer[0] if isinstance(answer, list | tuple) and answer else answer
    return {0: False, 1: True}.get(now) if isinstance(now, int) else None


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def _problem(what: str, why: str) -> str:
    return f"NVML {what} ({why}): clock, temperature, power and throttling are unknown"


def sees_everyone() -> bool:
    """Whether this process is in the machine's own pid namespace, outside all containers."""
    try:
        return str(OWN_NAMESPACE.readlink()) == MACHINE_NAMESPACE
    except OSError:
        return False


def count_others(listed: Collection[int], ours: Collection[int], *, everyone: bool) -> int | None:
    """Return how many of the processes `listed` by the driver are not `ours`; None if unknown.

    `everyone` says whether the driver lists all processes by the ids of this namespace. In a container it does not:
    current drivers omit processes outside of the container (open-gpu-kernel-modules, `gpuGetProcWithObject`, which
    skips NV_ERR_OBJECT_NOT_FOUND), and older ones list the machine's ids, among which ours cannot be recognized
    (nvidia-docker issue 1483). The count is then a lower bound.
    """
    others = len(set(listed) - set(ours))
    if everyone:
        return others
    recognized = not ours or not set(ours).isdisjoint(listed)
    return others or None if recognized else None

"""Read a GPU's state through NVML; whatever NVML does not say stays unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pynvml

from shflbench.model import Conditions

if TYPE_CHECKING:
    from collections.abc import Callable

# Clock event reasons that slow the clock down below what was asked for. Idle, an application clock set
# by the user and a display's clock are not among them. Source: nvml.h, nvmlClocksEventReasons.
THROTTLE_REASONS = {
    0x04: "software power cap",
    0x08: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}


class Monitor:
    """Watches one GPU."""

    def __init__(self, uuid: str) -> None:
        """Watch the GPU with `uuid` (`GPU-…`); without NVML all conditions are unknown and `problem` says why."""
        self.problem = ""
        self._handle: Any = None
        try:
            pynvml.nvmlInit()
            self._handle = pynvml.nvmlDeviceGetHandleByUUID(uuid)
        except pynvml.NVMLError as error:
            self.problem = f"NVML does not work ({error}): clock, temperature, power and throttling are unknown"

    def conditions(self) -> Conditions:
        """Return the GPU's state as it is now."""
        if self._handle is None:
            return Conditions()
        reasons = self._ask(pynvml.nvmlDeviceGetCurrentClocksEventReasons) or 0
        power_mw = self._ask(pynvml.nvmlDeviceGetPowerUsage)
        return Conditions(
            sm_clock_mhz=self._ask(pynvml.nvmlDeviceGetClockInfo, pynvml.NVML_CLOCK_SM),
            temperature_c=self._ask(pynvml.nvmlDeviceGetTemperature, pynvml.NVML_TEMPERATURE_GPU),
            power_w=None if power_mw is None else power_mw / 1000,
            throttle=tuple(name for bit, name in THROTTLE_REASONS.items() if reasons & bit),
        )

    def driver(self) -> str:
        """Return the driver's version, empty if unknown."""
        return "" if self._handle is None else str(pynvml.nvmlSystemGetDriverVersion())

    def max_clock_mhz(self) -> int:
        """Return the highest SM clock the driver offers, 0 if unknown."""
        if self._handle is None:
            return 0
        return self._ask(pynvml.nvmlDeviceGetMaxClockInfo, pynvml.NVML_CLOCK_SM) or 0

    def _ask(self, question: Callable[..., int], *arguments: int) -> int | None:
        try:
            return question(self._handle, *arguments)
        except pynvml.NVMLError:  # not every GPU answers every question
            return None

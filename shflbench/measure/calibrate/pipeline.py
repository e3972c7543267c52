"""Measure all figures of a GPU, in rounds and in several processes, and return what is known at the end."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

import shflbench
from shflbench.core.arch import load
from shflbench.errors import DeviceError, LaunchError
from shflbench.measure.calibrate.estimate import estimate, over_processes
from shflbench.measure.calibrate.probes import PROBES, select_supported
from shflbench.store import surroundings
from shflbench.store.calibration_file import CalibratedFigure, Calibration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import Interval
    from shflbench.measure.calibrate.estimate import LengthPair
    from shflbench.measure.calibrate.probe import Probe
    from shflbench.measure.calibrate.worker import CalibrationDevice, OpenedDevice

# Some figures differ more between processes than within one, which keeps the addresses of its code and its buffers: on
# an H200, with one kernel and one buffer, three processes differed by 7% in a launch and by 4% in atomic additions. The
# first processes on an idle GPU were 4% lower in atomic additions; the median of five leaves out two of them.
PROCESSES = 5
# Per process; a round takes about 0.15 s on an H200. Slow states of a GPU last up to 0.1 s: they affect a few rounds,
# not the median. Nine values are the fewest whose 95% interval leaves out the lowest and the highest.
ROUNDS = 9
MOST_DEATHS = 5  # of the worker process in a row: more than there are variants of one kernel
GONE = "the GPU could not be used any more"


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far the calibration is: in a process, from 1 on, a figure of a round is being measured."""

    name: str
    process: int
    done: int
    total: int


@dataclass(slots=True)
class _Process:
    """The rounds of one process; if it dies, the process that follows it continues them."""

    rounds: dict[str, list[tuple[LengthPair, ...]]]  # by figure; a round is empty if the host disturbed it
    failures: dict[str, str] = field(default_factory=dict)
    deaths: int = 0  # since the last round that was taken

    def open(self, device: CalibrationDevice) -> None:
        """Open the device in a new process; where that fails, the device counts as lost."""
        device.close()
        try:
            device.open()
        except DeviceError:
            self.deaths = MOST_DEATHS

    def take(self, device: CalibrationDevice, name: str) -> None:
        """Take one round of a figure, unless the device is lost."""
        if self.deaths == MOST_DEATHS:
            self.failures[name] = GONE
            return
        try:
            outcome = device.take(name)
        except DeviceError:  # another process could not open it
            self.deaths, self.failures[name] = MOST_DEATHS, GONE
            return
        self.deaths = 0 if outcome.usable else self.deaths + 1
        if outcome.failure:
            self.failures[name] = outcome.failure
        else:
            self.rounds[name].append(outcome.pairs)

    def estimate(self, probe: Probe) -> Interval | None:
        """Return a figure with its interval; None without one."""
        # After the device was lost, the rounds taken before it still count; a kernel that fails has no figure.
        failed = self.failures.get(probe.name, GONE) != GONE
        return None if failed else estimate(self.rounds[probe.name], probe.formula)

    def reason(self, name: str) -> str:
        """Return why a figure has no value."""
        if name in self.failures:
            return self.failures[name]
        return "the SM clock is unknown" if any(self.rounds[name]) else "the host was too slow to queue its launches"


def calibrate(device: CalibrationDevice) -> Iterator[OpenedDevice | RoundProgress | Calibration]:
    """Open the device and yield it, then the progress, and at the end the calibration.

    A figure that fails in a process has no value from it, and is missing, with the reason, if that is so in all of
    them. DeviceError if the device cannot be used, LaunchError if no figure could be measured.
    """
    start = time.monotonic()
    opened = device.open()
    yield opened
    probes = select_supported(opened.device.arch)
    processes = [_Process({probe.name: [] for probe in probes}) for _ in range(PROCESSES)]
    steps = ROUNDS * len(probes)
    for number, process in enumerate(processes):
        if number:
            yield RoundProgress("start", number + 1, number * steps, PROCESSES * steps)
            process.open(device)
        for step in range(steps):
            probe = probes[step % len(probes)]
            if probe.name not in process.failures:
                yield RoundProgress(probe.text, number + 1, number * steps + step, PROCESSES * steps)
                process.take(device, probe.name)
    yield _calibration(opened, probes, processes, time.monotonic() - start)


def _calibration(
    opened: OpenedDevice, probes: Sequence[Probe], processes: Sequence[_Process], seconds: float
) -> Calibration:
    device = opened.device
    figures, missing = _figures(device.arch, probes, processes)
    pairs = (pair for process in processes for taken in process.rounds.values() for pairs in taken for pair in pairs)
    clocks = [pair.long.clock_mhz for pair in pairs if pair.long.clock_mhz]
    return Calibration(
        device=device.name,
        uuid=device.uuid,
        arch=device.arch,
        sms=device.sms,
        driver=device.driver,
        cuda=device.cuda,
        clock_mhz=median(clocks) if clocks else None,
        measured=surroundings.utc_now(),
        seconds=seconds,
        shflbench=shflbench.__version__,
        nvrtc=opened.nvrtc,
        figures=figures,
        missing=missing,
    )


def _figures(
    arch: str, probes: Sequence[Probe], processes: Sequence[_Process]
) -> tuple[dict[str, CalibratedFigure], dict[str, str]]:
    """Return the figures, and why others are missing; LaunchError if there is none."""
    table = load(arch)
    figures: dict[str, CalibratedFigure] = {}
    missing = {probe.name: f"{arch} has no such instruction" for probe in PROBES if probe not in probes}
    for probe in probes:
        intervals = [interval for process in processes if (interval := process.estimate(probe))]
        if not intervals:
            reasons = [process.reason(probe.name) for process in processes]
            missing[probe.name] = next((reason for reason in reasons if reason != GONE), GONE)
            continue
        whole = over_processes(intervals)
        figures[probe.name] = CalibratedFigure(
            whole.value, whole.low, whole.high, probe.unit.value, probe.documented_value(table), len(intervals)
        )
    if not figures:
        reason = next(filter(None, (missing.get(probe.name) for probe in probes)), GONE)
        raise LaunchError(f"no figure could be measured: {reason}", "Run `shflbench doctor`.")
    return figures, missing

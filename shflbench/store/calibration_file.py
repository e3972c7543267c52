"""The rates and latencies that `calibrate` measured on a GPU, in its file among the baselines under `calibration`.

Those that come with shflbench are arch/calibrated/<gpu>.json.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import gpu_file, run_files
from shflbench.store.append import gpu_slug
from shflbench.store.json_record import decode, encode
from shflbench.store.record_values import check_moments

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from shflbench.core.model import Device

SCHEMA = 1
FOLDER = "calibration"  # among the baselines
SHIPPED = Path(__file__).parents[1] / "core" / "arch" / "calibrated"
AGAIN = "restore the file, or calibrate again: shflbench calibrate"
BARRIER = re.compile(r"barrier_([0-9]+)")  # the figure of one block of so many warps


@dataclass(frozen=True, slots=True)
class CalibratedFigure:
    """One measured figure; `documented` is the figure of the architecture, where one is known.

    The value is the median of several processes, its interval spans the 95% intervals of all of them. Rates count
    requests: instructions of a whole warp.
    """

    value: float
    low: float
    high: float
    unit: str
    documented: float | None = None
    processes: int = 1  # in which it was measured


@dataclass(frozen=True, slots=True)
class BarrierLine:
    """The clocks of a barrier as a line in the warps of the block, and how far each measured figure is from it."""

    constant: float
    per_warp: float
    residuals: Mapping[int, float]  # by warps, in clocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The figures of one GPU, with what they were measured on and by."""

    device: str
    uuid: str
    arch: str
    sms: int
    driver: str
    cuda: str
    clock_mhz: float | None  # of the SMs, the median over all bursts
    measured: str  # when, UTC
    seconds: float  # that it took
    shflbench: str  # version
    nvrtc: str  # version
    figures: Mapping[str, CalibratedFigure]
    missing: Mapping[str, str] = field(default_factory=dict)  # why a figure was not measured

    def value(self, name: str) -> float | None:
        """Return the value of a figure; None where it was not measured."""
        figure = self.figures.get(name)
        return figure.value if figure else None

    @property
    def barrier_line(self) -> BarrierLine | None:
        """The least-squares line through the barriers of one block; None with fewer than three of them."""
        points = {
            int(match[1]): figure.value for name, figure in self.figures.items() if (match := BARRIER.fullmatch(name))
        }
        return _line(points) if len(points) > 2 else None  # noqa: PLR2004  (two points are always on a line)


def _line(points: Mapping[int, float]) -> BarrierLine:
    center, level = (sum(values) / len(points) for values in (points.keys(), points.values()))
    spread = sum((warps - center) ** 2 for warps in points)
    slope = sum((warps - center) * (clocks - level) for warps, clocks in points.items()) / spread
    constant = level - slope * center
    return BarrierLine(
        constant, slope, {warps: clocks - constant - slope * warps for warps, clocks in sorted(points.items())}
    )


def text(calibration: Calibration) -> str:
    """Return the content of a file."""
    return encode(calibration, SCHEMA)


def write(folder: Path, calibration: Calibration) -> Path:
    """Write a calibration to the baselines in `folder`, in place of that of the same GPU; return the file.

    ResultsError where it cannot be written; then the old file is unchanged.
    """
    return gpu_file.write(folder / FOLDER, calibration.device, calibration.uuid, text(calibration))


def read(path: Path) -> Calibration:
    """Read the file at `path`; ResultsError, which names file and key, where it is missing, damaged or newer."""
    calibration = decode(_adapter, run_files.text(run_files.read(path), path), path, SCHEMA, AGAIN)
    check_moments({"measured": calibration.measured}, path, AGAIN)
    for name, figure in calibration.figures.items():
        if not 0 < figure.low <= figure.value <= figure.high < math.inf:
            raise ResultsError(
                f"{path}: `figures.{name}` is not positive numbers, its interval around its value", AGAIN
            )
        _check_positive(
            path, {f"figures.{name}.documented": figure.documented, f"figures.{name}.processes": figure.processes}
        )
    _check_positive(path, {"sms": calibration.sms, "clock_mhz": calibration.clock_mhz, "seconds": calibration.seconds})
    return calibration


def _check_positive(path: Path, numbers: Mapping[str, float | None]) -> None:
    """Raise ResultsError for a number that is not positive, or not finite."""
    for name, number in numbers.items():
        if number is not None and not 0 < number < math.inf:
            raise ResultsError(f"{path}: `{name}` is {number}, not a positive number", AGAIN)


def find(folder: Path, uuid: str, device: str) -> Path | None:
    """Return the file for a GPU: its own among the baselines in `folder`, else the shipped one of its model.

    `device` is the GPU's name, as the driver gives it; None where there is no file of either kind.
    """
    return gpu_file.find(folder / FOLDER, uuid) or find_shipped(device)


def of_gpu(device: Device, folder: Path, given: Path | None = None) -> Calibration | None:
    """Return the calibration of a GPU: the file that the user gave, else that which `find` finds; None without one.

    ResultsError where the file is damaged, or where that of the user is of another model.
    """
    path = given or find(folder, device.uuid, device.name)
    calibration = read(path) if path else None
    if calibration and calibration.device != device.name:
        raise ResultsError(
            f"{path}: the figures are those of {calibration.device}, not of {device.name}",
            "give the file of this GPU, or calibrate it: shflbench calibrate",
        )
    return calibration


def find_shipped(device: str) -> Path | None:
    """Return the file that comes with shflbench for GPUs of this name; None where there is none."""
    path = SHIPPED / f"{gpu_slug(device)}.json"
    return path if path.is_file() else None


@cache
def _adapter() -> TypeAdapter[Calibration]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import, and only readers need it)

    return TypeAdapter(Calibration)

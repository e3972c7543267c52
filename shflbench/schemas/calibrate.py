"""The JSON of `shflbench calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1  # that of the files of `store/calibration_file.py`
ABOUT = "The rates and latencies of a GPU, as measured; also the content of the file that `calibrate` writes."


class FigureObject(TypedDict):
    """A figure: the median of several processes; rates count requests, which are instructions of a whole warp."""

    value: Annotated[float, "median, in `unit`"]
    low: Annotated[float, "lower end of the 95% intervals of all processes"]
    high: Annotated[float, "upper end of these intervals"]
    unit: Annotated[str, "unit of all values of this figure"]
    documented: Annotated[float | None, "what NVIDIA documents for the architecture; null if nothing"]
    processes: Annotated[int, "number of processes that measured it"]


class CalibrationDocument(TypedDict):
    """A calibrated GPU."""

    schema: Annotated[Literal[1], NUMBER]
    device: Annotated[str, "product name of the GPU"]
    uuid: Annotated[str, "UUID of the GPU"]
    arch: Annotated[str, "architecture"]
    sms: Annotated[int, "number of SMs"]
    driver: Annotated[str, "version of the driver"]
    cuda: Annotated[str, "version of CUDA"]
    clock_mhz: Annotated[float | None, "SM clock, the median over all bursts of samples, MHz"]
    measured: Annotated[str, "when it was measured, UTC"]
    seconds: Annotated[float, "time that it took, s"]
    shflbench: Annotated[str, "version of shflbench"]
    nvrtc: Annotated[str, "version of the compiler"]
    figures: Annotated[Mapping[str, FigureObject], "figures by name"]
    missing: Annotated[Mapping[str, str], "why a figure was not measured, by its name"]


DOCUMENTS = (CalibrationDocument,)

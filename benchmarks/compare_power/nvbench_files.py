"""Write times as NVBench writes them: its JSON and, beside it, binary files of samples and clocks.

Sources: nvbench/json_printer.cu, and `generate_summaries` of nvbench/detail/measure_cold.cu.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Times = NDArray[np.floating[Any]]

JSON_VERSION = {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"}
GPU_TIME = "nv/cold/time/gpu"
SAMPLES = ("nv/json/bin:nv/cold/sample_times", "-bin", "Sample Times File", "file/sample_times")
CLOCKS = ("nv/json/freqs-bin:nv/cold/sample_freqs", "-freqs-bin", "Sample Frequencies File", "file/sample_freqs")


@dataclass(frozen=True, slots=True)
class NVBenchDevice:
    """The GPU that the file names."""

    name: str
    clock_hz: int = 0  # 0 if unknown

    def section(self) -> dict[str, Any]:
        """Return its entry in `devices`."""
        clock = {"sm_default_clock_rate": self.clock_hz} if self.clock_hz else {}
        return {"id": 0, "name": self.name, **clock}


def write_nvbench(
    path: Path,
    times_us: Mapping[str, Times],
    clocks_hz: Mapping[str, Times] | None = None,
    *,
    device: NVBenchDevice,
    binary: bool = True,
) -> None:
    """Write the times of each case in the order of their measurement, in µs, and the clock of each of them, if known.

    Without `binary` only the JSON is written, as by NVBench's `--json`; with it as by `--jsonbin`.
    """
    benchmarks = []
    for index, (case, times) in enumerate(times_us.items()):
        seconds, clocks = times / 1e6, (clocks_hz or {}).get(case)
        summaries = list(_summaries(seconds, clocks))
        if binary:
            for (tag, suffix, name, hint), values in ((SAMPLES, seconds), (CLOCKS, clocks)):
                if values is not None:
                    file = path.with_name(path.name + suffix) / f"{index}.bin"
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(values.astype("<f4").tobytes())
                    place: dict[str, float | str] = {"filename": f"{file.parent.name}/{file.name}", "size": len(values)}
                    summaries.append(_summary(tag, name, hint, place))
        state = {"name": "Device=0", "device": 0, "type_config_index": 0, "axis_values": None, "summaries": summaries}
        benchmark = {"name": case, "index": index, "devices": [0], "axes": None}
        benchmarks.append({**benchmark, "states": [{**state, "is_skipped": False}]})
    meta = {"argv": [], "version": {"json": JSON_VERSION}}
    content = {"meta": meta, "devices": [device.section()], "benchmarks": benchmarks}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _summaries(seconds: Times, clocks: Times | None) -> Iterator[dict[str, Any]]:
    """Yield the summaries of a cold measurement that depend on the GPU times and on the clocks."""
    yield _summary("nv/cold/sample_size", "Samples", "sample_size", {"value": len(seconds)})
    ordered = np.sort(seconds)
    mean = float(seconds.mean())
    deviation = float(seconds.std(ddof=1)) if len(seconds) > 1 else math.inf
    first, middle, third = (quartile(ordered, quarter) for quarter in (1, 2, 3))
    values = {
        "min": float(ordered[0]),
        "max": float(ordered[-1]),
        "mean": mean,
        "stdev/absolute": deviation,
        "stdev/relative": deviation / mean,
        "q1": first,
        "median": middle,
        "q3": third,
        "iqr/absolute": third - first,
        "iqr/relative": (third - first) / middle,
    }
    for tag, value in values.items():
        hint = "percentage" if tag.endswith("relative") else "duration"
        yield _summary(f"{GPU_TIME}/{tag}", tag, hint, {"value": value})
    if clocks is not None:
        yield _summary("nv/cold/sm_clock_rate/mean", "Clock Rate", "frequency", {"value": float(clocks.mean())})


def quartile(ordered: Times, quarter: int) -> float:
    """Return a quartile of sorted times as NVBench does, which does not interpolate.

    Source: nvbench/detail/statistics.cuh, `compute_percentiles`.
    """
    return float(ordered[math.floor(quarter / 4 * (len(ordered) - 1) + 0.5)])


def _summary(tag: str, name: str, hint: str, data: Mapping[str, float | str]) -> dict[str, Any]:
    """Return a summary; numbers are strings, as NVBench writes them."""
    kinds = {int: "int64", float: "float64", str: "string"}
    values = [{"name": key, "type": kinds[type(value)], "value": str(value)} for key, value in data.items()]
    return {"tag": tag, "name": name, "hint": hint, "data": values}

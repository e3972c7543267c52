"""Files of other tools: NVBench's JSON with its binary samples, written as nvbench/json_printer.cu does, and plain CSV.

    write_nvbench(tmp_path / "base" / "1.json", {"copy/T=F32/Elements=2^20": 50.0})
    write_csv(tmp_path / "base.csv", {"scan": 120.0}, processes=3)

The same arguments give the same bytes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

OFFSET_US = 0.05  # standard deviation of what a process adds to every time
NOISE = 0.002  # of a sample, a fraction of the time
CLOCK_HZ = 1.98e9


def nvbench_times_us(time_us: float, process: int, samples: int) -> NDArray[np.float64]:
    """Return the times of one state in one process, in steps of the timer."""
    rng = np.random.default_rng([process, round(1000 * time_us)])
    offset = np.random.default_rng(process).normal(0, OFFSET_US)
    times = time_us + offset + np.abs(rng.normal(0, NOISE * time_us, samples))
    return np.maximum(np.round(times / 0.032), 1) * 0.032


def write_nvbench(
    path: Path,
    cases: Mapping[str, float],
    *,
    process: int = 0,
    samples: int = 400,
    walltime: float = 1.0,
    with_samples: bool = True,
    clock_hz: float = CLOCK_HZ,
    skipped: Mapping[str, str] | None = None,
) -> Path:
    """Write the results of one process; `cases` are times in µs by `benchmark/axis=value/…`."""
    states: dict[str, list[dict[str, Any]]] = {}
    axes: dict[str, dict[str, str]] = {}
    path.parent.mkdir(parents=True, exist_ok=True)
    for number, (name, time_us) in enumerate({**cases, **dict.fromkeys(skipped or {}, 1.0)}.items()):
        benchmark, *values = name.split("/")
        axes.setdefault(benchmark, {}).update((value.partition("=")[0], value.partition("=")[2]) for value in values)
        state = _state(values)
        if skipped and name in skipped:
            state |= {"summaries": None, "is_skipped": True, "skip_reason": skipped[name]}
        else:
            times = nvbench_times_us(time_us, process, samples)
            state |= {"summaries": _summaries(times / 1e6, walltime, clock_hz), "is_skipped": False}
            if with_samples:
                clocks = clock_hz * (1 + np.random.default_rng(number).normal(0, 0.001, samples))
                for tag, suffix, data in (
                    ("nv/json/bin:nv/cold/sample_times", "-bin", times / 1e6),
                    ("nv/json/freqs-bin:nv/cold/sample_freqs", "-freqs-bin", clocks),
                ):
                    state["summaries"].append(_samples(path, tag, f"{path.name}{suffix}/{number}.bin", data))
        states.setdefault(benchmark, []).append(state)
    root = {
        "meta": {
            "argv": ["bench", "--jsonbin", path.name],
            "version": {
                "json": {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"},
                "nvbench": {"major": 0, "minor": 2, "patch": 0, "string": "0.2.0", "git_is_dirty": False},
            },
        },
        "devices": [
            {
                "id": 0,
                "name": "NVIDIA H100 80GB HBM3",
                "sm_version": 900,
                "sm_default_clock_rate": 1980000000,
                "number_of_sms": 132,
                "max_threads_per_sm": 2048,
                "global_memory_size": 85044297728,
                "global_memory_bus_width": 5120,
                "l2_cache_size": 52428800,
                "shared_memory_per_block": 49152,
                "ecc_state": True,
            }
        ],
        "benchmarks": [
            {
                "name": benchmark,
                "index": index,
                "devices": [0],
                "axes": [_axis(*axis) for axis in axes[benchmark].items()] or None,
                "states": of_benchmark,
            }
            for index, (benchmark, of_benchmark) in enumerate(states.items())
        ],
    }
    path.write_text(json.dumps(root, indent=2) + "\n", encoding="utf-8")
    return path


def _state(values: list[str]) -> dict[str, Any]:
    pairs = [value.split("=", 1) for value in values]
    return {
        "name": " ".join(("Device=0", *values)),
        "device": 0,
        "type_config_index": 0,
        "axis_values": [_axis_value(*pair) for pair in pairs] or None,
    }


def _axis_value(name: str, value: str) -> dict[str, str]:
    if value.startswith("2^"):
        return {"name": name, "type": "int64", "value": str(2 ** int(value[2:]))}
    return {"name": name, "type": "string", "value": value}


def _axis(name: str, value: str) -> dict[str, Any]:
    power = value.startswith("2^")
    return {"name": name, "type": "int64" if power else "type", "flags": "pow2" if power else "", "values": []}


def _summaries(seconds: NDArray[np.float64], walltime: float, clock_hz: float) -> list[dict[str, Any]]:
    values = {
        "sample_size": len(seconds),
        "walltime": walltime,
        "time/gpu/mean": float(seconds.mean()),
        "time/gpu/stdev/absolute": float(seconds.std(ddof=1)) if len(seconds) > 1 else float("inf"),
        "time/gpu/median": float(np.median(seconds)),
        "sm_clock_rate/mean": clock_hz,
    }
    return [
        {
            "tag": f"nv/cold/{tag}",
            "name": tag,
            "hint": "duration",
            "data": [{"name": "value", "type": "int64" if isinstance(value, int) else "float64", "value": str(value)}],
        }
        for tag, value in values.items()
    ]


def _samples(path: Path, tag: str, name: str, data: NDArray[np.float64]) -> dict[str, Any]:
    target = path.parent / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(data.astype("<f4").tobytes())
    return {
        "tag": tag,
        "name": "Samples File",
        "data": [
            {"name": "filename", "type": "string", "value": name},
            {"name": "size", "type": "int64", "value": str(len(data))},
        ],
    }


def write_csv(
    path: Path,
    cases: Mapping[str, float],
    *,
    processes: range = range(3),
    rounds: int = 6,
    minute: int = 0,
    columns: tuple[str, ...] = ("case", "process", "time_us", "round", "sm_clock_mhz", "started"),
    clock_mhz: float = 1980,
) -> Path:
    """Write eight samples per round; process 0 starts in this `minute` after 8:00, the next ones two minutes apart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(columns)]
    for process in processes:
        started = f"2026-11-20T08:{minute + 2 * process:02}:00Z"
        for name, time_us in cases.items():
            times = nvbench_times_us(time_us, 10 * process + minute, 8 * rounds)
            for place, time in enumerate(times.tolist()):
                cells = (name, process, f"{time:.3f}", place // 8, clock_mhz, started)
                known = dict(
                    zip(("case", "process", "time_us", "round", "sm_clock_mhz", "started"), cells, strict=True)
                )
                lines.append(",".join(str(known[column]) for column in columns))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path

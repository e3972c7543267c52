"""NVBench's scripts as rules: `nvbench-compare-legacy` and `nvbench-compare-robust`.

They must be on the PATH, or in the folder that NVBENCH_BIN names: `pip install 'cuda-bench[compare]'`, which needs no
GPU. They compare two files, so the samples of all processes of a side are in one file, which is as NVBench writes it:
its JSON and, beside it, binary files of samples and clocks. The clock is the same for all samples, because the robust
script calls nothing slower without one. Sources: nvbench/json_printer.cu, and `generate_summaries` of
nvbench/detail/measure_cold.cu.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.runs import call
from benchmarks.compare_power.recording import Floats
from shflbench.errors import ResultsError

SCRIPTS = {kind: f"nvbench-compare-{kind}" for kind in ("legacy", "robust")}
DEVICE, CLOCK_HZ = "NVIDIA H200", 1_980_000_000
# The status in the last column of the tables, which `--no-color` marks with an emoji.
VERDICTS = {"SLOW": "slower", "FAST": "faster", "SAME": "same", "AMBG": "ambiguous", "????": "unknown"}
_STATUS = re.compile(rf"({'|'.join(map(re.escape, VERDICTS))})\s*\|\s*$")
JSON_VERSION = {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"}
SAMPLES = ("nv/json/bin:nv/cold/sample_times", "-bin", "Sample Times File", "file/sample_times")
CLOCKS = ("nv/json/freqs-bin:nv/cold/sample_freqs", "-freqs-bin", "Sample Frequencies File", "file/sample_freqs")


def script(kind: str) -> str:
    """Return the path of a script; ResultsError if it is not installed."""
    path = shutil.which(SCRIPTS[kind], path=os.environ.get("NVBENCH_BIN"))
    if path is None:
        message = f"{SCRIPTS[kind]} is not installed: pip install 'cuda-bench[compare]', and set NVBENCH_BIN"
        raise ResultsError(message, "NVBENCH_BIN names the folder of the scripts")
    return path


def version(kind: str) -> str:
    """Return the version of the installed cuda-bench, by the script's interpreter; ResultsError if it fails."""
    interpreter = Path(script(kind)).read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!").strip()
    query = "from importlib.metadata import version; print(version('cuda-bench'))"
    reply = call([interpreter, "-c", query], None)
    if reply.code:
        raise ResultsError(f"{interpreter} has no cuda-bench: {reply.errors.strip()}", "set NVBENCH_BIN")
    return reply.out.strip()


def verdicts(kind: str, base: Mapping[str, Floats], new: Mapping[str, Floats]) -> dict[str, str]:
    """Return the verdict of a script on each case of two sides, by their samples in µs; ResultsError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("base.json", "new.json")]
        for path, side in zip(paths, (base, new), strict=True):
            write_nvbench(path, side)
        reply = call([script(kind), "--no-color", *map(str, paths)], None)
    if results := dict(_statuses(reply.out)):
        return results
    raise ResultsError(f"{SCRIPTS[kind]} prints no verdict: {(reply.errors or reply.out)[-400:]}", "see above")


def _statuses(output: str) -> Iterator[tuple[str, str]]:
    """Yield each benchmark with its verdict: a heading with the name, then a table with a line per state."""
    name = ""
    for line in output.splitlines():
        if line.startswith("# "):
            name = line[2:]
        elif match := _STATUS.search(line):
            yield name, VERDICTS[match[1]]


def write_nvbench(path: Path, times_us: Mapping[str, Floats]) -> None:
    """Write the times of each case in the order of their measurement, in µs."""
    benchmarks = []
    for index, (case, times) in enumerate(times_us.items()):
        seconds, clocks = times / 1e6, np.full(len(times), float(CLOCK_HZ))
        summaries = list(_summaries(seconds, clocks))
        for (tag, suffix, name, hint), values in ((SAMPLES, seconds), (CLOCKS, clocks)):
            file = path.with_name(path.name + suffix) / f"{index}.bin"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(values.astype("<f4").tobytes())
            place: dict[str, float | str] = {"filename": f"{file.parent.name}/{file.name}", "size": len(values)}
            summaries.append(_summary(tag, name, hint, place))
        state = {"name": "Device=0", "device": 0, "type_config_index": 0, "axis_values": None, "summaries": summaries}
        benchmark = {"name": case, "index": index, "devices": [0], "axes": None}
        benchmarks.append({**benchmark, "states": [{**state, "is_skipped": False}]})
    meta = {"argv": [], "version": {"json": JSON_VERSION}}
    device = {"id": 0, "name": DEVICE, "sm_default_clock_rate": CLOCK_HZ}
    content = {"meta": meta, "devices": [device], "benchmarks": benchmarks}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _summaries(seconds: Floats, clocks: Floats) -> Iterator[dict[str, Any]]:
    """Yield the summaries of a cold measurement that depend on the GPU times and on the clocks."""
    yield _summary("nv/cold/sample_size", "Samples", "sample_size", {"value": len(seconds)})
    ordered, mean = np.sort(seconds), float(seconds.mean())
    deviation = float(seconds.std(ddof=1)) if len(seconds) > 1 else math.inf
    first, middle, third = (quartile(ordered, quarter) for quarter in (1, 2, 3))
    values = (
        *(("min", float(ordered[0])), ("max", float(ordered[-1])), ("mean", mean)),
        *(("stdev/absolute", deviation), ("stdev/relative", deviation / mean)),
        *(("q1", first), ("median", middle), ("q3", third)),
        *(("iqr/absolute", third - first), ("iqr/relative", (third - first) / middle)),
    )
    for tag, value in values:
        hint = "percentage" if tag.endswith("relative") else "duration"
        yield _summary(f"nv/cold/time/gpu/{tag}", tag, hint, {"value": value})
    yield _summary("nv/cold/sm_clock_rate/mean", "Clock Rate", "frequency", {"value": float(clocks.mean())})


def quartile(ordered: Floats, quarter: int) -> float:
    """Return a quartile of sorted times as NVBench does, which does not interpolate.

    Source: nvbench/detail/statistics.cuh, `compute_percentiles`.
    """
    return float(ordered[math.floor(quarter / 4 * (len(ordered) - 1) + 0.5)])


def _summary(tag: str, name: str, hint: str, data: Mapping[str, float | str]) -> dict[str, Any]:
    """Return a summary; numbers are strings, as NVBench writes them."""
    kinds = {int: "int64", float: "float64", str: "string"}
    values = [{"name": key, "type": kinds[type(value)], "value": str(value)} for key, value in data.items()]
    return {"tag": tag, "name": name, "hint": hint, "data": values}

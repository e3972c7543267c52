"""Compare `check` with compute-sanitizer: `python -m benchmarks.check_sanitizer FILE`, on a machine with a GPU.

Every test kernel in tests/checker/kernels runs under racecheck, synccheck and memcheck, at the launch that its second
line names. FILE gets the results as JSON; a test compares them with the verdicts of `check`. A kernel whose comment
says that it hangs is not run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source
from shflbench.compile.toolchain import find
from shflbench.environment import compute_sanitizer
from shflbench.pattern_checks.sanitizer_result import MARKER, Count, Tool, parse
from tests.checker.planted_kernels import PlantedKernel, planted_kernels

PROGRAM = Path(__file__).with_name("check_sanitizer_program.py")
SECONDS = 120  # for the kernels of one process
BATCH = 12  # kernels per process: few, because a kernel that fails ends its process
PROCESSES = 12  # at a time


def main() -> None:
    """Run the tools, write their results, and print how many kernels each reports."""
    program = compute_sanitizer()
    if program is None:
        sys.exit("compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin")
    import cupy  # noqa: PLC0415  (only on a machine with a GPU)

    arch = f"sm_{cupy.cuda.Device().compute_capability}"
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    kernels = [kernel for kernel in planted_kernels() if not kernel.hangs]
    with TemporaryDirectory() as folder:
        jobs = [_job(kernel, arch, Path(folder)) for kernel in kernels]
        work = [(tool, jobs[start : start + BATCH]) for tool in Tool for start in range(0, len(jobs), BATCH)]
        with ThreadPoolExecutor(PROCESSES) as pool:
            outputs = list(pool.map(lambda item: _run(str(program), item[0], item[1], Path(folder)), work))
    records: dict[str, dict[str, Any]] = {kernel.name: {} for kernel in kernels}
    for (tool, _), results in zip(work, outputs, strict=True):
        for kernel_name, count in results.items():
            records[kernel_name][str(tool)] = count
    about = {"device": name, "arch": arch, "nvrtc": find().version, "driver": cupy.cuda.runtime.driverGetVersion()}
    Path(sys.argv[1]).write_text(json.dumps({**about, "kernels": records}, indent=1) + "\n", encoding="utf-8")
    for tool in Tool:
        reported = sum(sum(record.get(str(tool), [0, 0])[:2]) > 0 for record in records.values())
        print(f"{tool}: reports {reported} of {len(records)} kernels on {name}")


def _job(kernel: PlantedKernel, arch: str, folder: Path) -> dict[str, Any]:
    source = Source(f"{kernel.name}.cu", kernel.program, {}, "k")
    compiled = compile_kernel(source, arch, find())
    cubin = folder / f"{kernel.name.replace('/', '.')}.cubin"
    cubin.write_bytes(compiled.cubin)
    return {
        "name": kernel.name,
        "cubin": str(cubin),
        "symbol": compiled.symbol,
        "buffers": kernel.buffers,
        "grid": kernel.grid,
        "block": kernel.block,
        "cooperative": kernel.cooperative,
    }


def _run(program: str, tool: Tool, jobs: list[dict[str, Any]], folder: Path) -> dict[str, list[object]]:
    """Return errors, warnings and the first record for each kernel; a failure of the launch counts as one error."""
    results: dict[str, list[object]] = {}
    remaining = jobs
    while remaining:
        file = folder / f"{tool}.{remaining[0]['name'].replace('/', '.')}.json"
        file.write_text(json.dumps(remaining), encoding="utf-8")
        command = [program, "--tool", tool.value, "--print-limit", "0", sys.executable, str(PROGRAM), str(file), MARKER]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            output = done.stdout
        except subprocess.TimeoutExpired as error:
            output = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else ""
        # Every kernel is named `k`, so that each record belongs to the kernel that was running.
        counts = parse(output, {})
        started = [job["name"] for job in remaining if MARKER + job["name"] in output.splitlines()]
        for kernel_name in started:
            count = counts.get(kernel_name, Count())
            results[kernel_name] = [count.errors, count.warnings, count.first[:300]]
        if not started:
            results |= {job["name"]: [0, 0, "no result"] for job in remaining}
            break
        remaining = [job for job in remaining if job["name"] not in results]
    return results


if __name__ == "__main__":
    main()

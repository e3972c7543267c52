"""Run compute-sanitizer on the public fixes of races: `python -m benchmarks.fixes_sanitizer FILE`, with a GPU.

Every file in tests/checker/fixes runs before and after its fix under racecheck, synccheck and memcheck, at the launch
that its first lines name. FILE gets the results as JSON. A kernel that has not ended after `SECONDS` hangs, as some do
before their fix. Takes one to two minutes on 16 cores.
"""

from __future__ import annotations

import json
import os
import signal
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
from tests.checker.fixes.fix_files import FOLDERS, FixFile, FixKernel, fix_files

ROOT = Path(__file__).parents[1]
PROGRAM = Path(__file__).with_name("fixes_sanitizer_program.py")
SECONDS = 20  # for one kernel, with the start of the tool, which takes about five
PROCESSES = max(2, (os.cpu_count() or 2) - 2)  # at a time
FORMS = ("before", "after")

# NVRTC has no declarations of the device runtime.
DEPENDENT_LAUNCHES = """
__device__ void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;"); }
"""

Job = dict[str, Any]


def main() -> None:
    """Run the tools, write their results, and print how many files each reports."""
    tool = compute_sanitizer()
    if tool is None:
        sys.exit("compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin")
    import cupy  # noqa: PLC0415  (only on a machine with a GPU)

    arch = f"sm_{cupy.cuda.Device().compute_capability}"
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    about = {"device": name, "arch": arch, "nvrtc": find().version, "driver": cupy.cuda.runtime.driverGetVersion()}
    files = fix_files(*FOLDERS)
    work = [(file, form, kind) for file in files for form in FORMS for kind in Tool]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(PROCESSES) as pool:
        built = {(file.name, form): job(file, form, arch, Path(folder)) for file in files for form in FORMS}
        outputs = list(pool.map(lambda item: run(str(tool), item[2], built[item[0].name, item[1]]), work))
    records: dict[str, dict[str, dict[str, object]]] = {file.name: {form: {} for form in FORMS} for file in files}
    for (file, form, kind), result in zip(work, outputs, strict=True):
        records[file.name][form][str(kind)] = result
    Path(sys.argv[1]).write_text(json.dumps({**about, "fixes": records}, indent=1) + "\n", encoding="utf-8")
    for form in FORMS:
        for kind in Tool:
            reported = sum(record[form][str(kind)] != [0, 0, ""] for record in records.values())
            print(f"{form}, {kind}: reports {reported} of {len(records)} files on {name}")


def job(file: FixFile, form: str, arch: str, folder: Path) -> Job:
    """Compile the kernels of one form of a file, and return how they are launched."""
    (launch,) = file.listed("launch")
    grid, _, block = (launch if ":" in launch else launch.replace("x", ":", 1)).partition(":")
    macros = ("#define FIXED\n" if form == "after" else "") + DEPENDENT_LAUNCHES
    kernels = []
    for kernel in file.kernels:
        text = macros + with_clusters(file, kernel)
        compiled = compile_kernel(Source(f"{file.path.stem}.cu", text, {}, kernel.name), arch, find())
        cubin = folder / f"{file.path.stem}.{form}.{kernel.name}.cubin"
        cubin.write_bytes(compiled.cubin)
        kernels.append({"cubin": str(cubin), "symbol": compiled.symbol, "pointers": kernel.pointers})
    return {
        "name": f"{file.name} {form}",
        "grid": [*map(int, grid.split("x"))],
        "block": [*map(int, block.split("x"))],
        "kernels": kernels,
        "same": file.same_buffer,
    }


def with_clusters(file: FixFile, kernel: FixKernel) -> str:
    """Return the text with the size of the kernel's clusters, so that any launch has them."""
    start = f"__global__ void {kernel.name}("
    size = next(iter(file.listed("cluster")), "")
    return file.text.replace(start, f"__global__ void __cluster_dims__({size}, 1, 1) {kernel.name}(" if size else start)


def run(program: str, tool: Tool, item: Job) -> list[object]:
    """Return errors, warnings and the first record of a tool; for kernels that hang or fail, this is the record."""
    arguments = [sys.executable, str(PROGRAM), json.dumps(item), MARKER]
    command = [program, "--tool", tool.value, "--print-limit", "0", *arguments]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, **options) as process:  # type: ignore[call-overload]
        try:
            output, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the program that the tool watches
            return [0, 0, "hangs"]
    count = parse(output, {}).get(item["name"], Count())
    failed = "" if "ran" in output.splitlines() else (output + errors)[-300:]
    return [count.errors, count.warnings, count.first[:300] or failed]


if __name__ == "__main__":
    main()

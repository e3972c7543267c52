"""Count and time the kernels of `wavefronts.cu` on GPU 0; `wavefronts.py` calls it.

python -m benchmarks.wavefronts_gpu SPACE CUBIN     launch each kernel once, while Nsight Compute observes
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.common.runs import call
from benchmarks.wavefronts_subjects import APART, STEPS, Subject, compiled, subjects
from shflbench.core.model import WARP, AccessKind, AccessSpace
from shflbench.cuda.compile.toolchain import find

ROOT = Path(__file__).parents[1]
BLOCK = 1024  # threads, in the timed launches: enough to keep shared memory busy
ITERATIONS = (64, 320)  # of the timed launches; the difference is timed
REPEATS = 5  # of which the fastest counts
SECONDS = 180  # after which Nsight Compute is given up
NCU = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
PROBLEMS = ("ERR_NVGPUCTRPERM", "==ERROR==")  # in what Nsight Compute prints where it cannot count


@dataclass(frozen=True, slots=True)
class Measured:
    """What a GPU measured, by the names of the launches."""

    device: str
    driver: str
    ncu: str  # its version
    nvrtc: str
    problem: str  # why Nsight Compute counted nothing; empty if it did
    counted: Mapping[str, float]  # passes or sectors per request, by Nsight Compute
    clocks: Mapping[str, float]  # per request


class Gpu:
    """GPU 0 with the kernels loaded."""

    def __init__(self, cubin: bytes) -> None:
        """Load the kernels, and allocate what they access."""
        self._cupy: Any = import_module("cupy")
        self._module = self._cupy.cuda.function.Module()
        self._module.load(cubin)
        self._buffer = self._cupy.zeros(STEPS * APART + BLOCK * 8, np.uint8)

    def launch(self, subject: Subject, block: int, iterations: int) -> None:
        """Launch one block."""
        function = self._module.get_function(subject.kernel)
        offsets = self._cupy.asarray(subject.offsets)
        function((1,), (block,), (offsets, self._buffer, np.int32(iterations)))
        self._cupy.cuda.runtime.deviceSynchronize()

    def clocks_per_request(self, subject: Subject) -> float:
        """Return the clocks per request of a warp, from the difference of two lengths."""
        short, long = (min(self._clocks(subject, count) for _ in range(REPEATS)) for count in ITERATIONS)
        return (long - short) / ((ITERATIONS[1] - ITERATIONS[0]) * STEPS * (BLOCK // WARP))

    def _clocks(self, subject: Subject, iterations: int) -> int:
        """Return the clocks from the first warp's start to the last one's end."""
        self.launch(subject, BLOCK, iterations)
        stamps = self._buffer[: BLOCK // WARP * 16].get().view(np.int64).reshape(-1, 2)
        return int(stamps[:, 1].max() - stamps[:, 0].min())


def measure() -> Measured:
    """Count and time all launches."""
    cupy = import_module("cupy")
    arch = f"sm_{cupy.cuda.Device(0).compute_capability}"
    gpu = Gpu(compiled(arch, timed=True).cubin)
    clocks = {subject.name: gpu.clocks_per_request(subject) for subject in subjects(AccessSpace.SHARED)}
    counted: dict[str, float] = {}
    problems: list[str] = []
    cubin = compiled(arch).cubin
    for space in (AccessSpace.SHARED, AccessSpace.GLOBAL):
        output = _ncu(space, cubin)
        counts = read_counts(output, subjects(space))
        counted |= counts
        problems += [] if counts else [problem(output)]
    driver = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").split()
    words = output_of(NCU, "--version").split()
    return Measured(
        device=cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        driver=driver[0] if driver and driver[0][0].isdigit() else "unknown",
        ncu=next((word for word in words if word[0].isdigit() and "." in word), "unknown"),
        nvrtc=find().version,
        problem="; ".join(dict.fromkeys(problems)),
        counted=counted,
        clocks=clocks,
    )


def _ncu(space: AccessSpace, cubin: bytes) -> str:
    """Return what Nsight Compute prints about one launch of each kernel."""
    metrics = ",".join(dict.fromkeys(map(metric, subjects(space))))
    options = ["--csv", "--print-units", "base", "--clock-control", "none", "--metrics", metrics]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.cubin"
        file.write_bytes(cubin)
        child = [sys.executable, "-m", "benchmarks.wavefronts_gpu", str(space), str(file)]
        return output_of(NCU, *options, *child)


def output_of(*command: str) -> str:
    """Return what a command prints, or why it does not run."""
    try:
        reply = call(command, SECONDS, ROOT)
    except OSError as error:
        return f"==ERROR== {error}"
    return reply.out + reply.errors


def metric(subject: Subject) -> str:
    """Return the counter of Nsight Compute for a launch."""
    suffix = {AccessKind.LOAD: "op_ld", AccessKind.STORE: "op_st"}[subject.kind]
    shared = subject.space is AccessSpace.SHARED
    name = "l1tex__data_pipe_lsu_wavefronts_mem_shared" if shared else "l1tex__t_sectors_pipe_lsu_mem_global"
    return f"{name}_{suffix}.sum"


def read_counts(output: str, launched: Sequence[Subject]) -> dict[str, float]:
    """Return the passes or sectors per request of each launch from the CSV table that Nsight Compute prints."""
    start = output.find('"ID"')
    table = output[start:] if start >= 0 else ""
    totals: dict[tuple[int, str], float] = {}
    for row in csv.DictReader(io.StringIO(table)):
        value = (row.get("Metric Value") or "").replace(",", "")
        if (row["ID"] or "").isdigit() and value.replace(".", "", 1).isdigit():
            totals[int(row["ID"]), row["Metric Name"]] = float(value)
    return {
        subject.name: subject.per_request(totals[number, metric(subject)])
        for number, subject in enumerate(launched)
        if (number, metric(subject)) in totals
    }


def problem(output: str) -> str:
    """Return the line that says why Nsight Compute counted nothing."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if any(word in line for word in PROBLEMS)), (lines or ["no output"])[-1])


if __name__ == "__main__":
    _gpu = Gpu(Path(sys.argv[2]).read_bytes())
    for _subject in subjects(AccessSpace(sys.argv[1])):
        _gpu.launch(_subject, WARP, 1)

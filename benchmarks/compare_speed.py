"""Measure how long `shflbench compare` takes: `python benchmarks/compare_speed.py`.

The goals on two cores: two runs of 1,000 samples below 1 s; two of 100,000 below 3 s and 600 MB; no import of cupy.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))  # the generator of runs belongs to the tests

TIMES = 5
SIZES = ((1, 2), (3, 130))  # processes and cases


def generate(folder: Path, processes: int, cases: int) -> None:
    """Write two runs of the same code."""
    from tests.fakes.processes import Simulated, spread, write  # noqa: PLC0415  (it is large; see below)

    for seed in (1, 2):
        write(folder / str(seed), Simulated(processes=processes, cases=spread(cases), seed=seed))


def seconds_and_mb(words: list[str]) -> tuple[float, float]:
    """Return the wall time and the peak memory of one fresh Python with these arguments.

    A child starts with its parent's peak of memory, so that this process must stay small.
    """
    start = perf_counter()
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) > 1:  # 0 and 1 are verdicts
        sys.exit(1)
    return perf_counter() - start, usage.ru_maxrss * 1024 / 1e6  # ru_maxrss is in KiB


def measured(processes: int, cases: int) -> str:
    """Return a sentence on the comparison of two runs."""
    with TemporaryDirectory() as name:
        writer = get_context("spawn").Process(target=generate, args=(Path(name), processes, cases))
        writer.start()
        writer.join()
        command = ["-m", "shflbench", "compare", f"{name}/1", f"{name}/2"]
        times, mb = zip(*(seconds_and_mb(command) for _ in range(TIMES)), strict=True)
        imports = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, check=False)
        samples = gzip.decompress(Path(name, "1/samples.csv.gz").read_bytes()).count(b"\n") - 1
    return (
        f"{cases} cases, {samples:,} samples per side: {median(times):.2f} s (median of {TIMES}, slowest "
        f"{max(times):.2f} s), {max(mb):.0f} MB, cupy {'' if b'cupy' in imports.stderr else 'not '}imported"
    )


if __name__ == "__main__":
    for size in SIZES:
        print(measured(*size))

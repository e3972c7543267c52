"""Time one suite with shflbench and with NVBench, in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.nvbench.table import Report, ResultError, compare, read_nvbench
from shflbench.store import read_run
from shflbench.suite import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.nvbench.table import NVBenchCase

REPOSITORY = Path(__file__).parents[2]

HEAD = """\
schema: 1
name: nvbench-agreement
title: Kernels that NVBench times as well
defaults: {dtypes: f32, launch: 26x1024}
measure: {precision: 0.5%}
experiments:
"""
# On an H200, twelve kernels take 20 to 50 µs and twelve 70 µs to 1.1 ms; together they fill one window of shflbench, as
# in usual suites. Both lengths have chains of shuffles, of shared memory with and without barriers, and rearrangements
# of several words, which use the most registers.
CASES = """\
  - {pattern: neighbor, variants: shfl, iterations: 4096}
  - {pattern: neighbor, variants: shfl, iterations: 1024}
  - {pattern: neighbor, variants: smem-syncwarp, iterations: 4096}
  - {pattern: neighbor, variants: smem-syncwarp, iterations: 1024}
  - {pattern: neighbor, variants: smem, iterations: 4096}
  - {pattern: neighbor, variants: smem, iterations: 512}
  - {pattern: reduce, variants: shfl, iterations: 4096}
  - {pattern: reduce, variants: smem-double, iterations: 4096}
  - {pattern: scan, kind: inclusive, variants: smem-syncwarp, iterations: 4096}
  - {pattern: scan, kind: inclusive, variants: shfl, iterations: 256}
  - {pattern: transpose, words: 4, variants: shfl, iterations: 512, launch: 104x256}
  - {pattern: transpose, words: 4, variants: smem-padded, iterations: 512, launch: 104x256}
  - {pattern: neighbor, variants: shfl, iterations: 4096, dtypes: f64}
  - {pattern: neighbor, variants: shfl, iterations: 1024, dtypes: f64}
  - {pattern: broadcast, values: 1, variants: shfl, iterations: 4096}
  - {pattern: broadcast, values: 1, variants: shfl, iterations: 1024}
  - {pattern: broadcast, values: 4, variants: smem, iterations: 4096}
  - {pattern: broadcast, values: 4, variants: smem-syncwarp, iterations: 256}
  - {pattern: bitonic-sort, payload: none, variants: shfl, iterations: 1024, dtypes: i32}
  - {pattern: bitonic-sort, payload: none, variants: smem-syncwarp, iterations: 64, dtypes: i32}
  - {pattern: reduce, variants: redux, iterations: 4096, dtypes: i32}
  - {pattern: reduce, variants: shfl, iterations: 256, dtypes: f64}
  - {pattern: transpose, words: 8, variants: smem-padded, iterations: 4096, launch: 104x256}
  - {pattern: transpose, words: 8, variants: shfl, iterations: 256, launch: 104x256}
""".splitlines()
WARM = "SM clock when warm"  # the last line of shflbench's start-up
QUOTED_LINES = 30  # of a failed process


def suite_text(cases: int, l2: str) -> str:
    """Return a suite file of the first `cases` cases, with a `warm` or a `cold` L2 cache."""
    chosen = CASES[:cases] if l2 == "warm" else [case.replace("}", f", l2: {l2}}}") for case in CASES[:cases]]
    return HEAD + "\n".join(chosen) + "\n"


@dataclass(frozen=True, slots=True)
class Watched:
    """A process that ended without an error: its lines with the seconds of their output, and its duration."""

    lines: tuple[tuple[float, str], ...]
    seconds: float

    def after(self, start: str) -> float:
        """Return the seconds from the line that begins with `start` to the last line; all if there is no such line."""
        for second, line in self.lines:
            if line.startswith(start):
                return self.lines[-1][0] - second
        return self.seconds


def watch(words: Sequence[str], log: Path, cache: Path) -> Watched:
    """Run Python with the arguments `words`, and write its output to `log`; ResultError unless it exits with 0."""
    start = perf_counter()
    lines = []
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=REPOSITORY,
        env={**os.environ, "SHFLBENCH_CACHE": str(cache)},  # shared, so that both load the same cubins
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process, log.open("w", encoding="utf-8") as file:
        for line in process.stdout or ():
            lines.append((perf_counter() - start, line.rstrip()))
            file.write(f"{lines[-1][0]:8.3f} {line}")
    if process.returncode:
        last = "\n".join(line for _, line in lines[-QUOTED_LINES:])
        raise ResultError(f"`{' '.join(words)}` ends with exit code {process.returncode}; it printed\n{last}")
    return Watched(tuple(lines), perf_counter() - start)


def run_nvbench(suite: Path, number: int, gpu: int) -> dict[str, NVBenchCase]:
    """Return the results of a fresh process of NVBench, by case."""
    output = suite.with_name(f"nvbench-{number}.json")
    words = ("-m", "benchmarks.nvbench.timer", str(suite), str(output), str(gpu))
    watched = watch(words, output.with_suffix(".log"), suite.with_name("cache"))
    found = read_nvbench(output.read_text(encoding="utf-8"))
    seconds = sum(case.wall_s for case in found.values())
    say(f"NVBench, process {number}: {watched.seconds:.1f} s, {seconds:.1f} s of them in {len(found)} cases")
    return found


def run_shflbench(suite: Path, number: int, gpu: int) -> tuple[dict[str, float], float]:
    """Return the times of a run of shflbench in µs, by case, and its seconds without start-up."""
    folder = suite.with_name(f"shflbench-{number}")
    words = ("-m", "shflbench", "run", str(suite), "--device", "cuda", "--gpu", str(gpu), "--output", str(folder))
    watched = watch(words, folder.with_suffix(".log"), suite.with_name("cache"))
    found = {row.case_id: row.time_us for row in read_run(folder).rows if row.time_us is not None}
    seconds = watched.after(WARM)
    say(f"shflbench, run {number}: {watched.seconds:.1f} s, {seconds:.1f} s of them in {len(found)} cases")
    return found, seconds


def measure(suite: Path, runs: int, processes: int, gpu: int) -> Report:
    """Run shflbench `runs` times and NVBench in `processes` processes, in turn; their files are beside the suite.

    ResultError if one fails.
    """
    ours, theirs = [], []
    for number in range(1, max(runs, processes) + 1):
        if number <= runs:
            ours.append(run_shflbench(suite, number, gpu))
        if number <= processes:
            theirs.append(run_nvbench(suite, number, gpu))
    return Report(
        compare([case.id for case in load(suite).cases], theirs, [times for times, _ in ours]),
        tuple(sum(case.wall_s for case in found.values()) for found in theirs),
        tuple(seconds for _, seconds in ours),
    )


def say(sentence: str) -> None:
    """Print progress to stderr."""
    print(sentence, file=sys.stderr, flush=True)

"""Time one suite with NVBench and with shflbench in separate processes, and check the times against bars."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter

from benchmarks.common.pages import table
from benchmarks.nvbench.recording import summary_values
from shflbench.errors import ShflbenchError
from shflbench.store import read_run
from shflbench.store.readers.nvbench import MEDIAN, WALLTIME
from shflbench.suite import load

# How far the medians of a kernel may differ: docs/explanation/why-nvbench-differs.md. In one process NVBench, which
# writes the L2 cache before a launch, is up to 0.2 µs above shflbench (earlier.md); the process of each tool
# adds 0.1 µs, two standard deviations of its offset. A slow state of the GPU adds up to 0.4%.
BAR_US = 0.4
BAR_SHARE = 0.004
LONG_US = 50.0  # kernels from here on must repeat
REPEAT_BAR = 0.003  # the largest range of separate runs of shflbench, for long kernels
SPEED_BAR = 10.0  # the smallest ratio of the wall times per case

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
RUNS, PROCESSES = 3, 5  # of shflbench; of NVBench, for its range


class ResultError(ShflbenchError):
    """A result that cannot be used."""


@dataclass(frozen=True, slots=True)
class NVBenchCase:
    """The result of one process of NVBench for a case."""

    median_us: float
    wall_s: float  # of all its samples, as NVBench reports it: without set-up and warm-up


def read_nvbench(text: str) -> dict[str, NVBenchCase]:
    """Return the results in NVBench's JSON file, by case; ResultError if a case has none."""
    found = {}
    for bench in json.loads(text)["benchmarks"]:
        for state in bench["states"]:  # one: the benchmarks have no axes, and one device is used
            if state.get("is_skipped"):
                raise ResultError(f"NVBench skipped {bench['name']}: {state.get('skip_reason')}")
            values = summary_values(state, "value")
            if MEDIAN not in values:
                raise ResultError(f"NVBench took no sample of {bench['name']}")
            found[bench["name"]] = NVBenchCase(float(values[MEDIAN]) * 1e6, float(values[WALLTIME]))
    return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """One case: the medians of each process of NVBench and of each run of shflbench, in µs."""

    case_id: str
    theirs: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def time_us(self) -> float:
        """The time of the case, by NVBench."""
        return median(self.theirs)

    @property
    def difference(self) -> float:
        """The relative difference between the medians of shflbench and NVBench."""
        return median(self.ours) / self.time_us - 1

    @property
    def allowed(self) -> float:
        """The largest relative difference of times that agree."""
        return BAR_US / self.time_us + BAR_SHARE

    @property
    def agrees(self) -> bool:
        """Whether both agree."""
        return abs(self.difference) <= self.allowed

    def cells(self) -> list[str]:
        """Return its line of the table."""
        sides = [
            cell for times in (self.theirs, self.ours) for cell in (f"{median(times):.3f}", f"{spread(times):.2%}")
        ]
        agree = "yes" if self.agrees else "**no**"
        return [f"`{self.case_id}`", *sides, f"{self.difference:+.2%}", f"{self.allowed:.2%}", agree]


@dataclass(frozen=True, slots=True)
class Report:
    """All results; the seconds are wall time without start-up, of all cases of a run or process."""

    comparisons: tuple[Comparison, ...]
    their_seconds: tuple[float, ...]  # one number per process
    our_seconds: tuple[float, ...]  # one number per run

    def bars(self) -> Iterator[tuple[str, bool]]:
        """Yield every bar, and whether it was reached."""
        count, right = len(self.comparisons), sum(case.agrees for case in self.comparisons)
        yield f"{right} of {count} kernels agree within {BAR_US} µs plus {BAR_SHARE:.1%}", right == count
        repeats = max((spread(case.ours) for case in self.comparisons if case.time_us >= LONG_US), default=0.0)
        differ = f"runs of shflbench differ by {repeats:.2%} at most for kernels of {LONG_US:.0f} µs and more"
        yield f"{differ}; the bar is {REPEAT_BAR:.1%}", repeats <= REPEAT_BAR
        theirs, ours = (mean(seconds) / count for seconds in (self.their_seconds, self.our_seconds))
        take = f"NVBench takes {theirs:.2f} s per case and shflbench {ours:.3f} s, both without start-up"
        yield f"{take}: a factor of {theirs / ours:.1f}; the bar is {SPEED_BAR:.0f}", theirs / ours >= SPEED_BAR

    def table(self) -> str:
        """Return a line for each case."""
        sides = ("NVBench, µs", "its range", "shflbench, µs", "its range")
        return table(("kernel", *sides, "difference", "allowed", "agree"), (case.cells() for case in self.comparisons))


def compare(
    order: Sequence[str], theirs: Sequence[Mapping[str, NVBenchCase]], ours: Sequence[Mapping[str, float]]
) -> tuple[Comparison, ...]:
    """Join the results of all processes and runs, by case in this `order`; ResultError if one lacks a case."""
    for number, found in enumerate((*theirs, *ours), start=1):
        if missing := [name for name in order if name not in found]:
            who = (
                f"process {number} of NVBench" if number <= len(theirs) else f"run {number - len(theirs)} of shflbench"
            )
            raise ResultError(f"{who} has no time for {missing[0]}")
    return tuple(
        Comparison(name, tuple(found[name].median_us for found in theirs), tuple(found[name] for found in ours))
        for name in order
    )


def spread(times: Sequence[float]) -> float:
    """Return the range as a fraction of the median."""
    return (max(times) - min(times)) / median(times)


def suite_text() -> str:
    """Return the suite file, with a cold L2 cache, as NVBench's is."""
    return HEAD + "\n".join(case.replace("}", ", l2: cold}") for case in CASES) + "\n"


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


def run_nvbench(suite: Path, number: int) -> dict[str, NVBenchCase]:
    """Return the results of a fresh process of NVBench, by case."""
    output = suite.with_name(f"nvbench-{number}.json")
    words = ("-m", "benchmarks.nvbench.timer", str(suite), str(output))
    watched = watch(words, output.with_suffix(".log"), suite.with_name("cache"))
    found = read_nvbench(output.read_text(encoding="utf-8"))
    seconds = sum(case.wall_s for case in found.values())
    _say(f"NVBench, process {number}: {watched.seconds:.1f} s, {seconds:.1f} s of them in {len(found)} cases")
    return found


def run_shflbench(suite: Path, number: int) -> tuple[dict[str, float], float]:
    """Return the times of a run of shflbench in µs, by case, and its seconds without start-up."""
    folder = suite.with_name(f"shflbench-{number}")
    words = ("-m", "shflbench", "run", str(suite), "--device", "cuda", "--output", str(folder))
    watched = watch(words, folder.with_suffix(".log"), suite.with_name("cache"))
    found = {row.case_id: row.time_us for row in read_run(folder).rows if row.time_us is not None}
    seconds = watched.after(WARM)
    _say(f"shflbench, run {number}: {watched.seconds:.1f} s, {seconds:.1f} s of them in {len(found)} cases")
    return found, seconds


def measure(suite: Path) -> Report:
    """Run shflbench and NVBench in turn; their files are beside the suite. ResultError if one fails."""
    ours, theirs = [], []
    for number in range(1, max(RUNS, PROCESSES) + 1):
        if number <= RUNS:
            ours.append(run_shflbench(suite, number))
        if number <= PROCESSES:
            theirs.append(run_nvbench(suite, number))
    return Report(
        compare([case.id for case in load(suite).cases], theirs, [times for times, _ in ours]),
        tuple(sum(case.wall_s for case in found.values()) for found in theirs),
        tuple(seconds for _, seconds in ours),
    )


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)

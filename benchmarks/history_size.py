"""Measure a history of months: `python -m benchmarks history_size`. Prints the aims beside the figures.

The runs are a recorded one with other times: each day 0.3% of noise, every tenth day another source and machine code of
five kernels, which become 3% slower or faster, every hundredth another compiler, which changes the machine code of half
of the kernels.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.series import series_of
from shflbench.session.history.condense import condense
from shflbench.store import read_run
from shflbench.store.history import run_file
from shflbench.store.history.folder import add_run, add_sources, read_history
from shflbench.store.history.source_file import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.session.history.condense import CondensedRun
    from shflbench.store.history.record import HistoryKernel, HistoryRun
    from shflbench.store.history.source_file import HistorySource

RECORDED = Path(__file__).parents[1] / "results" / "gtc2013" / "nvidia-h200"
CASES = 430
FIRST = datetime(2024, 1, 1, 8, tzinfo=UTC)
NOISE = 0.003
CHANGED = 5  # kernels, every tenth run
STEPS = (0.97, 1.03)  # factors of their times
# A command, and the seconds and KB that it used: of its memory map alone, without that of the process that started it.
MEASURED = """\
import re, sys, time
from shflbench.cli.main import main
code = main(sys.argv[1:])
with open("/proc/self/status") as file:
    print(time.process_time(), re.search(r"VmHWM:\\s+(\\d+)", file.read())[1])
sys.exit(code)
"""
AIM_MB = 60.0
AIM_READ_S = 3.0
AIM_ADD_S = 1.0
AIM_SHOW_S, AIM_REPORT_S = 3.0, 10.0
AIM_MEMORY_MB = 1000.0
AIM_PAGE_MB = 20.0


def simulated(recorded: CondensedRun, number: int) -> Iterator[tuple[HistoryRun, dict[str, HistorySource]]]:
    """Yield runs, each with the sources that are new in it."""
    rng = np.random.default_rng(71)
    cases = list(recorded.run.cases[:CASES])
    units = dict(recorded.units)
    fresh = dict(recorded.units)
    for day in range(number):
        if day and day % 100 == 0:
            for place in range(0, len(cases), 2):
                kernel = cases[place].kernel
                cases[place] = replace(cases[place], kernel=replace(kernel, code=_hash(kernel.code)))
        if day and day % 10 == 0:
            for place in rng.choice(len(cases), CHANGED, replace=False).tolist():
                kernel, unit = _edited(cases[place].kernel, units, day)
                time_us = (cases[place].time_us or 1) * float(rng.choice(STEPS))
                cases[place] = replace(cases[place], kernel=kernel, time_us=time_us)
                units[kernel.unit] = fresh[kernel.unit] = unit
        factors = rng.normal(1, NOISE, len(cases)).tolist()
        newest = day // 100 == (number - 1) // 100
        machine = recorded.run.machine if newest else replace(recorded.run.machine, compiler=f"12.{day // 100}")
        yield (
            replace(
                recorded.run,
                started=(FIRST + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                commit=sha256(str(day).encode()).hexdigest()[:40],
                machine=machine,
                cases=tuple(
                    replace(case, time_us=float(f"{(case.time_us or 1) * factor:.7g}"), error=float(f"{error:.3g}"))
                    for case, factor, error in zip(
                        cases, factors, rng.gamma(4, 0.0003, len(cases)).tolist(), strict=True
                    )
                ),
            ),
            fresh,
        )
        fresh = {}


def _hash(text: str) -> str:
    return digest(text.encode())


def _edited(kernel: HistoryKernel, units: dict[str, HistorySource], day: int) -> tuple[HistoryKernel, HistorySource]:
    """Return a kernel whose source and machine code were changed, and its unit."""
    old = units[kernel.unit]
    unit = replace(old, text=f"{old.text}\n// {day}\n")
    name = digest(unit.encode())
    return replace(kernel, unit=name, source=_hash(name), code=_hash(f"{kernel.code} {day}")), unit


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="number of runs (default 1000)")
    parser.add_argument("--keep", type=Path, help="write the history to this folder, and keep it")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        measure(options.keep or Path(folder) / "history", options.runs)


def measure(folder: Path, number: int) -> None:
    """Make a history of so many runs, and print the figures."""
    recorded = condense(read_run(RECORDED))
    seconds = []
    for run, units in simulated(recorded, number):
        start = perf_counter()
        packed = {f"{name}{run_file.ENDING}": run_file.pack(unit.encode()) for name, unit in units.items()}
        add_sources(folder, packed)
        add_run(folder, run)
        seconds.append(perf_counter() - start)
    files = [path for path in folder.rglob("*") if path.is_file()]
    print(f"{number} runs of {CASES} cases in {len(files)} files")
    show("content, MB", sum(path.stat().st_size for path in files) / 1e6, AIM_MB)
    show("on disk, in whole blocks, MB", sum(path.stat().st_blocks for path in files) * 512 / 1e6, AIM_MB)
    show("write the median run, s", float(np.median(seconds)), AIM_ADD_S)
    show("write the slowest run, s", max(seconds), None)
    command = (sys.executable, "-m", "shflbench", "history", "add", str(RECORDED), "--to", str(folder))
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    show("`history add` of a recorded run of 522 cases, with start, s", perf_counter() - start, None)
    start = perf_counter()
    history = read_history(folder)
    show("read all runs, s", perf_counter() - start, AIM_READ_S)
    start = perf_counter()
    series = series_of(history.runs)
    show("make the series, s", perf_counter() - start, None)
    print(f"{len(series)} series of {sum(len(one.cases) for one in series)} cases, {len(history.problems)} problems")
    measure_readers(folder)


def measure_readers(folder: Path) -> None:
    """Measure the commands that read a history."""
    measure_command("history show --all", ["history", "show", str(folder), "--all"], AIM_SHOW_S)
    page = folder.parent / "history.html"
    measure_command("history report", ["history", "report", str(folder), "--output", str(page)], AIM_REPORT_S)
    show("size of the report, MB", page.stat().st_size / 1e6, AIM_PAGE_MB)
    page.unlink()


def measure_command(name: str, words: list[str], aim_s: float) -> None:
    """Run a command in a process, and print its seconds and the most memory that it used."""
    start = perf_counter()
    ran = subprocess.run([sys.executable, "-c", MEASURED, *words], stdout=subprocess.PIPE, check=True)
    seconds = perf_counter() - start
    cpu_s, kilobytes = map(float, ran.stdout.split()[-2:])
    show(f"`{name}`, with start, s", seconds, aim_s)
    show(f"`{name}`, CPU time, s", cpu_s, None)
    show(f"`{name}`, memory, MB", kilobytes / 1000, AIM_MEMORY_MB)


def show(title: str, value: float, aim: float | None) -> None:
    """Print one line."""
    judged = "" if aim is None else f"   aim {aim:g}: {'met' if value < aim else 'MISSED'}"
    print(f"{title:60} {value:8.3f}{judged}")

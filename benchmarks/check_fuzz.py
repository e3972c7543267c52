"""Run `check` on damaged files: `python -m benchmarks.check_fuzz [--count N] [--seed S] [--jobs N] [--keep DIR]`.

Several processes check mutants of the repository's kernels and of PTX of NVRTC, Triton and Numba. Each must end in a
verdict or in one sentence with a known exit code, within 20 CPU-seconds and 1 GB. The program counts how they ended; it
writes those that end otherwise to a folder, and exits with 1. It also runs where `shflbench` is not installed, from its
repository.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from traceback import format_exc
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it also runs as a file

from benchmarks.check_fuzz_mutants import SUFFIXES, mutant, suffix_of
from benchmarks.check_fuzz_outcome import Outcome, outcome_of
from shflbench.compile.toolchain import find
from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ROOT = Path(__file__).resolve().parent.parent
CPU_SECONDS = 20  # for one file
SECONDS = 100  # until a process counts as hanging; the machine may be busy
START_SECONDS = 160  # for the first file of a process, for which it starts the compiler
MOST_MEMORY = 1 << 30
RESTARTS_AFTER = 300  # files: caches of a process that checks thousands say nothing about one file

# Forks processes that have `check` imported.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["benchmarks.check_fuzz_outcome", "shflbench.checker.file_check", "shflbench.cli.check.command"]
)


def main() -> None:
    """Check the mutants and print the counts; exit with 1 if one ended otherwise than it should."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--count", type=int, default=500, help="mutants, half of them .cu and half .ptx")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; by default one per core")
    parser.add_argument("--keep", type=Path, default=Path("fuzz"), help="folder for the mutants that fail")
    options = parser.parse_args()
    try:
        find()
    except CompilerError as error:  # every file would end with this one sentence
        print(error.message, error.advice, sep="\n", file=sys.stderr)
        sys.exit(error.exit_code)
    begin, jobs = monotonic(), max(options.jobs, 1)
    # The fork server imports by name, from folders that it knows from the environment.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    numbers = range(options.first, options.first + options.count)
    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(
            lambda part: _check(part, options.seed),
            [numbers[len(numbers) * n // jobs : len(numbers) * (n + 1) // jobs] for n in range(jobs)],
        )
        outcomes = {number: outcome for part in parts for number, outcome in part.items()}
    for suffix in SUFFIXES:
        counts = Counter(item.result for number, item in outcomes.items() if suffix_of(number) == suffix)
        print(f"{counts.total():6} {suffix} files")
        for result, count in sorted(counts.items()):
            print(f"{count:10} {result}")
    failures = {number: outcome for number, outcome in sorted(outcomes.items()) if outcome.problem}
    for number, outcome in failures.items():
        _keep(options.keep, options.seed, number, outcome)
    print(f"{len(outcomes)} files, {len(failures)} failures, {monotonic() - begin:.0f} s (seed {options.seed})")
    sys.exit(bool(failures))


def _keep(folder: Path, seed: int, number: int, outcome: Outcome) -> None:
    item = mutant(seed, number)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / item.name).write_bytes(item.content)
    (folder / f"{item.name}.txt").write_text(f"{outcome.problem}\n{item.words}\n{outcome.output}", encoding="utf-8")
    print(f"{folder / item.name}: {outcome.problem} {' '.join(map(repr, item.words))}")


def _check(numbers: range, seed: int) -> dict[int, Outcome]:
    """Return the outcomes of mutants that one process after another checks."""
    outcomes: dict[int, Outcome] = {}
    while remaining := [number for number in numbers if number not in outcomes][:RESTARTS_AFTER]:
        near, far = CONTEXT.Pipe()
        process = CONTEXT.Process(target=_work, args=(far, seed, remaining), daemon=True)
        process.start()
        far.close()
        for number in remaining:
            answer = _answer(near, SECONDS if number != remaining[0] else START_SECONDS)
            outcomes[number] = answer or Outcome("failed", _end_of(process))
            if answer is None:
                break
        process.kill()
        process.join()
    return outcomes


def _answer(near: Connection, seconds: float) -> Outcome | None:
    """Return the next outcome; None if the process ended or takes too long."""
    try:
        return near.recv() if near.poll(seconds) else None
    except EOFError:
        return None


def _end_of(process: multiprocessing.process.BaseProcess) -> str:
    process.join(1)
    return f"the process ended with {process.exitcode}" if process.exitcode is not None else f"more than {SECONDS} s"


def _work(far: Connection, seed: int, numbers: list[int]) -> None:
    """Check mutants and send an outcome for each; runs in a process of its own."""
    with TemporaryDirectory() as folder:
        for number in numbers:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets VmHWM, proc(5)
            begin = process_time()
            try:
                outcome = outcome_of(mutant(seed, number), Path(folder))
            except Exception:  # noqa: BLE001  (the failure that this program looks for)
                outcome = Outcome("failed", "an exception", format_exc())
            if _peak() > MOST_MEMORY and not outcome.problem:
                outcome = Outcome(outcome.result, f"{_peak() >> 20} MB of memory")
            if process_time() - begin > CPU_SECONDS and not outcome.problem:
                outcome = Outcome(outcome.result, f"{process_time() - begin:.0f} CPU-seconds")
            far.send(outcome)


def _peak() -> int:
    """Return the most memory that this process has held since the last reset, in bytes."""
    match = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(match[1]) << 10 if match else 0


if __name__ == "__main__":
    main()

"""Check many files, a few at a time, each within a time limit; results are kept, so that a run can be resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import msgspec

from benchmarks.common.records import JsonLines
from benchmarks.common.runs import run_all
from benchmarks.public_sets.job import Job, JobResult, work

# Forks processes that have `check` imported, which takes longer than most files do.
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([
    "benchmarks.public_sets.job",
    "shflbench.checker.file_check",
    "shflbench.cuda.compile.toolchain",
    "benchmarks.public_sets.start",
])  # fmt: skip


def finished(path: Path, *, errors: bool = False) -> dict[str, JobResult]:
    """Return the results that an earlier run kept, by key of the job.

    Files without a verdict are left out, because they are tried again, unless `errors` asks for these, too.
    """
    results = {record["job"]: msgspec.convert(record["result"], JobResult) for record in JsonLines(path).read()}
    return {key: result for key, result in results.items() if errors or not result.error}


def keep(path: Path, job: Job, result: JobResult) -> None:
    """Add one result."""
    JsonLines(path).add({"job": job.key(), "result": asdict(result)})


def machine(cpu: Path = Path("/proc/cpuinfo")) -> str:
    """Return the class of this machine: its number of cores and, on Linux, their model."""
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{os.cpu_count()} cores{f' of {model}' if model else ''}"


def run(jobs: Sequence[Job], *, processes: int, seconds: float) -> Iterator[tuple[Job, JobResult]]:
    """Yield each job with its result as soon as it is finished, `processes` of them at a time."""
    where = f"{machine()}, {processes} at a time"
    for job, result in run_all(jobs, partial(run_one, seconds=seconds), processes):
        yield job, replace(result, machine=where)


def run_one(job: Job, seconds: float) -> JobResult:
    """Return the result of one job, which runs in a process of its own for at most `seconds`."""
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=work, args=(job, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            process.kill()
            return JobResult(error=f"no verdict after {seconds:g} s", seconds=seconds)
        return msgspec.json.decode(receiver.recv(), type=JobResult)
    except EOFError:
        process.join()
        return JobResult(error=f"ended with exit code {process.exitcode}; the traceback is on stderr")
    finally:
        receiver.close()
        process.join()

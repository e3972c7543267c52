"""Check many files, a few at a time, each within a time limit; results are kept, so that a run can be resumed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from benchmarks.common.records import JsonLines
from benchmarks.common.runs import run_all
from benchmarks.public_sets.job import JobResult, work
from benchmarks.public_sets.machine import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.public_sets.job import Job

# Forks processes that have `check` imported, which takes longer than most files do.
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([
    "benchmarks.public_sets.job",
    "shflbench.checker.file_check",
    "shflbench.cuda.compile.toolchain",
    "benchmarks.public_sets.start",
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finished:
    """The files that an earlier run has finished, in a file of one JSON object per line."""

    path: Path

    def read(self, *, errors: bool = False) -> dict[str, JobResult]:
        """Return the results by key of the job; none if there is no such file.

        The half line of a stopped run is left out, and so are files without a verdict, which are tried again, unless
        `errors` asks for these, too.
        """
        results = {record["job"]: JobResult.of(record["result"]) for record in JsonLines(self.path).read()}
        return {key: result for key, result in results.items() if errors or not result.error}

    def add(self, job: Job, result: JobResult) -> None:
        """Add one result."""
        JsonLines(self.path).add({"job": job.key(), "result": asdict(result)})


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
        return JobResult.of(json.loads(receiver.recv()))
    except EOFError:
        process.join()
        return JobResult(error=f"ended with exit code {process.exitcode}; the traceback is on stderr")
    finally:
        receiver.close()
        process.join()

"""Check many files, a few at a time, each within a time limit; results are kept, so that a run can be resumed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from typing import TYPE_CHECKING

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
    "shflbench.compile.toolchain",
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
        if not self.path.exists():
            return {}
        lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]
        results = {record["job"]: JobResult.of(record["result"]) for record in map(json.loads, lines)}
        return {key: result for key, result in results.items() if errors or not result.error}

    def add(self, job: Job, result: JobResult) -> None:
        """Add one result."""
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"job": job.key(), "result": asdict(result)}) + "\n")


def run(jobs: Sequence[Job], *, processes: int, seconds: float) -> Iterator[tuple[Job, JobResult]]:
    """Yield each job with its result as soon as it is finished, `processes` of them at a time."""
    where = f"{machine()}, {processes} at a time"
    with ThreadPoolExecutor(processes) as threads:
        futures = {threads.submit(run_one, job, seconds): job for job in jobs}
        try:
            for future in as_completed(futures):
                yield futures[future], replace(future.result(), machine=where)
        finally:
            for future in futures:
                future.cancel()


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

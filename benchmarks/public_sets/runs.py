"""Check many files, a few at a time, each within a time limit; results are kept, so that a run can be resumed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

from benchmarks.public_sets.job import JobResult, work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.public_sets.job import Job

# Forks processes that have `check` imported, which takes longer than most files do.
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([
    "benchmarks.public_sets.job",
    "shflbench.checker.files",
    "shflbench.compile.toolchain",
    "benchmarks.public_sets.start",
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finished:
    """The files that an earlier run has finished, in a file of one JSON object per line."""

    path: Path

    def read(self) -> dict[str, JobResult]:
        """Return the results by job; none if there is no such file.

        The half line of a stopped run is left out, and so are files without a verdict, which are tried again.
        """
        if not self.path.exists():
            return {}
        lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]
        results = {record["job"]: JobResult.of(record["result"]) for record in map(json.loads, lines)}
        return {job: result for job, result in results.items() if not result.error}

    def add(self, job: Job, result: JobResult) -> None:
        """Add one result."""
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"job": job.text(), "result": asdict(result)}) + "\n")


def run(jobs: Mapping[str, Job], *, processes: int, seconds: float) -> Iterator[tuple[str, JobResult]]:
    """Yield the result of each job under its key as soon as it is finished."""
    with ThreadPoolExecutor(processes) as threads:
        futures = {threads.submit(run_one, job, seconds): key for key, job in jobs.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
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

"""Check many files, a few at a time, each within a time limit; results are kept, so that a run can be resumed."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.public_sets.job import JobResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.public_sets.job import Job

ROOT = Path(__file__).parents[2]


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
    command = [sys.executable, "-m", "benchmarks.public_sets.job"]
    try:
        process = subprocess.run(
            command, input=job.text(), capture_output=True, text=True, timeout=seconds, check=False, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return JobResult(error=f"no verdict after {seconds:.0f} s", seconds=seconds)
    if process.returncode:
        last = "".join(process.stderr.strip().splitlines()[-1:])
        return JobResult(error=f"ended with exit code {process.returncode}: {last}")
    return JobResult.of(json.loads(process.stdout))

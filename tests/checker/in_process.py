"""Compile and check in this process: for tests of the results, to which a process for each core adds nothing."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

import pytest

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_here(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    most: int | None = None,  # noqa: ARG001  (of processes, of which this starts none)
) -> Iterator[tuple[int, Future[Result]]]:
    """Stands in for `run_in_processes`."""
    for index, job in enumerate(jobs):
        future: Future[Result] = Future()
        try:
            future.set_result(function(job))
        except Exception as error:  # noqa: BLE001  (whatever it is, the caller of `future.result` gets it)
            future.set_exception(error)
        yield index, future


def start_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cuda.compile.build.JOBS_PER_CORE", 1)  # each job starts the disassembler
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    for module in ("core.processes", "cuda.compile.build"):
        monkeypatch.setattr(f"shflbench.{module}.run_in_processes", run_here)

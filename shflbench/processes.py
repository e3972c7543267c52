"""Run jobs in parallel processes, one per core; they end with their parent, even after kill -9."""

from __future__ import annotations

import ctypes
import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from concurrent.futures import Future

Job = TypeVar("Job")
Result = TypeVar("Result")

PR_SET_PDEATHSIG = 1  # prctl(2): the signal that a process receives when the thread that started it ends


def kill_on_parent_exit(parent: int) -> None:
    """Have the kernel kill this process when the process `parent`, whose main thread started it, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has already ended
        os._exit(1)


def run_in_processes(
    function: Callable[[Job], Result], jobs: Sequence[Job]
) -> Generator[tuple[int, Future[Result]], None, None]:
    """Yield the index of each job with its future, as soon as the job is done.

    A future raises BrokenProcessPool if a process of the pool crashed. If the caller stops iterating, for example after
    Ctrl-C, the processes are killed.
    """
    # Not `fork`: a process that has opened a GPU must not be forked.
    context = get_context("spawn")
    workers = min(len(jobs), os.cpu_count() or 1)
    before = active_children()
    pool = ProcessPoolExecutor(workers, context, initializer=kill_on_parent_exit, initargs=(os.getpid(),))
    try:
        with _block_sigint():
            futures = {pool.submit(function, job): index for index, job in enumerate(jobs)}
        for future in as_completed(futures):
            yield futures[future], future
    except BaseException:
        for process in active_children():
            if process not in before:
                process.kill()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def map_in_processes(function: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
    """Yield the result of `function` for each job, in the order of the jobs, as soon as it is available."""
    done: dict[int, Future[Result]] = {}
    following = 0
    for index, future in run_in_processes(function, jobs) if jobs else ():
        done[index] = future
        while following in done:
            yield done.pop(following).result()
            following += 1


@contextmanager
def _block_sigint() -> Iterator[None]:
    """Make processes that start meanwhile ignore Ctrl-C, which the terminal sends to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

"""Run jobs in parallel processes, one per core; they end with the thread that started them, even after kill -9.

Each process has a pipe of its own, which no other process holds open. All processes of a ProcessPoolExecutor send their
results through one pipe: if one is killed while it sends, the executor waits forever for the rest of the message.
"""

from __future__ import annotations

import ctypes
import os
import signal
import traceback
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.reduction import ForkingPickler
from threading import Lock, local
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.connection import Connection

Job = TypeVar("Job")
Result = TypeVar("Result")

LEAST_NICE = 19  # the lowest priority that nice(2) knows
PR_SET_PDEATHSIG = 1  # prctl(2): the signal that a process receives when the thread that started it ends


def kill_on_parent_exit(parent: int) -> None:
    """Have the kernel kill this process when the thread of the process `parent` that started it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has already ended
        os._exit(1)


def run_in_processes(
    function: Callable[[Job], Result], jobs: Sequence[Job], most: int | None = None
) -> Generator[tuple[int, Future[Result]], None, None]:
    """Yield the index of each job with its future, which is done, as soon as the job is done.

    `most` limits the number of processes, which is else that of the cores. A future raises BrokenProcessPool if the
    process that ran its job crashed. If the caller stops iterating, for example after Ctrl-C, the processes are killed.
    """
    waiting = deque(range(len(jobs)))
    workers: dict[Any, JobProcess] = {}
    most = min(most or len(jobs), os.cpu_count() or 1)
    try:
        while waiting or workers:
            while waiting and len(workers) < most:
                worker = JobProcess(function, waiting.popleft())
                workers[worker.pipe] = worker
            for pipe in connection.wait(list(workers)):
                worker = workers[pipe]
                index, result = worker.index, worker.receive(jobs)
                if result is None:
                    continue
                if isinstance(result.exception(), BrokenProcessPool) or not waiting:
                    workers.pop(pipe).end()
                else:
                    worker.run(jobs, waiting.popleft())
                yield index, result
    finally:
        for worker in workers.values():
            worker.end()


def map_in_processes(
    function: Callable[[Job], Result], jobs: Sequence[Job], most: int | None = None
) -> Iterator[Result]:
    """Yield the result of `function` for each job, in the order of the jobs, as soon as it is available.

    `most` limits the number of processes, which is else that of the cores.
    """
    done: dict[int, Future[Result]] = {}
    following = 0
    for index, future in run_in_processes(function, jobs, most):
        done[index] = future
        while following in done:
            yield done.pop(following).result()
            following += 1


class BackgroundProcesses:
    """Processes that execute calls while this process does other things, at the lowest priority until `hurry`.

    A call is sent to a process when one is free, and a process is started when a call needs it. The thread of this
    process that started it waits for its results.
    """

    def __init__(self, most: int) -> None:
        """Start no process yet, and later at most `most`, or one per core."""
        self.count = max(1, min(most, os.cpu_count() or 1))
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="background process")
        self._of_thread = local()  # its process
        self._processes: set[JobProcess] = set()
        self._lock = Lock()  # of the set
        self._is_closed = self._is_urgent = False

    def submit(self, function: Callable[..., Result], *arguments: object) -> Future[Result]:
        """Return the future of a call; BrokenProcessPool if its process crashes, or is ended by `close`."""
        return self._threads.submit(self._execute, function, *arguments)

    def hurry(self) -> None:
        """Execute the calls that no process has begun at the priority of this process."""
        self._is_urgent = True

    def close(self) -> None:
        """Kill all processes, and forget the calls that have not ended."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.end()

    def _execute(self, function: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401  (what it returned)
        # As bytes, so that the process imports the function at its low priority.
        jobs = [(ForkingPickler.dumps((function, arguments)).tobytes(), self._is_urgent)]
        process: JobProcess | None = getattr(self._of_thread, "process", None)
        if process:
            process.run(jobs, 0)
        else:
            process = self._start()
        while (future := process.receive(jobs)) is None:  # it only asked for its first job
            pass
        if isinstance(future.exception(), BrokenProcessPool):
            self._of_thread.process = None
            with self._lock:
                self._processes.discard(process)
            process.end()
        return future.result()

    def _start(self) -> JobProcess:
        with self._lock:
            if self._is_closed:
                raise BrokenProcessPool("the processes were ended")
            process = JobProcess(_execute_call, 0)
            self._processes.add(process)
        self._of_thread.process = process
        return process


class JobProcess:
    """A process, the pipe to it, and the index of the job that it runs."""

    def __init__(self, function: Callable[[Any], object], index: int) -> None:
        """Start the process; it asks for the job when it has imported what `function` needs."""
        # Not `fork`: a process that has opened a GPU must not be forked.
        context = get_context("spawn")
        self.index = index
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=_run_jobs, args=(function, end, os.getpid()), daemon=True)
        try:
            with block_sigint():
                self.process.start()
        finally:
            end.close()

    def run(self, jobs: Sequence[object], index: int) -> None:
        """Have the process run a job; if it has ended, the next `receive` says so."""
        self.index = index
        with suppress(BrokenPipeError):
            self.pipe.send(jobs[index])

    def receive(self, jobs: Sequence[object]) -> Future[Any] | None:
        """Return the future of the current job, or None if the process only asked for it and was sent it."""
        future: Future[Any] = Future()
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            future.set_exception(BrokenProcessPool("the process of this job crashed"))
            return future
        if message is None:
            self.run(jobs, self.index)
            return None
        result, error = message
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
        return future

    def end(self) -> None:
        """Kill the process, and wait until it is gone."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _execute_call(job: tuple[bytes, bool]) -> object:
    """Execute a pickled call, unless it is urgent in a thread of its own, whose low priority ends with it."""
    pickled, is_urgent = job
    if is_urgent:
        return _call(pickled)
    with ThreadPoolExecutor(1, initializer=_lower_priority) as thread:
        return thread.submit(_call, pickled).result()


def _call(pickled: bytes) -> object:
    function, arguments = ForkingPickler.loads(pickled)
    return function(*arguments)


def _lower_priority() -> None:
    """Let this thread, and what it starts, run where a core is idle; without rights, nobody can undo that."""
    os.nice(LEAST_NICE)
    with suppress(OSError):  # a sandbox may lack it
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _run_jobs(function: Callable[[Any], object], pipe: Connection, parent: int) -> None:
    """Run jobs until the parent closes its end of the pipe."""
    kill_on_parent_exit(parent)
    pipe.send(None)
    with suppress(EOFError):
        while True:
            job = pipe.recv()
            try:
                message = ForkingPickler.dumps((function(job), None))
            except Exception as error:  # noqa: BLE001  (the parent raises it)
                error.add_note(f"in process {os.getpid()}:\n{traceback.format_exc()}")
                message = ForkingPickler.dumps((None, error))
            pipe.send_bytes(message)


@contextmanager
def block_sigint() -> Iterator[None]:
    """Make processes that start meanwhile ignore Ctrl-C, which the terminal sends to all processes."""
    resource_tracker.ensure_running()  # its start would unblock SIGINT
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

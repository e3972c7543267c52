"""Run jobs in parallel processes, one per core; they end with their parent, even after kill -9.

Each process has a pipe of its own, which no other process holds open. All processes of a ProcessPoolExecutor send their
results through one pipe: if one is killed while it sends, the executor waits forever for the rest of the message.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import traceback
from collections import deque
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import connection
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

Job = TypeVar("Job")
Result = TypeVar("Result")

FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)  # to all processes: at Ctrl-C, and when it is closed
PR_SET_PDEATHSIG = 1  # prctl(2): the signal that a process receives when the thread that started it ends
CANNOT_START = 127  # exit status of `bound_to_parent`, as of a shell: the program does not start
# Not as `preexec_fn` of subprocess: a process with threads must not execute Python between fork and exec.
_BOUND = f"""\
import ctypes, os, sys
ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {int(signal.SIGKILL)})
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.stderr.write(error.strerror)
    sys.exit({CANNOT_START})
"""
_SERVE = """\
import sys
module, numbers, sys.path[:] = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
from importlib import import_module
import_module(module).serve(*map(int, numbers))
"""


def kill_on_parent_exit(parent: int) -> None:
    """Have the kernel kill this process when the process `parent`, whose main thread started it, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has already ended
        os._exit(1)


def bound_to_parent(command: Sequence[str]) -> list[str]:
    """Return a command that executes `command`, a path and its arguments, and is killed when this thread ends.

    Where the program does not start, the exit status is CANNOT_START, and the reason on stderr.
    """
    return [sys.executable, "-I", "-S", "-c", _BOUND, str(os.getpid()), *command]


def start_server(module: str, *numbers: int, end: Connection, output: int | None = None) -> subprocess.Popen[bytes]:
    """Start a Python process with the same path, which calls `serve` of a module with numbers.

    It has the `end` of a pipe, whose descriptor is one of the numbers, and writes to `output`, as this process by
    default.
    """
    return subprocess.Popen(  # noqa: S603  (no shell)
        [sys.executable, "-P", "-c", _SERVE, module, ",".join(map(str, numbers)), *sys.path],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=[end.fileno()],
    )


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


def run_within(function: Callable[[Job], Result], job: Job, seconds: float) -> Result:
    """Return the result of `function` for one job in a process of its own, which is killed after so many seconds.

    TimeoutError if it takes longer, BrokenProcessPool if it crashes, and what the function raises.
    """
    worker = JobProcess(function, 0)
    try:
        result = None
        while result is None:  # first the process asks for the job
            if not worker.pipe.poll(seconds):
                raise TimeoutError(f"it takes more than {seconds:g} s")
            result = worker.receive([job])
        value: Result = result.result()
        return value
    finally:
        worker.end()


class JobProcess:
    """A process, the pipe to it, and the index of the job that it runs."""

    def __init__(self, function: Callable[[Any], object], index: int) -> None:
        """Start the process; it asks for the job when it has imported what `function`, not of `__main__`, needs."""
        self.index = index
        self.pipe, end = Pipe()
        try:
            # Neither `fork`, as a process that has opened a GPU must not be forked, nor `multiprocessing`: a process
            # whose start is interrupted must end without a word, and must not run the user's program again.
            with end, block_terminal_signals():
                self.process = start_server(__name__, os.getpid(), end.fileno(), end=end)
        except BaseException:
            self.pipe.close()  # which ends a process that was started
            raise
        try:
            with suppress(BrokenPipeError):  # if the process has ended, the next `receive` says so
                self.pipe.send(function)
        except BaseException:
            self.end()
            raise

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
        self.process.wait()
        self.pipe.close()


def serve(parent: int, descriptor: int) -> None:
    """Run jobs of the function that arrives first through a pipe, until the parent closes its end."""
    kill_on_parent_exit(parent)
    pipe = Connection(descriptor)
    with suppress(EOFError, ConnectionError):  # a parent that is killed closes it before its signal arrives
        function = pipe.recv()
        pipe.send(None)
        while True:
            job = pipe.recv()
            try:
                message = ForkingPickler.dumps((function(job), None))
            except Exception as error:  # noqa: BLE001  (the parent raises it)
                error.add_note(f"in process {os.getpid()}:\n{traceback.format_exc()}")
                message = ForkingPickler.dumps((None, error))
            pipe.send_bytes(message)


@contextmanager
def block_terminal_signals() -> Iterator[None]:
    """Make processes that start meanwhile ignore what the terminal sends to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

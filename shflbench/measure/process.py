"""The parent's side of a worker process: send jobs, receive events."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from shflbench.measure.events import decode

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import RawIOBase

    from shflbench.measure.events import JobEvent

GPU_OPENER = "shflbench.cuda.backends.cuda:open_backend"  # what a worker process opens a GPU with
END_SECONDS = 10.0  # until a killed process ends; if the driver hangs, waiting longer does not help
CHUNK = 1 << 16  # bytes: the capacity of a pipe on Linux
LAST_BYTES = 4096  # of the worker's output, which are searched for its last line
LONGEST_LINE = 300  # characters of that line
# Let glibc keep the memory of freed arrays, up to 8 GB, for the next ones; other C libraries ignore this. New memory
# costs page faults, and more time while other processes verify: with it, a run of gtc2013 on an H200 took 65.4 s in
# place of 69.4 s, 13.6 s of it in verification in place of 17.8 s. It replaces what Dask sets, whose workers return all
# memory at once.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": f"{8 << 30}"}


class WorkerDiedError(Exception):
    """How the worker process ended, as the part of a sentence that follows a colon."""


class Worker:
    """One worker process and the pipes to it."""

    def __init__(self, opener: str, argument: str) -> None:
        """Start the process, which opens a device by calling `opener` (`module:function`) with `argument`."""
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        self._events, write_end = os.pipe()
        self._buffer = b""
        command = [sys.executable, "-P", "-m", "shflbench.measure.worker", opener, argument, str(write_end)]
        try:
            self._process = subprocess.Popen(  # noqa: S603  (this Python, this package)
                [*command, str(os.getpid())],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=self._printed,
                stderr=self._printed,
                pass_fds=[write_end],
                start_new_session=True,  # a terminal's Ctrl-C goes to the parent alone
                env={**os.environ, **KEEP_MEMORY, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        finally:
            os.close(write_end)
        os.set_blocking(self._jobs.fileno(), False)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def _jobs(self) -> RawIOBase:
        return cast("RawIOBase", self._process.stdin)  # unbuffered

    @property
    def has_event(self) -> bool:
        """Whether the next event was already read."""
        return b"\n" in self._buffer

    def fileno(self) -> int:
        """Return the pipe from which events are read."""
        return self._events

    def send(self, job: str, timeout: float | None) -> None:
        """Send a job, as JSON; WorkerDiedError if the worker does not read it within `timeout` seconds."""
        rest = memoryview(f"{job}\n".encode())
        rest_seconds = _countdown(timeout)
        try:
            while rest:
                _, ready, _ = select.select([], [self._jobs], [], rest_seconds())
                if not ready:
                    raise WorkerDiedError(f"its worker process accepted no job for {timeout:g} s")
                rest = rest[self._jobs.write(rest) or 0 :]
        except BrokenPipeError as error:
            raise WorkerDiedError(self._end()) from error

    def receive(self, timeout: float | None) -> JobEvent:
        """Return the next event; WorkerDiedError if none comes within `timeout` seconds, or if the worker died."""
        rest_seconds = _countdown(timeout)
        while not self.has_event:
            ready, _, _ = select.select([self._events], [], [], rest_seconds())
            if not ready:
                raise WorkerDiedError(f"it did not end within {timeout:g} s")
            chunk = os.read(self._events, CHUNK)
            if not chunk:
                raise WorkerDiedError(self._end())
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            return decode(line.decode())
        except ValueError as error:  # a crash in a pattern's host code may write anywhere
            raise WorkerDiedError(f"its worker process sent an invalid event: {line[:80]!r}") from error

    def kill(self) -> None:
        """Kill the process; also for another thread than the one that uses this worker, which then sees its end."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process, wait until it has ended, and close the pipes."""
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._jobs.close()
        os.close(self._events)
        self._printed.close()

    def _end(self) -> str:
        """Return how the process ended, with the last line that it printed."""
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "its worker process closed its pipe and did not end"
        if code < 0:
            how = f"its worker process was ended by {_name(-code)}"
        else:
            how = f"its worker process ended with exit code {code}"
        last = "" if -code == signal.SIGKILL else self._last_line()  # a killed process prints nothing about it
        return f"{how}: {last}" if last else how

    def _last_line(self) -> str:
        """Return the last line that was printed, without unprintable characters."""
        end = self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, end - LAST_BYTES))
        printed = self._printed.read().decode(errors="replace")
        lines = ["".join(filter(str.isprintable, line)).strip() for line in printed.splitlines()]
        return next((line[:LONGEST_LINE] for line in reversed(lines) if line), "")


class EarlyWorker:
    """A worker process that opens its device while the run is still prepared, until an executor takes it."""

    def __init__(self, opener: str, argument: str) -> None:
        """Start the process, as `Worker` does, and do not wait for it."""
        self._worker: Worker | None = Worker(opener, argument)

    def take(self) -> Worker | None:
        """Return the process, which the caller closes from now on; None if it was taken or closed before."""
        worker, self._worker = self._worker, None
        return worker

    def close(self) -> None:
        """End the process, unless an executor has taken it."""
        if worker := self.take():
            worker.close()


def _countdown(timeout: float | None) -> Callable[[], float | None]:
    """Return a function that returns the rest of `timeout` in seconds; None if there is no timeout."""
    if timeout is None:
        return lambda: None
    deadline = time.monotonic() + timeout
    return lambda: max(0.0, deadline - time.monotonic())


def _name(number: int) -> str:
    """Return the name and the description of a signal: `SIGSEGV (Segmentation fault)`."""
    known = signal.strsignal(number) or "unknown"
    return f"{signal.Signals(number).name} ({known})" if number in set(signal.Signals) else f"signal {number}"

"""Compile files of users with NVRTC in a process of its own, with limits on time and memory.

NVRTC has no time limit, and what it does with macros and templates that grow without end, or with code nested too
deeply, ends in a crash or never. The process serves one compilation after another; its start takes a tenth of a second.
"""

from __future__ import annotations

import atexit
import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.processes import FROM_TERMINAL, start_server
from shflbench.cuda.compile.nvrtc import PtxResult, compile_ptx
from shflbench.errors import CompileError, CompilerError, ShflbenchError

if TYPE_CHECKING:
    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.cuda.compile.toolchain import Toolchain

CPU_S = 60  # of one compilation, whatever else runs on the machine; the slowest of NVIDIA's samples takes 8 s
TIMEOUT_S = 600.0  # likewise, of a machine that hardly runs it
MEMORY_BYTES = 6 * 2**30  # of addresses; NVRTC needs less than 1 GB for the samples, and keeps what it once had
_START_S = 60.0  # to load the compiler on a busy machine
_ADVICE = "Simplify the file, or pass its PTX."


class UnfinishedError(CompileError):
    """The compiler did not end, or crashed; another attempt would end in the same way."""


class CompilerTimeoutError(UnfinishedError):
    """The compiler exceeded its time limit."""

    def __init__(self, subject: object, seconds: float) -> None:
        """Keep the file that it compiled, and the limit in the reason."""
        within = f"does not compile within {seconds:g} s"
        super().__init__(f"it {within}", _ADVICE, subject)
        self.message = self.escape(f"{subject} {within}")
        self.args = (self.message,)


class PtxProcess:
    """The process of NVRTC, started when it is needed."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._owner = 0  # a fork of this process must not use the pipe of its parent
        self._lock = threading.Lock()

    def compile(self, unit: PtxUnit, toolchain: Toolchain, timeout_s: float | None = None) -> PtxResult:
        """Compile a unit within `timeout_s`, by default TIMEOUT_S.

        UnfinishedError if the compiler crashes or exceeds its limits, CompilerError if it fails.
        """
        timeout_s = TIMEOUT_S if timeout_s is None else timeout_s
        folder = ""
        with suppress(OSError):  # it may have been deleted
            folder = str(Path.cwd())
        with self._lock:
            try:
                pipe = self._started(unit)
                pipe.send((unit, toolchain, CPU_S, folder))
                if not pipe.poll(timeout_s):
                    self.end()
                    raise CompilerTimeoutError(unit.name, timeout_s)
                answer = pipe.recv()
            except (EOFError, OSError) as error:
                status = self._process.wait() if self._process is not None else 0
                self.end()
                if status == -signal.SIGPROF:
                    raise CompilerTimeoutError(unit.name, CPU_S) from error
                raise _crashed(unit) from error
        if isinstance(answer, ShflbenchError):
            raise answer
        assert isinstance(answer, PtxResult)  # noqa: S101  (what `serve` sends)
        return answer

    def _started(self, unit: PtxUnit) -> Connection:
        """Return the pipe to a process that waits for a unit."""
        if self._owner != os.getpid():
            self._process = self._pipe = None
        if self._process is None or self._process.poll() is not None or self._pipe is None:
            self.end()
            self._pipe, end = Pipe()
            self._owner = os.getpid()
            with end:
                self._process = _start(end)
            if not self._pipe.poll(_START_S):
                self.end()
                raise _crashed(unit)
            self._pipe.recv()
        return self._pipe

    def end(self) -> None:
        """Kill the process, if it runs, and wait until it is gone."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
        if pipe is not None:
            pipe.close()


def _start(end: Connection) -> subprocess.Popen[bytes]:
    try:
        return start_server(__name__, end.fileno(), end=end, output=subprocess.DEVNULL)
    except OSError as error:
        what = f"no process can be started to compile in: {(error.strerror or str(error)).lower()}"
        raise CompilerError(what, f"Check that {sys.executable} can be run, and how many processes may run.") from error


def _crashed(unit: PtxUnit) -> UnfinishedError:
    return UnfinishedError("NVRTC crashed, or needs too much memory", _ADVICE, unit.name)


SHARED = PtxProcess()
atexit.register(SHARED.end)


def serve(descriptor: int) -> None:
    """Compile the units that arrive through a pipe until it is closed."""
    for number in FROM_TERMINAL:  # they are for the parent, which ends this process
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    with Connection(descriptor) as pipe, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        while True:
            unit, toolchain, seconds, folder = pipe.recv()
            with suppress(OSError):
                os.chdir(folder)  # NVRTC names headers below the working folder, which the parent may have changed
            # NVRTC lifts the limit of CPU time of its process, and leaves this timer.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.alarm(int(2 * TIMEOUT_S))  # ends this process if the parent was killed and cannot do it
            try:
                answer: PtxResult | ShflbenchError = compile_ptx(unit, toolchain)
            except ShflbenchError as error:
                answer = error
            except MemoryError:
                os._exit(1)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            pipe.send(answer)

"""Run code of the user, such as that of a `pattern.py`, which may print, raise and take as long as it likes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from shflbench.core.packages import package_error
from shflbench.errors import PatternError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

STDOUT, STDERR = 1, 2  # file descriptors


@contextmanager
def run_user_code(path: Path, error_of: Callable[[str], ShflbenchError] = PatternError) -> Iterator[None]:
    """Run code of the file at `path`: it prints to stderr, and what it raises becomes `error_of` one sentence.

    This holds for everything that it raises, SystemExit and KeyboardInterrupt included. A signal that arrives meanwhile
    ends the command as it does elsewhere, even if the code catches what the signal's handler raises. Several threads
    may run such code at the same time.
    """
    failure: BaseException | None = None
    with _print_to_stderr, _note_raised() as raised_by_signals:
        try:
            yield
        except BaseException as error:  # noqa: BLE001  (the user's own code)
            failure = error
    if raised_by_signals:
        raise raised_by_signals[0]
    if failure is not None:
        if missing := package_error(failure):
            raise missing from failure
        raise error_of(_describe(failure, path)) from failure


def _describe(error: BaseException, path: Path) -> str:
    """Return an error of the file at `path` in one line, with the last line of the file that was running."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    return where + ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


class _PrintToStderr:
    """Keeps stdout for data: `print` writes to stderr, and so do C libraries and child processes.

    Threads share both: the first one that enters redirects them, and the last one that leaves restores them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._restore = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._restore.enter_context(_redirected())
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._restore.close()


_print_to_stderr = _PrintToStderr()


@contextmanager
def _redirected() -> Iterator[None]:
    if sys.stdout is None or sys.stderr is None:  # closed by the shell: their descriptors may be those of other files
        with redirect_stdout(sys.stderr):
            yield
        return
    stdout = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(stdout, STDOUT)
        os.close(stdout)


@contextmanager
def _note_raised() -> Iterator[list[BaseException]]:
    """Note what the handlers of signals raise that would end a command; only the main thread handles signals."""
    raised: list[BaseException] = []
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler

    def note(number: int, frame: FrameType | None) -> None:
        try:
            handlers[signal.Signals(number)](number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    for number in handlers:
        signal.signal(number, note)
    try:
        yield raised
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

"""Run the code of a `pattern.py`, which may print, raise and take as long as it likes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from shflbench.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

STDOUT, STDERR = 1, 2  # file descriptors


@contextmanager
def run_user_code(path: Path, error_of: Callable[[str], PatternError] = PatternError) -> Iterator[None]:
    """Run code of the file at `path`: it prints to stderr, and what it raises becomes `error_of` one sentence.

    This holds for everything that it raises, SystemExit and KeyboardInterrupt included. A signal that arrives meanwhile
    ends the command as it does elsewhere, even if the code catches what the signal's handler raises.
    """
    failure: BaseException | None = None
    with _print_to_stderr(), _note_signals() as signals:
        try:
            yield
        except BaseException as error:  # noqa: BLE001  (the user's own code)
            failure = error
    for number in signals:
        signal.raise_signal(number)
    if failure is not None:
        raise error_of(_describe(failure, path)) from failure


def _describe(error: BaseException, path: Path) -> str:
    """Return an error of the file at `path` in one line, with the last line of the file that was running."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    return where + ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


@contextmanager
def _print_to_stderr() -> Iterator[None]:
    """Keep stdout for data: `print` writes to stderr, and so do C libraries and child processes."""
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
def _note_signals() -> Iterator[list[int]]:
    """Note the signals that arrive and would end a command; only the main thread handles signals."""
    signals: list[int] = []
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler

    def note(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        handlers[signal.Signals(number)](number, frame)

    for number in handlers:
        signal.signal(number, note)
    try:
        yield signals
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

"""Signals that end a fleet run: the first one ends it in order, a second one ends this process at once."""

from __future__ import annotations

import os
import shlex
import signal
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from shflbench.cli.run.stop import stopped_code
from shflbench.core.signals import RAISED, code_of, is_ignored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import FrameType, TracebackType

    from shflbench.cli.console import Console

# A wrapper such as `uv run` or a batch script forwards the Ctrl-C that the terminal sent here as well, and a destructor
# that drops what the first signal raised makes `cli/main.py` send it again.
SAME_SECONDS = 0.5  # within which a second signal is still the first one


class StopSignals:
    """Handles the signals that end a command while it is entered.

    The first one sets `stop` and raises what it raises elsewhere, a KeyboardInterrupt. A second one ends this
    process without any clean-up, which its worker processes notice: the kernel kills them (`kill_on_parent_exit`).
    """

    def __init__(self) -> None:
        """Handle no signal yet."""
        self.stop = Event()
        self.last_words = ""  # to stderr, if a second signal comes before they were printed
        self.is_seen = False  # whether what the first signal raised has arrived
        self._first = 0
        self._since = 0.0
        self._is_deferred = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Handle the signals."""
        self._before = {
            number: signal.signal(number, self._handle)
            for number in map(signal.Signals, RAISED)
            if number != signal.SIGHUP or not is_ignored(number)  # as by nohup
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Handle them as before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Raise nothing before the end of the block: what starts in it must not be left half started."""
        self._is_deferred = True
        try:
            yield
        finally:
            self._is_deferred = False
        if self._first:
            self._raise()

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._first and monotonic() - self._since > SAME_SECONDS:
            os.write(2, self.last_words.encode())
            os._exit(128 + self._first)
        if self._first:
            if not self._is_deferred and not self.is_seen:
                self._raise()
            return
        self._first, self._since = number, monotonic()
        # In a thread: the interrupted code may hold the lock of the event.
        Thread(target=self.stop.set, daemon=True).start()
        if not self._is_deferred:
            self._raise()

    def _raise(self) -> None:
        raise RAISED[self._first]


class StopMessage:
    """What the user reads when a fleet run is stopped, once."""

    def __init__(self, signals: StopSignals, folder: Path, words: Sequence[str]) -> None:
        """Name the folder of the fleet run, and the `words` of the command that resumes it."""
        self._signals = signals
        self._kept = f"the finished groups are in {folder}"
        self._advice = f"resume it with: {shlex.join(words)}"
        self._is_shown = False
        signals.last_words = f"error: stopped; {self._kept}\n{self._advice[0].upper()}{self._advice[1:]}\n"

    def show(self, error: KeyboardInterrupt, console: Console) -> int:
        """Print the message unless it was printed before, and return the exit code."""
        self._signals.is_seen = True
        if self._is_shown:
            return code_of(error)
        code = stopped_code(error, self._kept, self._advice, console)
        self._is_shown, self._signals.last_words = True, ""
        return code

"""The steps of the check of a file: shown while it runs, and timed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shflbench.checker import CheckStep, FileOptions, FileReport
    from shflbench.cli.console import Console, Progress
    from shflbench.core.reporter import ProgressLine

LONG_S = 3.0  # after which verdicts are shown as they come; before, the report follows soon


def show_step(progress: ProgressLine, step: CheckStep) -> None:
    """Show the kernel that is checked now; nothing of one that is finished."""
    if step.report is None:
        what = f"checking {step.kernel}, kernel {step.number} of {step.kernels}" if step.number else "compiling"
        progress.show(what, max(step.number - 1, 0), max(step.kernels, 1))


class StepClock:
    """Measures how long each kernel of a file is emulated."""

    def __init__(self) -> None:
        """Begin with no kernel."""
        self.seconds: dict[str, float] = {}  # by symbol
        self._start = time.monotonic()

    def watch(self, step: CheckStep) -> None:
        """Take the time of a step; a kernel that runs again has the time of both."""
        now = time.monotonic()
        if step.report is not None:
            symbol = step.report.symbol
            self.seconds[symbol] = self.seconds.get(symbol, 0.0) + now - self._start
        self._start = now


def check_timed(path: Path, options: FileOptions) -> tuple[FileReport, dict[str, float]]:
    """Check one of several files, and return the seconds that its kernels took as well, by symbol."""
    from shflbench.checker import check_or_name

    clock = StepClock()
    return check_or_name(path, options, clock.watch), clock.seconds


class FileProgress:
    """Shows on stderr the kernel that runs now and, if the file takes long, the verdict on each before it."""

    def __init__(self, console: Console, progress: Progress, clock: Callable[[], float] = time.monotonic) -> None:
        """Show steps from now on; `clock` returns seconds."""
        self._console, self._progress, self._clock = console, progress, clock
        self._start = clock()
        self._finished: list[str] = []  # not shown yet

    def show(self, step: CheckStep) -> None:
        """Show what is done now, and the verdicts on finished kernels; the report shows the last one at once."""
        if step.report is None:
            show_step(self._progress, step)
            return
        reason = (step.report.sentence.splitlines() or [""])[0]
        self._finished.append(f"{step.kernel}: {step.report.verdict}, {reason}")
        if step.number < step.kernels and self._clock() - self._start >= LONG_S:
            for line in self._finished:
                self._console.say(line)
            self._finished.clear()

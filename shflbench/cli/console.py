"""The only file that talks to the terminal: data to stdout, everything else to stderr."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from shflbench.cli.layout import Table

STYLES = {"good": "green", "doubt": "yellow", "bad": "red", "": None}  # what a table's line means → color

# Colors, which stay, and what else a terminal obeys: control characters but for tab and line break, and directions.
_CONTROLS = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class ReaderGoneError(Exception):
    """The process that read stdout or stderr has closed it, as `head` does after its last line."""


def discard(stream: TextIO) -> None:
    """Discard what a stream cannot take, and all that follows: each later flush would fail for it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Console:
    """Print to the terminal; in color only where a terminal shows it, unless `color` decides otherwise."""

    def __init__(self, *, color: bool | None = None) -> None:
        """Print in color if `color` is True, never if False, and where a terminal is attached if None."""
        self.color = color
        self.debug = False
        self.quiet = False
        self.verbose = False
        self.output: Path | None = None  # a file for the data, instead of stdout
        self._kept: list[str] = []  # data for that file
        self._bar: Bar | None = None

    def data(self, text: str) -> None:
        """Print what the user asked for, to stdout; ReaderGoneError if nobody reads it any more."""
        if self.output:
            self._kept.append(_tame(click.unstyle(text)))
            return
        try:
            click.echo(_printable(text, sys.stdout), color=self.color)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def finish(self) -> None:
        """Write the data to the file that is named for it, if one is; ResultsError where that fails."""
        if self.output:
            from shflbench.cli.output_file import write

            write(self.output, "".join(f"{text}\n" for text in self._kept), "--output")
            self.say(f"written: {self.output}")

    def say(self, text: str = "") -> None:
        """Print what accompanies the data, to stderr, unless the user asked for quiet."""
        if not self.quiet:
            self.report(text)

    def report(self, text: str = "") -> None:
        """Print to stderr what the user must see; above the progress bar while there is one.

        A stderr that takes nothing, such as a full disk, does not end a run; ReaderGoneError if its reader went away.
        """
        if self._bar is None:
            try:
                click.echo(_printable(text, sys.stderr), err=True, color=self.color)
            except BrokenPipeError as error:
                raise ReaderGoneError from error
            except OSError:
                discard(sys.stderr)
            return
        from rich.text import Text

        self._bar.console.print(Text.from_ansi(_tame(text)), soft_wrap=True)

    def note(self, text: str) -> None:
        """Print how far the work has come where no progress bar shows it."""
        if self._bar is None:
            self.say(text)

    def warn(self, sentence: str) -> None:
        """Print a warning to stderr."""
        self.report(f"{click.style('warning:', fg='yellow', bold=True)} {sentence}")

    def error(self, sentence: str, advice: str = "") -> None:
        """Print an error to stderr, and on the next line what to do about it."""
        self.report(f"{click.style('error:', fg='red', bold=True)} {sentence.rstrip('.')}")
        if advice:
            self.report(advice[0].upper() + advice[1:].rstrip("."))

    def table(self, table: Table, *, data: bool = False) -> None:
        """Print a table, to stdout if it is what the user asked for."""
        (self.data if data else self.say)(self.colored(table.lines(self.width(data=data))))

    def width(self, *, data: bool = False) -> int | None:
        """Return the columns of the terminal on stdout, for `data`, or on stderr; None if that is no terminal."""
        if data and self.output:
            return None
        try:
            return os.get_terminal_size((sys.stdout if data else sys.stderr).fileno()).columns or None
        except (AttributeError, OSError, ValueError):  # closed, a pipe or a file, or captured
            return None

    @staticmethod
    def colored(lines: Sequence[tuple[str, str]]) -> str:
        """Return lines, each given with what it means, as one text in the colors of their meanings."""
        return "\n".join(click.style(text, fg=STYLES[style]) if STYLES[style] else text for text, style in lines)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show on stderr what is being done: a bar with the time left on a terminal, each step as a line if verbose."""
        is_terminal = sys.stderr is not None and sys.stderr.isatty()  # None where the shell closed it: 2>&-
        if self.verbose:
            yield StepLines(self)
            return
        if self.quiet or not is_terminal:
            yield Progress()
            return
        from rich import console, progress

        terminal = console.Console(stderr=True, no_color=self.color is False)
        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=30),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
        )
        with progress.Progress(*columns, console=terminal, transient=True) as bar:
            self._bar = bar
            try:
                yield ProgressBar(bar)
            finally:
                self._bar = None


class Progress:
    """What is being done now, and how much of all is done; this one shows nothing."""

    def show(self, text: str, done: float, total: float, detail: str = "") -> None:
        """Show what is being done now; `done` of `total` in any unit that grows evenly with time."""

    def line(self) -> Progress:
        """Return the progress of one of several things that are done at the same time."""
        return self


class StepLines(Progress):
    """Prints a line for each step."""

    def __init__(self, console: Console) -> None:
        """Print on `console`."""
        self._console = console
        self._last = ""

    def show(self, text: str, done: float, total: float, detail: str = "") -> None:  # noqa: ARG002  (a line has no bar)
        """Print the step with its detail, once."""
        line = f"{text}: {detail}" if detail else text
        if line != self._last:
            self._console.say(line)
        self._last = line


class ProgressBar(Progress):
    """Draws a bar with the time left."""

    def __init__(self, bar: Bar) -> None:
        """Draw on `bar`."""
        self._bar = bar
        self._task: TaskID | None = None

    def line(self) -> Progress:
        """Return a bar below the others."""
        return ProgressBar(self._bar)

    def show(self, text: str, done: float, total: float, detail: str = "") -> None:  # noqa: ARG002  (it has no room)
        """Draw how much is done, beside what is being done now."""
        if self._task is None:
            self._task = self._bar.add_task(text, total=None)
        self._bar.update(self._task, description=text, completed=done, total=total)


def _printable(text: str, stream: object) -> str:
    """Return `text` with what the stream's encoding cannot show replaced, because µ and ± must not end a run."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return _tame(text).encode(encoding, errors="replace").decode(encoding)


def _tame(text: str) -> str:
    """Return `text` with escapes for what controls a terminal: damaged files and names of folders may hold anything."""
    return _CONTROLS.sub(lambda match: match[0] if match[0].endswith("m") else ascii(match[0])[1:-1], text)

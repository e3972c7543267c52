"""The only file that talks to the terminal: data to stdout, everything else to stderr."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.progress import Progress as Bar

    from shflbench.cli.layout import Table

STYLES = {"good": "green", "doubt": "yellow", "bad": "red", "": None}  # what a table's line means → colour

# Colours, which stay, and what else a terminal obeys: control characters but for tab and line break, and directions.
_STEERS = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class ReaderGoneError(Exception):
    """Whoever read stdout or stderr went away, as `head` does when it has seen enough."""


class Console:
    """Print to the terminal; colours only where a terminal shows them, unless `color` decides otherwise."""

    def __init__(self, *, color: bool | None = None) -> None:
        """Colour if `color` is True, never if False, and where a terminal is attached if None."""
        self.color = color
        self.debug = False
        self._bar: Bar | None = None

    def data(self, text: str) -> None:
        """Print what the user asked for, to stdout; ReaderGoneError if nobody reads it any more."""
        try:
            click.echo(_printable(text, sys.stdout), color=self.color)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def say(self, text: str = "") -> None:
        """Print what accompanies the data, to stderr; above the progress bar while there is one.

        A stderr that takes nothing, such as a full disk, does not end a run; ReaderGoneError if its reader went away.
        """
        if self._bar is None:
            try:
                click.echo(_printable(text, sys.stderr), err=True, color=self.color)
            except BrokenPipeError as error:
                raise ReaderGoneError from error
            except OSError:
                pass
            return
        from rich.text import Text

        self._bar.console.print(Text.from_ansi(_tame(text)), soft_wrap=True)

    def note(self, text: str) -> None:
        """Print how far the work has come where no progress bar shows it."""
        if self._bar is None:
            self.say(text)

    def warn(self, sentence: str) -> None:
        """Print a warning to stderr."""
        self.say(f"{click.style('warning:', fg='yellow', bold=True)} {sentence}")

    def error(self, sentence: str, advice: str = "") -> None:
        """Print an error to stderr, and on the next line what to do about it."""
        self.say(f"{click.style('error:', fg='red', bold=True)} {sentence.rstrip('.')}")
        if advice:
            self.say(advice[0].upper() + advice[1:].rstrip("."))

    def table(self, table: Table, *, data: bool = False) -> None:
        """Print a table, to stdout if it is what the user asked for."""
        self.styled(table.lines(), data=data)

    def styled(self, lines: Sequence[tuple[str, str]], *, data: bool = False) -> None:
        """Print lines, each with what it means, to stdout if they are what the user asked for."""
        texts = [click.style(text, fg=STYLES[style]) if STYLES[style] else text for text, style in lines]
        (self.data if data else self.say)("\n".join(texts))

    @contextmanager
    def progress(self) -> Iterator[ProgressBar]:
        """Show a progress bar with the time left on stderr, if that is a terminal."""
        if sys.stderr is None or not sys.stderr.isatty():  # None where the shell closed it: 2>&-
            yield ProgressBar(None)
            return
        from rich import console, progress

        terminal = console.Console(stderr=True, no_color=self.color is False)
        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=30),
            progress.TimeRemainingColumn(),
        )
        with progress.Progress(*columns, console=terminal, transient=True) as bar:
            self._bar = bar
            try:
                yield ProgressBar(bar)
            finally:
                self._bar = None


class ProgressBar:
    """What is being done now, and how much of all is done; silent without a bar."""

    def __init__(self, bar: Bar | None) -> None:
        """Draw on `bar`, or nowhere."""
        self._bar = bar
        self._task = bar.add_task("", total=None) if bar else None

    def show(self, text: str, done: float, total: float) -> None:
        """Name what is being done now; `done` of `total` in any unit that grows evenly with time."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=done, total=total)


def _printable(text: str, stream: object) -> str:
    """Return `text` with what the stream's encoding cannot show replaced, because µ and ± must not end a run."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return _tame(text).encode(encoding, errors="replace").decode(encoding)


def _tame(text: str) -> str:
    """Return `text` with escapes for what would steer a terminal: damaged files and folders may hold anything."""
    return _STEERS.sub(lambda match: match[0] if match[0].endswith("m") else ascii(match[0])[1:-1], text)

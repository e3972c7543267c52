"""The only file that talks to the terminal: data to stdout, everything else to stderr.

Texts have no styles: each character that a terminal obeys or hides is escaped, whatever the text comes from. Then the
styles are added, which callers give beside the text.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from shflbench.errors import ResultsError
from shflbench.printable import escape, escape_json, escape_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TextIO

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from shflbench.cli.layout import Styled, Table

STYLES: dict[str, Callable[[str], str]] = {  # what a text means → how it looks
    "": str,
    "good": partial(click.style, fg="green"),
    "doubt": partial(click.style, fg="yellow"),
    "bad": partial(click.style, fg="red"),
    "warning": partial(click.style, fg="yellow", bold=True),
    "error": partial(click.style, fg="red", bold=True),
}


WHERE_OUTPUT_GOES = "send standard output to a file that can be written, or to /dev/null"


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
        self.hidden_folder: Path | None = None  # a temporary one, whose files people know by their names
        self._kept: list[bytes] = []  # data for that file
        self._bar: Bar | None = None

    def data(self, text: str) -> None:
        """Print what the user asked for, to stdout; ReaderGoneError if nobody reads it any more."""
        self._print(escape_lines(text))

    def json(self, text: str, *, data: bool = True) -> None:
        """Print JSON, to stdout if it is what the user asked for: a program reads the same values from it."""
        (self._print if data else self._print_aside)(escape_json(text))

    def path(self, path: Path) -> None:
        """Print a path that the user asked for, to stdout: as it is, unless a terminal shows it."""
        is_exact = hasattr(sys.stdout, "buffer") and not _is_terminal(sys.stdout)  # bytes need more than a text stream
        self._print(os.fsencode(path) if is_exact else escape(str(path)))

    def exact(self, data: bytes) -> bool:
        """Print bytes that a program reads, to stdout: as they are, unless a terminal shows them.

        Return whether they are what was printed.
        """
        text = data.decode(errors="surrogateescape").removesuffix("\n")
        if self.output or (hasattr(sys.stdout, "buffer") and not _is_terminal(sys.stdout)):
            self._print(data.removesuffix(b"\n"))
            return True
        self._print(escape_lines(text))
        return escape_lines(text) == text

    def lines(self, lines: Iterable[Styled], *, data: bool = True) -> None:
        """Print lines, each given with what it means, in the colors of their meanings; `data` as `data` does."""
        text = "\n".join(STYLES[style](escape(text)) for text, style in lines)
        (self._print if data else self._print_aside)(text)

    def _print(self, text: str | bytes) -> None:
        """Print to stdout, or keep for the file of `--output`, what may reach a terminal as it is."""
        text = self._named(text) if isinstance(text, str) else text
        if self.output:
            self._kept.append(click.unstyle(text).encode() if isinstance(text, str) else text)
            return
        if sys.stdout is None:
            raise ResultsError("the output cannot be written: standard output is closed", WHERE_OUTPUT_GOES)
        try:
            click.echo(_encodable(text, sys.stdout) if isinstance(text, str) else text, color=self.color)
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ResultsError(f"the output cannot be written: {why}", WHERE_OUTPUT_GOES) from error

    def finish(self) -> None:
        """Write the data to the file that is named for it, if one is; ResultsError where that fails."""
        if self.output:
            from shflbench.store.output_file import write

            write(self.output, b"".join(data + b"\n" for data in self._kept), "--output")
            self.say(f"written: {self.output}")

    def say(self, text: str = "") -> None:
        """Print what accompanies the data, to stderr, unless the user asked for quiet."""
        if not self.quiet:
            self.report(text)

    def report(self, text: str = "") -> None:
        """Print to stderr what the user must see; above the progress bar while there is one.

        A stderr that takes nothing, such as a full disk, does not end a run; ReaderGoneError if its reader went away.
        """
        self._print_aside(escape_lines(text))

    def _print_aside(self, text: str) -> None:
        """Print to stderr, as `report`, what may reach a terminal as it is."""
        text = self._named(text)
        if self._bar is None:
            try:
                click.echo(_encodable(text, sys.stderr), err=True, color=self.color)
            except BrokenPipeError as error:
                raise ReaderGoneError from error
            except OSError:
                discard(sys.stderr)
            return
        from rich.text import Text

        self._bar.console.print(Text.from_ansi(text), soft_wrap=True)

    def _named(self, text: str) -> str:
        """Return a text that names the files of the hidden folder without it."""
        return text.replace(f"{self.hidden_folder}/", "") if self.hidden_folder else text

    def note(self, text: str) -> None:
        """Print how far the work has come where no progress bar shows it."""
        if self._bar is None:
            self.say(text)

    def warn(self, sentence: str) -> None:
        """Print a warning to stderr."""
        self._print_aside(f"{STYLES['warning']('warning:')} {escape_lines(sentence)}")

    def error(self, sentence: str, advice: str = "") -> None:
        """Print an error to stderr, and on the next line what to do about it."""
        self._print_aside(f"{STYLES['error']('error:')} {escape_lines(sentence.rstrip('.'))}")
        if advice:
            self.report(advice[0].upper() + advice[1:].rstrip("."))

    def table(self, table: Table, *, data: bool = False) -> None:
        """Print a table, to stdout if it is what the user asked for."""
        if data or not self.quiet:
            self.lines(table.lines(self.width(data=data)), data=data)

    def width(self, *, data: bool = False) -> int | None:
        """Return the columns of the terminal on stdout, for `data`, or on stderr; None if that is no terminal."""
        if data and self.output:
            return None
        try:
            return os.get_terminal_size((sys.stdout if data else sys.stderr).fileno()).columns or None
        except (AttributeError, OSError, ValueError):  # closed, a pipe or a file, or captured
            return None

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show on stderr what is being done: a bar with the time left on a terminal, each step as a line if verbose."""
        if self.verbose:
            yield StepLines(self)
            return
        if self.quiet or not _is_terminal(sys.stderr):
            yield Progress()
            return
        from rich import console, progress

        terminal = console.Console(stderr=True, no_color=self.color is False)
        columns = (
            progress.TextColumn("{task.description}", markup=False),
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
        text = escape(text)
        if self._task is None:
            self._task = self._bar.add_task(text, total=None)
        self._bar.update(self._task, description=text, completed=done, total=total)


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether a terminal shows what is written; the stream is None where the shell closed it, as by `2>&-`."""
    return stream is not None and stream.isatty()


def _encodable(text: str, stream: object) -> str:
    """Return `text` with what the stream's encoding cannot show replaced, because µ and ± must not end a run."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, errors="replace").decode(encoding)

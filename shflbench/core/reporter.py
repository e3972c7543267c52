"""The interface for progress and warnings of a long task; the console of the command line is a `Reporter`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


class ProgressLine(Protocol):
    """Shows how far a task has come."""

    def show(self, text: str, done: float, total: float, detail: str = "", /) -> None:
        """Show what is being done now; `done` of `total` in any unit that grows evenly with time."""


class Reporter(Protocol):
    """Receives progress and warnings."""

    def progress(self) -> AbstractContextManager[ProgressLine]:
        """Return what shows the progress of one task."""

    def say(self, text: str, /) -> None:
        """Report what accompanies the result."""

    def warn(self, sentence: str, /) -> None:
        """Report a warning."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A text for `say`, which ends as a sentence does, or for `warn`, which has no period at its end."""

    text: str
    is_warning: bool = False

    @property
    def sentence(self) -> str:
        """The text with a period at its end."""
        return f"{self.text}." if self.is_warning else self.text

    def show(self, reporter: Reporter) -> None:
        """Report it."""
        if self.is_warning:
            reporter.warn(self.text)
        else:
            reporter.say(self.text)


class QuietReporter:
    """Shows no progress, and keeps the warnings."""

    def __init__(self) -> None:
        """Keep no warning yet."""
        self.warnings: list[str] = []

    @contextmanager
    def progress(self) -> Iterator[ProgressLine]:
        """Return what shows nothing."""
        yield self

    def show(self, text: str, done: float, total: float, detail: str = "", /) -> None:
        """Show nothing."""

    def say(self, text: str, /) -> None:
        """Report nothing."""

    def warn(self, sentence: str, /) -> None:
        """Keep a warning."""
        self.warnings.append(sentence)

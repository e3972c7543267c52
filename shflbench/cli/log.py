"""Show what the library logs, such as an import that takes long, where a user of the command reads it."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from shflbench.cli.console import ReaderGoneError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cli.console import Console


class _ConsoleHandler(logging.Handler):
    """Prints warnings of the library."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(ReaderGoneError):  # the thread that logs cannot end the command
            self._console.warn(record.getMessage())


@contextmanager
def show_log(console: Console) -> Iterator[None]:
    """Print on `console` what the library logs meanwhile."""
    logger, handler = logging.getLogger("shflbench"), _ConsoleHandler(console)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)

"""Run the command on a terminal of a given width."""

import fcntl
import os
import struct
import termios
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from shflbench.cli.main import main


def on_terminal(*words: str | Path, columns: int) -> list[str]:
    """Return the lines that the command prints to a terminal of so many columns."""

    def call(terminal: int) -> int:
        with (
            pytest.MonkeyPatch.context() as patch,
            open(terminal, "w", encoding="utf-8", closefd=False) as stdout,
            Path(os.devnull).open("w", encoding="utf-8") as stderr,
            redirect_stdout(stdout),
            redirect_stderr(stderr),
        ):
            patch.setenv("NO_COLOR", "1")
            return main([str(word) for word in words])

    return _lines(call, columns)


def _lines(call: Callable[[int], int], columns: int) -> list[str]:
    """Return what `call` writes to the descriptor of a terminal, and check the exit code that it returns."""
    controller, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with ThreadPoolExecutor() as reader:  # a terminal holds few lines that nobody has read
        printed = reader.submit(read_terminal, controller)
        try:
            code = call(terminal)
        finally:
            os.close(terminal)
    os.close(controller)
    assert code in {0, 1}
    return printed.result().decode().replace("\r\n", "\n").splitlines()


def read_terminal(controller: int) -> bytes:
    """Return all that is written to a terminal until it is closed."""
    printed = b""
    try:
        while block := os.read(controller, 65_536):
            printed += block
    except OSError:  # EIO: nobody has the terminal open any more
        pass
    return printed

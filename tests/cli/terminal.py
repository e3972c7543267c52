"""Run the command as a process on a terminal of a given width."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path


def on_terminal(*words: str | Path, columns: int) -> list[str]:
    """Return the lines that the command prints to a terminal of so many columns."""
    controller, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "NO_COLOR": "1"}
    arguments = [sys.executable, "-m", "shflbench", *map(str, words)]
    with subprocess.Popen(arguments, stdout=terminal, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(terminal)
        printed = b""
        while block := _read(controller):
            printed += block
    os.close(controller)
    assert process.returncode in {0, 1}
    return printed.decode().replace("\r\n", "\n").splitlines()


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65_536)
    except OSError:  # EIO: the process closed the terminal
        return b""

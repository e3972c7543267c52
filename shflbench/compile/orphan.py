"""Let no process outlive the one that started it, however that ends: also by kill -9."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1  # prctl(2): the signal that a process gets when the thread that started it ends


def die_with(parent: int) -> None:
    """Have this process killed when the process `parent`, whose main thread started it, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)  # nobody is left to hear of it

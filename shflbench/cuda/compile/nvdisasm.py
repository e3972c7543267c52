"""Call nvdisasm, which ends with the thread that called it, even after kill -9."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from shflbench.core.processes import CANNOT_START, bound_to_parent
from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 60


def call(nvdisasm: Path, *arguments: str) -> str | None:
    """Return what nvdisasm prints; None if it rejects its input. CompilerError if it does not run."""
    command = bound_to_parent([str(nvdisasm), *arguments])
    try:
        run = subprocess.run(  # noqa: S603  (no shell)
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _not_running(nvdisasm, str(error)) from error
    if run.returncode == CANNOT_START:
        raise _not_running(nvdisasm, run.stderr)
    return run.stdout if run.returncode == 0 else None


def _not_running(nvdisasm: Path, reason: str) -> CompilerError:
    return CompilerError(f"{nvdisasm} does not run: {reason}", "Reinstall nvidia-cuda-nvdisasm.")

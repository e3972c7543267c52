"""What a run says that somebody stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import INTERRUPTED, TERMINATED, TerminatedError

if TYPE_CHECKING:
    from shflbench.cli.console import Console


def stopped_code(error: KeyboardInterrupt, kept: str, advice: str, console: Console) -> int:
    """Say that the run was stopped, what it `kept` and how to go on, and return the exit code."""
    is_terminated = isinstance(error, TerminatedError)
    console.error(f"{'terminated' if is_terminated else 'interrupted'}; {kept}", advice)
    return TERMINATED if is_terminated else INTERRUPTED

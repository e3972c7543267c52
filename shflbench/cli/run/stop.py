"""Say how a run that somebody stopped can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.signals import code_of, word_of

if TYPE_CHECKING:
    from shflbench.cli.console import Console


def stopped_code(error: KeyboardInterrupt, kept: str, advice: str, console: Console) -> int:
    """Say that the run was stopped, what it `kept` and how to go on, and return the exit code."""
    console.error(f"{word_of(error)}; {kept}", advice)
    return code_of(error)

"""The options that limit what the check of a file may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import option
from shflbench.cli.parameters import millions, seconds
from shflbench.core.bounds import TIME_LIMIT_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.cli.help import Function


def limit_options(budget: float) -> tuple[Callable[[Function], Function], ...]:
    """Return the decorators that give a command `--budget`, by default so many million instructions, and more."""
    return (
        option(
            "--budget",
            metavar="MILLIONS",
            type=click.FloatRange(min=0),
            callback=millions,
            help="End the check of a file after so many million instructions of the emulator, of which each kernel has "
            "a part. The result is the same on every machine.",
            show_default=f"{budget:g}",
        ),
        option(
            "--time-limit",
            "time_limit_s",
            metavar="SECONDS",
            type=click.FloatRange(min=0),
            callback=seconds,
            help="End the check of a file after this time, with compiling, whatever is left of its budget.",
            show_default=f"{TIME_LIMIT_S:g}",
        ),
    )

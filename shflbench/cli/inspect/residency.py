"""The option `--resident`: the blocks that an SM executes at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shflbench.kernel_facts.residency import ResidentBlocks

DEFAULT_RESIDENCY = "1x1024"
MOST_BLOCKS, MOST_THREADS = 32, 1024


def resident_blocks(_: click.Context, parameter: click.Parameter, text: str) -> ResidentBlocks:
    """Return the blocks that BLOCKSxTHREADS stands for; BadParameter where it is not that."""
    from shflbench.kernel_facts.residency import ResidentBlocks

    match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]{0,3})", text)
    blocks, threads = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= blocks <= MOST_BLOCKS or not 1 <= threads <= MOST_THREADS:
        message = (
            f"`{text}` is not BLOCKSxTHREADS, such as {DEFAULT_RESIDENCY}; at most {MOST_BLOCKS} blocks and "
            f"{MOST_THREADS} threads"
        )
        raise click.BadParameter(message, param=parameter)
    return ResidentBlocks(blocks, threads)

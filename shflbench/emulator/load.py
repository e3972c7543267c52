"""Load a kernel for the emulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse

if TYPE_CHECKING:
    from shflbench.emulator.link.program import Program


def load_program(ptx: str, symbol: str) -> Program:
    """Return the program of a kernel in PTX; EmulatorError names what the emulator cannot run."""
    return link(parse(ptx), symbol)

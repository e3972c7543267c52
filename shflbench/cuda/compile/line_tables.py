"""Read from a cubin the source line of each instruction.

nvdisasm decodes the line table that `-lineinfo` writes. Its JSON lacks it; its text shows, before the first
instruction of a line, the line and the calls that it was inlined at, from the innermost to the kernel.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda.compile import nvdisasm as disassembler

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECTION = re.compile(r'^\s*\.section\s+\.text\.([^,\s"]+)')
_LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/")


@dataclass(frozen=True, slots=True)
class LineStep:
    """One step of the way to an instruction: a line of a file as the compiler names it."""

    file: str
    line: int


LineTable: TypeAlias = dict[int, tuple[LineStep, ...]]  # address → steps, from the innermost to the kernel's own


def source_lines(cubin: bytes, nvdisasm: Path | None) -> dict[str, LineTable]:
    """Return the line table of each kernel in `cubin` by its symbol; none if no disassembler can read it.

    An instruction that the compiler assigns to no line is not in the table. CompilerError if nvdisasm does not run.
    """
    if nvdisasm is None:
        return {}
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        path = Path(folder) / "kernels.cubin"
        path.write_bytes(cubin)
        text = disassembler.call(nvdisasm, "--print-code", "--print-line-info-inline", str(path))
    return parse(text.splitlines()) if text is not None else {}


def parse(lines: Iterable[str]) -> dict[str, LineTable]:
    """Return the line tables from the text that nvdisasm prints."""
    tables: dict[str, LineTable] = {}
    table: LineTable = {}
    steps: list[LineStep] = []
    complete = True  # whether an instruction followed the steps, so that the next step starts anew
    for line in lines:
        if section := _SECTION.match(line):
            table, steps, complete = tables.setdefault(section[1], {}), [], True
        elif step := _LINE.match(line):
            steps = [*([] if complete else steps), LineStep(step[1], int(step[2]))]
            complete = False
        elif (instruction := _INSTRUCTION.match(line)) and steps:
            table[int(instruction[1], 16)] = tuple(steps)
            complete = True
    return tables

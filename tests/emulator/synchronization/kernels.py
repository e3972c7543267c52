"""Kernels of one file each, whose first lines say what is wrong with them and how they are launched."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from shflbench.emulator.explore import Exploration
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from tests.compiled_units import ptx_of_each

FOLDER = Path(__file__).parents[2] / "checker" / "kernels" / "synchronization"
CLUSTERS = FOLDER.parent / "clusters"
BULK = FOLDER.parent / "bulk"
ELEMENTS = 1024  # of the input and of the output
INCLUDE = re.compile(r"^#include.*$", re.MULTILINE)
HEAD = re.compile(
    r"// (?P<truth>sound|broken|doubtful)(: (?P<kind>\w+))?\n"
    r"// launch: (?P<grid>\d+)x(?P<block>\d+)(?: in clusters of (?P<cluster>\d+))?\n"
)


def kinds(report: Exploration) -> set[str]:
    """Return the names of the hazards and faults, and the messages of other errors."""
    faults = {item.kind.name if isinstance(item, KernelFault) else item.message for item in report.errors}
    return {item.kind.name for item in report.hazards} | faults


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel `k(const int *in, int *out)`, with the truth about it."""

    name: str
    text: str
    folder: Path = FOLDER

    @property
    def truth(self) -> tuple[str, str]:
        """Return `sound`, `broken` or `doubtful`, and the kind of the fault."""
        head = self._head
        return head["truth"], head["kind"] or ""

    @property
    def shape(self) -> Shape:
        """Return the blocks and threads of its launch."""
        grid, block, cluster = (int(self._head[name] or 1) for name in ("grid", "block", "cluster"))
        return Shape.of((grid, 1, 1), (block, 1, 1), cluster=(cluster, 1, 1))

    @property
    def _head(self) -> re.Match[str]:
        head = HEAD.match(self.text)
        assert head is not None, self.name
        return head

    def launch(self) -> EmulatedLaunch:
        """Return its launch on seeded values from 0 to 999, with an output of zeros."""
        symbol, ptx = compiled(self.folder)[self.name]
        program = link(parse(ptx), symbol)
        return EmulatedLaunch(program, self.shape, 0, [values()], [np.zeros(ELEMENTS, np.int32)], 0, order=(0, 1))


@cache
def compiled(folder: Path = FOLDER) -> dict[str, tuple[str, str]]:
    """Return the symbol and the PTX of each kernel; one translation unit, because the headers compile for long."""
    parts = {subject.name: subject.text for subject in subjects(folder)}
    includes = sorted({line for text in parts.values() for line in INCLUDE.findall(text)})
    bodies = [f"namespace {name} {{\n{INCLUDE.sub('', text)}\n}}\n" for name, text in parts.items()]
    unit = "\n".join((*includes, *bodies))
    each = ptx_of_each(f"{folder.name}.cu", unit, [f"{name}::k" for name in parts])
    return {name: each[f"{name}::k"] for name in parts}


def subjects(folder: Path = FOLDER) -> list[Subject]:
    """Return the kernels in a folder."""
    return [Subject(path.stem, path.read_text(), folder) for path in sorted(folder.glob("*.cu"))]


@cache
def values() -> Values:
    """Return the input."""
    drawn: Values = np.random.default_rng(7).integers(0, 1000, ELEMENTS, dtype=np.int32)
    return drawn

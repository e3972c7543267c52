"""Kernels of one file each that access memory; their first lines say what is wrong with them."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.checker.planted_kernels import KERNELS, PlantedKernel
from tests.compiled_units import ptx_of_each

ELEMENTS = 1024  # of each buffer
NAMES = ("in", "out", "one", "two")
INCLUDE = "#include <cuda/atomic>\n"


@dataclass(frozen=True, slots=True)
class Subject:
    """One file."""

    planted: PlantedKernel

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.planted.file.stem

    @property
    def truth(self) -> tuple[str, str]:
        """`sound`, `broken` or `doubtful`, and the kind of hazard."""
        match = re.match(r"// (sound|broken|doubtful)(?:: (\w+))?\n", self.planted.text)
        assert match, self.name
        return match[1], match[2] or ""

    def launch(self) -> EmulatedLaunch:
        """Return the launch: an input of numbers from 0 to 999, and zeros in all other buffers."""
        symbol, ptx = compiled()[self.name]
        program, (grid, block) = link(parse(ptx), symbol), (self.planted.grid[0], self.planted.block[0])
        values = np.random.default_rng(7).integers(0, 1000, ELEMENTS, dtype=np.int32)
        count = len(program.parameters)
        outputs = [np.zeros(ELEMENTS, np.int32) for _ in range(count - 1)]
        names = NAMES[:count]
        return EmulatedLaunch(program, Shape(grid, block), 0, [values], outputs, 0, order=range(count), names=names)


def subjects() -> list[Subject]:
    """Return the kernels of the folder."""
    files = sorted((KERNELS / "memory").glob("*.cu"))
    return [Subject(PlantedKernel(file, file.read_text())) for file in files]


def subject(name: str) -> Subject:
    """Return one kernel."""
    return next(item for item in subjects() if item.name == name)


@cache
def compiled() -> dict[str, tuple[str, str]]:
    """Return the symbol and the PTX of each kernel; they are compiled as one unit, in a namespace of each."""
    parts = {item.name: item.planted.text.replace(INCLUDE, "") for item in subjects()}
    unit = INCLUDE + "\n".join(f"namespace {name} {{\n{text}\n}}\n" for name, text in parts.items())
    each = ptx_of_each("memory.cu", unit, [f"{name}::k" for name in parts])
    return {name: each[f"{name}::k"] for name in parts}

"""Kernels of one file each that use what few kernels use; their first lines say what is wrong with them."""

from functools import cache

import numpy as np

from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Dimensions, Shape
from shflbench.emulator.ptx.parse import parse
from tests.checker.planted_kernels import KERNELS, PlantedKernel
from tests.compiled_units import ptx_of_each

ELEMENTS = 1024  # of the input and of the output


def subjects() -> list[PlantedKernel]:
    """Return the kernels of the folder, without those that include headers, which compile for long."""
    files = sorted((KERNELS / "instructions").glob("*.cu"))
    every = (PlantedKernel(file, file.read_text()) for file in files)
    return [kernel for kernel in every if "#include" not in kernel.text]


@cache
def compiled() -> dict[str, tuple[str, str]]:
    """Return the symbol and the PTX of each kernel."""
    parts = {subject.file.stem: subject.text for subject in subjects()}
    unit = "\n".join(f"namespace {name} {{\n{text}\n}}\n" for name, text in parts.items())
    each = ptx_of_each("instructions.cu", unit, [f"{name}::k" for name in parts])
    return {name: each[f"{name}::k"] for name in parts}


def launch(subject: PlantedKernel) -> EmulatedLaunch:
    """Return the launch of a kernel `k(const int *in, int *out)` on seeded values from 0 to 999."""
    symbol, ptx = compiled()[subject.file.stem]
    values = np.random.default_rng(7).integers(0, 1000, ELEMENTS, dtype=np.int32)
    shape = Shape.of(_three(subject.grid), _three(subject.block))
    program = link(parse(ptx), symbol)
    return EmulatedLaunch(program, shape, 0, [values], [np.zeros(ELEMENTS, np.int32)], 0, order=(0, 1))


def _three(dims: tuple[int, ...]) -> Dimensions:
    x, y, z = (*dims, 1, 1)[:3]
    return x, y, z

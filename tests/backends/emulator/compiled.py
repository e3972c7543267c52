"""Real PTX for the tests, committed so that they need no compiler.

`python -m tests.backends.emulator.compiled` compiles it anew.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.cohort import Shape
from shflbench.backends.emulator.launch import Launch
from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from shflbench.compile.source import Source, translation_unit
from shflbench.measure.workload import Workload
from shflbench.model import DTYPES
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.program import Program
    from shflbench.patterns.declare import Variant
    from shflbench.patterns.discover import LoadedPattern

HERE = Path(__file__).parent
ARCHIVE = HERE / "ptx.zip"
PATTERN_ARCHS = ("sm_75", "sm_90")
SMALL_ARCHS = ("sm_75", "sm_90", "sm_120")
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal contents make equal archives
DEBUG_STRINGS = re.compile(r"\t\.section\t\.debug_str\n\t\{.*?\n\t\}\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Compiled:
    """One kernel of a pattern, compiled for one architecture."""

    arch: str
    pattern: LoadedPattern
    variant: Variant
    dtype: str

    @property
    def name(self) -> str:
        return f"{self.arch}/{self.pattern.name}-{self.variant.name}-{self.dtype}"

    @property
    def source(self) -> Source:
        return translation_unit(self.pattern, self.variant, DTYPES[self.dtype])

    def launch(self, iterations: int, grid: int = 2, block: int = 128) -> tuple[Launch, Workload]:
        """Return a launch on input set 0, and the workload that knows what must come out."""
        dtype = DTYPES[self.dtype]
        workload = Workload(self.pattern, dtype, grid * block, (), seed=1)
        launch = Launch(
            program(self.name),
            Shape(grid, block),
            self.variant.shared(block, dtype),
            workload.inputs(0),
            [(count, dtype.numpy) for count in workload.output_elements],
            iterations,
        )
        return launch, workload


def compiled_patterns(arch: str = "sm_90") -> list[Compiled]:
    """Return every kernel × dtype that `arch` has."""
    return [
        Compiled(arch, pattern, variant, dtype)
        for pattern in map(load, builtin().values())
        for variant in pattern.declaration.variants
        if not variant.needs or int(variant.needs[3:]) <= int(arch[3:])
        for dtype in variant.dtypes or pattern.declaration.dtypes
    ]


def small_sources() -> dict[str, Source]:
    """Return the tests' own kernels: broken ones, and those that use many instructions."""
    return {
        path.stem: Source(f"emulator/{path.name}", path.read_text(), {}, "") for path in sorted(HERE.glob("cuda/*.cu"))
    }


def kernels_of(file: str) -> list[str]:
    """Return the names of the kernels in one of the tests' own files."""
    return re.findall(r'extern "C" __global__ void (\w+)', small_sources()[file].text)


@cache
def ptx(name: str) -> str:
    """Return the PTX of `sm_90/neighbor-shfl-f32`, or of `sm_90/broken`."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(f"{name}.ptx").decode()


@cache
def program(name: str, kernel: str = "") -> Program:
    """Return a linked kernel; the only one of its PTX if none is named."""
    module = parse(ptx(name))
    return link(module, kernel or next(name for name, function in module.functions.items() if function.entry))


def small(kernel: str, file: str = "broken", arch: str = "sm_90", *, iterations: int = 3, block: int = 128) -> Launch:
    """Return a launch of one of the tests' own kernels: two blocks, as many slots of shared memory as threads."""
    values: Values = np.random.default_rng(7).integers(-(2**31), 2**31, 2 * block, dtype=np.int32)
    shape = Shape(2, block)
    return Launch(program(f"{arch}/{file}", kernel), shape, 4 * block, [values], [(2 * block, "i4")], iterations)


def digest(source: Source) -> str:
    """Return what tells whether the PTX is older than its source."""
    parts = (source.name, source.text, source.expression, *sorted(source.headers.items()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    """Return the digest of every source, by the name of its PTX."""
    small_ones = small_sources()
    return {
        **{item.name: digest(item.source) for arch in PATTERN_ARCHS for item in compiled_patterns(arch)},
        **{f"{arch}/{name}": digest(source) for arch in SMALL_ARCHS for name, source in small_ones.items()},
    }


def _compile_all() -> Iterator[tuple[str, str]]:
    from shflbench.compile import toolchain
    from shflbench.compile.nvrtc import compile_kernel

    tools = toolchain.find()
    for arch in PATTERN_ARCHS:
        for item in compiled_patterns(arch):
            yield item.name, compile_kernel(item.source, arch, tools).ptx
    for arch in SMALL_ARCHS:
        for name, source in small_sources().items():
            first = Source(source.name, source.text, {}, kernels_of(name)[0])
            yield f"{arch}/{name}", compile_kernel(first, arch, tools).ptx


def main() -> None:
    """Compile everything and write the archive, without the names of this machine's folders."""
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in _compile_all():
            shown = re.sub(r'"/[^"\n]*/include/', '"', DEBUG_STRINGS.sub("", text)).replace(f'"{Path.cwd()}/', '"')
            archive.writestr(zipfile.ZipInfo(f"{name}.ptx", FIRST_DATE), shown, zipfile.ZIP_DEFLATED)
        lines = "".join(f"{name} {value}\n" for name, value in digests().items())
        archive.writestr(zipfile.ZipInfo("digests.txt", FIRST_DATE), lines, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()

"""The tests' own kernels, and those that include CUB or cooperative groups, from their committed PTX.

`python -m tests.emulator.compiled` compiles those again whose sources have changed, and with `--all` all of them.
"""

import re
import sys
import zipfile
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from shflbench.core.model import Mechanism
from shflbench.cuda.compile.source import Source
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Module
from tests import kernels
from tests.emulator import archive as committed
from tests.emulator.archive import ARCHIVE, digest, ptx

HERE = Path(__file__).parent
ARCH = "sm_90"
SMALL_ARCHS = ("sm_75", ARCH, "sm_120")
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal contents make equal archives
DEBUG_STRINGS = re.compile(r"\t\.section\t\.debug_str\n\t\{.*?\n\t\}\n?", re.DOTALL)


def small_sources() -> dict[str, Source]:
    """Return the tests' own kernels: broken ones, and those that use many instructions."""
    return {
        path.stem: Source(f"emulator/{path.name}", path.read_text(), {}, "") for path in sorted(HERE.glob("cuda/*.cu"))
    }


def kernels_of(file: str) -> list[str]:
    """Return the names of the kernels in one of the tests' own files."""
    return re.findall(r'extern "C" __global__ void (\w+)', small_sources()[file].text)


def line_with(part: str, kernel: str, source: str) -> int:
    """Return the line of the first `part` in a kernel of a source."""
    lines = source.splitlines()
    start = next(number for number, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(number for number in range(start, len(lines)) if part in lines[number]) + 1


@cache
def program(name: str, kernel: str) -> Program:
    """Return a linked kernel of one of the tests' own files."""
    return link(_module(name), kernel)


@cache
def _module(name: str) -> Module:
    return parse(ptx(name))


def small(
    kernel: str, file: str = "broken", arch: str = ARCH, *, iterations: int = 3, block: int = 128
) -> EmulatedLaunch:
    """Return a launch of one of the tests' own kernels: two blocks, as many slots of shared memory as threads."""
    values: Values = np.random.default_rng(7).integers(-(2**31), 2**31, 2 * block, dtype=np.int32)
    shape = Shape(2, block)
    return EmulatedLaunch(
        program(f"{arch}/{file}", kernel), shape, 4 * block, [values], [(2 * block, "i4")], iterations
    )


def slow_kernels() -> list[str]:
    """Return the kernels of the tests that compile for seconds."""
    slow = {kernels.source_of(name).unit for name in kernels.run_by_tests() if is_library(name)}
    return [name for name in kernels.run_by_tests() if kernels.source_of(name).unit in slow]


def is_library(name: str) -> bool:
    """Whether a kernel calls CUB or cooperative groups."""
    return kernels.variant_of(name).mechanism is Mechanism.LIBRARY


def digests() -> dict[str, str]:
    """Return the digest of every source, by the name of its PTX."""
    return {
        **{f"{ARCH}/{name}": digest(kernels.source_of(name)) for name in slow_kernels()},
        **{f"{arch}/{name}": digest(source) for arch in SMALL_ARCHS for name, source in small_sources().items()},
    }


def stale() -> set[str]:
    """Return the names of PTX that is missing, or older than its source."""
    known = committed.digests()
    return {name for name, value in digests().items() if known.get(name) != value}


def _compile(wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield names and PTX, without the names of this machine's folders."""
    from shflbench.cuda.compile.nvrtc import compile_kernel

    for name in slow_kernels():
        if f"{ARCH}/{name}" in wanted:
            yield f"{ARCH}/{name}", _plain(kernels.compiled(name).ptx)
    for arch in SMALL_ARCHS:
        for name, source in small_sources().items():
            if f"{arch}/{name}" in wanted:
                first = Source(source.name, source.text, {}, kernels_of(name)[0])
                yield f"{arch}/{name}", _plain(compile_kernel(first, arch, kernels.tools()).ptx)


def _plain(text: str) -> str:
    return re.sub(r'"/[^"\n]*/include/', '"', DEBUG_STRINGS.sub("", text)).replace(f'"{Path.cwd()}/', '"')


def main(words: Collection[str]) -> None:
    """Compile what is older than its source, or all, and write the archive."""
    wanted = digests().keys() if "--all" in words else stale()
    texts = {name: ptx(name) for name in digests().keys() - wanted} | dict(_compile(wanted))
    with zipfile.ZipFile(ARCHIVE, "w") as archive:
        for name, text in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}.ptx", FIRST_DATE), text, zipfile.ZIP_LZMA)
        lines = "".join(f"{name} {value}\n" for name, value in sorted(digests().items()))
        archive.writestr(zipfile.ZipInfo("digests.txt", FIRST_DATE), lines, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(sys.argv[1:])

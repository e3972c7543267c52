"""Compile the tests' own CUDA files with this environment's NVRTC."""

import re
from functools import cache
from pathlib import Path

from shflbench.backends.emulator.frontend.parse import parse
from shflbench.backends.emulator.frontend.ptx import Module
from shflbench.backends.emulator.link.linker import link
from shflbench.backends.emulator.link.program import Program
from shflbench.compile import toolchain
from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source

SEEDS = Path(__file__).parent / "seeds"
tools = cache(toolchain.find)


def kernels(file: str) -> list[str]:
    """Return the names of the kernels in one of the seeds' files."""
    return re.findall(r"__global__ void (\w+)\(", (SEEDS / f"{file}.cu").read_text())


@cache
def module(file: str, arch: str = "sm_90") -> Module:
    """Return one of the seeds' files, compiled; CompileError if NVRTC refuses it."""
    source = Source(f"seeds/{file}.cu", (SEEDS / f"{file}.cu").read_text(), {}, kernels(file)[0])
    return parse(compile_kernel(source, arch, tools()).ptx)


def program(file: str, kernel: str, arch: str = "sm_90") -> Program:
    """Return a linked kernel of one of the seeds' files."""
    return link(module(file, arch), kernel)


def line_of(file: str, kernel: str, remark: str) -> int:
    """Return the line of a kernel that ends with `// remark`."""
    lines = (SEEDS / f"{file}.cu").read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(number for number in range(start, len(lines)) if lines[number].endswith(f"// {remark}")) + 1

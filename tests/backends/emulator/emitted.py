"""What NVRTC emits for all built-in and torture kernels; `python -m tests.backends.emulator.emitted` lists it."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from benchmarks.agreement_subjects import pattern_kernels, torture_sources
from shflbench.backends.emulator.parse import parse
from shflbench.compile import toolchain
from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source
from shflbench.errors import CompileError
from shflbench.model import DTYPES
from shflbench.patterns.declare import Input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.agreement_subjects import PatternKernel
    from shflbench.backends.emulator.ptx import Module
    from shflbench.compile.toolchain import Toolchain

ARCHS = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")


def units(arch: str) -> Iterator[Source]:
    """Yield one translation unit for each file of a pattern, with all its kernels, and the torture files."""
    files: dict[str, list[PatternKernel]] = {}
    for kernel in pattern_kernels(arch):
        files.setdefault(kernel.source.name, []).append(kernel)
    for kernels in files.values():
        first = kernels[0].source
        text = "\n".join([first.text, *map(_instance, kernels)])
        yield Source(first.name, text, first.headers, first.expression)
    yield from torture_sources()


def _instance(kernel: PatternKernel) -> str:
    """Return the explicit instantiation of a kernel's template."""
    element = DTYPES[kernel.dtype].cuda
    buffers = kernel.pattern.declaration.buffers
    pointers = [f"const {element}*" if isinstance(buffer, Input) else f"{element}*" for buffer in buffers]
    return f"template __global__ void {kernel.source.expression}({', '.join(pointers)}, int);"


def _ptx(job: tuple[str, Source], tools: Toolchain) -> str:
    arch, source = job
    try:
        return compile_kernel(source, arch, tools).ptx
    except CompileError as error:
        raise AssertionError(error.message) from None


def modules(archs: Sequence[str]) -> dict[tuple[str, str], Module]:
    """Return every file for every architecture, by architecture and name."""
    jobs = [(arch, source) for arch in archs for source in units(arch)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        texts = pool.map(partial(_ptx, tools=toolchain.find()), jobs)
        return {(arch, source.name): parse(text) for (arch, source), text in zip(jobs, texts, strict=True)}


def forms(module: Module) -> set[str]:
    """Return the instruction forms of a module, such as `shfl.sync.bfly.b32`."""
    return {
        ".".join((instruction.opcode, *instruction.modifiers))
        for function in module.functions.values()
        for instruction in function.instructions
    }


def main() -> None:
    """Print each form with the architectures that it was seen on."""
    seen: dict[str, list[str]] = {}
    for (arch, _), module in modules(ARCHS).items():
        for form in forms(module):
            seen.setdefault(form, []).append(arch)
    for form, archs in sorted(seen.items()):
        print(form, *dict.fromkeys(archs))  # noqa: T201  (its purpose)


if __name__ == "__main__":
    main()

"""Build one kernel: compile, disassemble, find its loop and hold it against its declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.compile import loops, nvrtc, resources, rules, sass
from shflbench.compile.cache import KernelCache, key
from shflbench.compile.source import translation_unit
from shflbench.model import DTYPES, Kernel

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.compile.nvrtc import Compiled
    from shflbench.compile.source import Source
    from shflbench.compile.toolchain import Toolchain
    from shflbench.model import Case, Dtype, Instruction
    from shflbench.patterns.declare import Pattern, Variant
    from shflbench.patterns.discover import LoadedPattern


@dataclass(frozen=True, slots=True)
class Order:
    """One kernel to build: its source, and what its machine code has to keep."""

    source: Source
    pattern: Pattern
    variant: Variant
    dtype: Dtype
    key: str  # under which the cache keeps it


@dataclass(frozen=True, slots=True)
class MachineCode:
    """What compiler and disassembler make of a source; plain data, which another process can send."""

    compiled: Compiled
    sass: tuple[Instruction, ...] | None  # None where no disassembler reads it


def machine_code(source: Source, arch: str, toolchain: Toolchain) -> MachineCode:
    """Compile and disassemble `source` for `arch`; CompileError if NVRTC refuses it."""
    compiled = nvrtc.compile_kernel(source, arch, toolchain)
    return MachineCode(compiled, sass.disassemble(compiled.cubin, compiled.symbol, toolchain.nvdisasm))


class Builder:
    """Builds kernels for one architecture, and keeps them in a cache folder."""

    def __init__(self, toolchain: Toolchain, arch: str, cache_folder: Path | None) -> None:
        """Build for `arch` (`sm_90`); without `cache_folder` nothing is kept."""
        self.toolchain = toolchain
        self.arch = arch
        self.cache = KernelCache(cache_folder)

    def build(self, pattern: LoadedPattern, case: Case) -> Kernel:
        """Return the kernel of `case`, from the cache where it is there.

        Raises CompileError if NVRTC refuses it.
        """
        order = self.order(pattern, case)
        return self.cache.get(order.key) or self.finish(order, machine_code(order.source, self.arch, self.toolchain))

    def order(self, pattern: LoadedPattern, case: Case) -> Order:
        """Return what has to be built for `case`."""
        variant = pattern.declaration.variant(case.variant)
        dtype = DTYPES[case.dtype]
        source = translation_unit(pattern, variant, dtype, case.options)
        promise = repr((variant.mechanism, variant.promised(dtype), pattern.declaration.unroll))
        name = key(source, self.arch, self.toolchain.identity, promise)
        return Order(source, pattern.declaration, variant, dtype, name)

    def finish(self, order: Order, code: MachineCode) -> Kernel:
        """Hold `code` against its declaration, and keep the kernel that comes of it."""
        found = loops.counted_loops(code.sass) if code.sass else []
        broken = rules.violations(order.pattern, order.variant, order.dtype, code.sass, found) if code.sass else ()
        kernel = Kernel(
            symbol=code.compiled.symbol,
            arch=self.arch,
            ptx=code.compiled.ptx,
            cubin=code.compiled.cubin,
            resources=resources.parse(code.compiled.log),
            sass=code.sass,
            loop=rules.timed_loop(found),
            violations=tuple(broken),
        )
        self.cache.put(order.key, kernel)
        return kernel

"""Build one kernel: compile, disassemble, find its loop and hold it against its declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.compile import loops, nvrtc, resources, rules, sass, signature
from shflbench.compile.cache import KernelCache, key
from shflbench.compile.rules import Promises
from shflbench.compile.source import translation_unit
from shflbench.model import DTYPES, Kernel

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.compile.nvrtc import Compiled
    from shflbench.compile.signature import Argument
    from shflbench.compile.source import Source
    from shflbench.compile.toolchain import Toolchain
    from shflbench.model import Case, Instruction
    from shflbench.patterns.discover import LoadedPattern


@dataclass(frozen=True, slots=True)
class Order:
    """One kernel to build: its source, and what its machine code has to keep."""

    source: Source
    promises: Promises
    arguments: tuple[Argument, ...]
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

        Raises CompileError if NVRTC refuses it, or if it takes other arguments than it is given.
        """
        order = self.order(pattern, case)
        return self.cache.get(order.key) or self.finish(order, machine_code(order.source, self.arch, self.toolchain))

    def order(self, pattern: LoadedPattern, case: Case) -> Order:
        """Return what has to be built for `case`."""
        variant = pattern.declaration.variant(case.variant)
        dtype = DTYPES[case.dtype]
        source = translation_unit(pattern, variant, dtype, case.options)
        promises = Promises.of(pattern.declaration, variant, dtype, dict(case.options))
        given = signature.arguments(pattern.declaration, variant, dtype)
        kept_as = key(source, self.arch, self.toolchain.identity, repr((promises, given)))
        return Order(source, promises, given, kept_as)

    def finish(self, order: Order, code: MachineCode) -> Kernel:
        """Hold `code` against its declaration, and keep the kernel that comes of it.

        CompileError if it takes other arguments than it is given.
        """
        taken = signature.parameters(code.compiled.ptx, code.compiled.symbol)
        signature.hold(order.source.expression, taken, order.arguments)
        found = loops.counted_loops(code.sass) if code.sass else []
        broken = rules.violations(order.promises, code.sass, found) if code.sass else ()
        kernel = Kernel(
            symbol=code.compiled.symbol,
            arch=self.arch,
            ptx=code.compiled.ptx,
            cubin=code.compiled.cubin,
            resources=resources.parse(code.compiled.log, code.compiled.symbol),
            sass=code.sass,
            loop=None if order.promises.unroll is None else rules.timed_loop(found),
            violations=tuple(broken),
        )
        self.cache.put(order.key, kernel)
        return kernel

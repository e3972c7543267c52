"""Build one kernel: compile, disassemble, find its loop and hold it against its declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.compile import loops, nvrtc, resources, rules, sass
from shflbench.compile.cache import KernelCache, key
from shflbench.compile.source import translation_unit
from shflbench.model import DTYPES, Kernel

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.compile.toolchain import Toolchain
    from shflbench.model import Case
    from shflbench.patterns.discover import LoadedPattern


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
        variant = pattern.declaration.variant(case.variant)
        dtype = DTYPES[case.dtype]
        source = translation_unit(pattern, variant, dtype, case.options)
        promise = repr((variant.mechanism, variant.promised(dtype), pattern.declaration.unroll))
        name = key(source, self.arch, self.toolchain.identity, promise)
        kept = self.cache.get(name)
        if kept is not None:
            return kept
        compiled = nvrtc.compile_kernel(source, self.arch, self.toolchain)
        code = sass.disassemble(compiled.cubin, compiled.symbol, self.toolchain.nvdisasm)
        found = loops.counted_loops(code) if code else []
        broken = rules.violations(pattern.declaration, variant, dtype, code, found) if code else ()
        kernel = Kernel(
            symbol=compiled.symbol,
            arch=self.arch,
            ptx=compiled.ptx,
            cubin=compiled.cubin,
            resources=resources.parse(compiled.log),
            sass=code,
            loop=rules.timed_loop(found),
            violations=tuple(broken),
        )
        self.cache.put(name, kernel)
        return kernel

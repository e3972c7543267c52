"""Compile the kernels of the figures, one translation unit per file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.model import Kernel
from shflbench.cuda.compile import nvrtc, resources
from shflbench.cuda.compile.cache import KernelCache, key
from shflbench.cuda.compile.source import Source
from shflbench.errors import CompileError
from shflbench.measure.calibrate.probes import select_supported

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.cuda.compile.nvrtc import Compiled
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.measure.calibrate.probe import Probe

FOLDER = Path(__file__).parent
COMMON = "common.cuh"  # before each of the others


def sources(probes: Iterable[Probe]) -> dict[str, Source]:
    """Return the source of each kernel of `probes`, by its name in C++; those of one file are of one unit."""
    files = {kernel: probe.source for probe in probes for kernel in probe.kernels}
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in {COMMON, *files.values()}}
    return {
        kernel: Source(f"calibrate/{file}", texts[COMMON] + texts[file], {}, kernel) for kernel, file in files.items()
    }


class CalibrationKernels:
    """The compiled kernels for one architecture, from the cache where they are in it."""

    def __init__(self, arch: str, toolchain: Toolchain, cache_folder: Path | None) -> None:
        """Compile what is not cached; a kernel that does not compile does not affect the others."""
        self._arch, self._toolchain = arch, toolchain
        self._cache = KernelCache(cache_folder)
        self._kernels: dict[str, Kernel | CompileError] = {}
        missing: list[Source] = []
        for name, source in sources(select_supported(arch)).items():
            kernel = self._cache.get(self._key(source))
            if kernel is None:
                missing.append(source)
            else:
                self._kernels[name] = kernel
        for unit in group_by(missing, lambda source: source.name).values():
            self._compile(unit)

    def of(self, probe: Probe) -> Kernel:
        """Return the kernel of a probe; CompileError if it does not compile."""
        kernel = self._kernels[probe.kernel]
        if isinstance(kernel, CompileError):
            raise kernel
        return kernel

    def _key(self, source: Source) -> str:
        return key(source, self._arch, self._toolchain.identity, "calibrate")

    def _compile(self, missing: list[Source]) -> None:
        if not missing:
            return
        try:
            compiled = nvrtc.compile_unit(missing, self._arch, self._toolchain)
        except CompileError as error:
            if len(missing) == 1:
                self._kernels[missing[0].expression] = error
                return
            # Halves, not single kernels: an older NVRTC lacks an instruction or two, and a unit takes a second.
            middle = len(missing) // 2
            self._compile(missing[:middle])
            self._compile(missing[middle:])
            return
        for source, code in zip(missing, compiled, strict=True):
            kernel = self._kernel(code)
            self._kernels[source.expression] = kernel
            self._cache.put(self._key(source), replace(kernel, ptx=""))

    def _kernel(self, code: Compiled) -> Kernel:
        return Kernel(
            symbol=code.symbol,
            arch=self._arch,
            ptx="",
            cubin=code.cubin,
            resources=resources.parse(code.log, code.symbol),
            sass=None,
            loop=None,
            violations=(),
        )

"""Cache what is read from CUDA files by content: running the host code of a program takes a second and more."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from shflbench.cuda.compile.data_cache import DataCache
from shflbench.cuda.compile.nvrtc import PtxUnit
from shflbench.cuda_sources.kernel_file import (
    Field,
    HostArgument,
    HostBuffer,
    HostCall,
    HostLaunch,
    HostNumber,
    KernelFile,
    KernelParameter,
    LaunchBounds,
    LaunchChain,
    NamedBlock,
    NamedLaunch,
    SourceKernel,
    SourceNote,
    StreamLaunch,
)
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.cuda.compile.ptx_cache import PtxCompiler
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions

KERNELS = "kernel-file"  # ending of the files
RECORDS = (KernelFile, SourceKernel, KernelParameter, Field, HostLaunch, HostArgument, HostBuffer, LaunchBounds)
FURTHER = (
    HostCall, HostNumber, LaunchChain, NamedBlock, NamedLaunch, Origin, SourceNote, SourceLine, StreamLaunch, PtxUnit,
)  # fmt: skip


class ReadFile(NamedTuple):
    """What was read from a file."""

    file: KernelFile
    is_determined: bool  # by the text, the options and the compiler alone
    launches_on_device: bool


def cached_file(
    nvrtc: PtxCompiler,
    unit: SourceUnit,
    options: CompileOptions,
    decisive: object,
    read: Callable[[], ReadFile],
) -> KernelFile:
    """Return the file that `read` returns for a unit and `nvrtc`, from the cache of `nvrtc` if it has that.

    `decisive` is all that determines the file beside the unit, the options and the compiler.
    """
    cache = DataCache(nvrtc.folder, KERNELS, (*RECORDS, *FURTHER))
    given = {item.name: getattr(options, item.name) for item in fields(options) if item.name != "budget"}
    known = (nvrtc.toolchain.identity, [*map(str, nvrtc.toolchain.headers)], given, decisive)
    if nvrtc.reads_disk(file.text for file in unit.files):
        return read().file
    path = cache.path(known, *_contents(unit))
    stored = cache.read(path)
    if isinstance(stored, KernelFile):
        return stored
    result = read()
    if result.is_determined and not nvrtc.has_failed and not options.budget.has_timed_out:
        cache.write(path, result.file)
        if options.device_launches and not result.launches_on_device:  # then the option changes nothing
            given["device_launches"] = False
            cache.write(cache.path(known, *_contents(unit)), result.file)
    return result.file


def _contents(unit: SourceUnit) -> tuple[object, ...]:
    """Return all that a unit consists of."""
    files = [(file.path, file.name, file.text) for file in (*unit.files, *unit.neighbors)]
    missing = [(name, file.name, line) for name, (file, line) in unit.missing.items()]
    return files, [*unit.headers], unit.stubs, missing

"""Follow a buffer in the host code from the launch that writes it to a later one that gets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.naming import means

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cuda_sources.kernel_file import KernelFile, KernelOutput, SourceKernel


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A buffer that a kernel writes, or may write, and another one gets then."""

    source: SourceKernel
    source_place: int  # among its parameters and the fields of structures
    target: SourceKernel
    target_place: int


def handed_on(file: KernelFile) -> Iterator[HandedOn]:
    """Yield the buffers that launches of the host code get from other kernels."""
    for kernel in file.kernels:
        for launch in kernel.host_launches:
            for place, argument in enumerate(launch.values):
                if argument.buffer is not None and argument.buffer.output is not None:
                    for source, source_place in _sources(file, argument.buffer.output):
                        if source is not kernel:
                            yield HandedOn(source, source_place, kernel, place)


def _sources(file: KernelFile, output: KernelOutput) -> Iterator[tuple[SourceKernel, int]]:
    kernels = [kernel for kernel in file.kernels if means(output.by.kernel, kernel.name)]
    for place, argument in enumerate(output.by.launch.values):
        if argument.buffer is not None and argument.buffer.number == output.number:
            yield from ((kernel, place) for kernel in kernels)

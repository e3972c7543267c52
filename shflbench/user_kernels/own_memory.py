"""Say which buffers one kernel of a comparison has alone, and what is done before each timed launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.grouping import group_by
from shflbench.core.words import join_words, one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker import CandidateBuffer
    from shflbench.user_kernels.comparison import KernelComparison


def own_memory(comparison: KernelComparison) -> Iterator[str]:
    """Yield who has scratch memory alone, and which buffers get their contents again, as sentences without a period."""
    buffers = comparison.first.buffers
    results = [f"`{item.name}`" for item in buffers if _is_written(comparison, item) and comparison.is_compared(item)]
    owners = group_by(comparison.scratch, lambda item: tuple(_owners(comparison, item.name)))
    for kernels, alike in owners.items():
        names = join_words([f"`{item.name}`" for item in alike])
        yield f"only {join_words(list(kernels))} {one_or_many(len(kernels), 'has', 'have')} {names}"
    if owners and results:
        yield f"compared is what all kernels write to {join_words(results)}"
    restored = [item for item in buffers if comparison.use(item) is BufferUse.CHANGED and not item.variable]
    if restored:
        names = join_words([f"`{item.name}`" for item in restored])
        yield f"{names} {one_or_many(len(restored), 'is', 'are')} set again before each launch, which is not timed"


def _is_written(comparison: KernelComparison, buffer: CandidateBuffer) -> bool:
    return any(use.writes for use in comparison.uses(buffer))


def _owners(comparison: KernelComparison, buffer: str) -> Iterator[str]:
    """Yield the names of the kernels that take a buffer."""
    for kernel in comparison.kernels:
        names = {kernel.names.get(name, name) for step in kernel.candidate.launches[0].steps for name in step.arguments}
        if buffer in names:
            yield kernel.candidate.name

"""Decide which kernels are also compared with contents that nobody specifies, and which contents these replace.

Where each input has equal elements, as after `cudaMemset`, wrong kernels may have the right results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.model import DTYPES
from shflbench.patterns.stored import DrawKind, DrawRule
from shflbench.user_kernels.pattern_values import buffer_dtype

if TYPE_CHECKING:
    from shflbench.checker import CandidateBuffer
    from shflbench.user_kernels.comparison import ComparedKernel, KernelComparison

MOST_EXACT = 8  # of integers: sums of thousands fit any type


def needs_other_inputs(comparison: KernelComparison, kernel: ComparedKernel) -> bool:
    """Whether results may be right although a kernel does not compute them from its inputs.

    They are those of earlier launches, or constants, or right for inputs of equal elements only.
    """
    data = _data(comparison)
    if kernel.candidate.keeps_memory or (data and all(is_replaceable(comparison, item) for item in data)):
        return True
    uses = {kernel.names.get(item.name): item.use for item in kernel.launches[0].buffers}
    read = [item.name for item in comparison.first.buffers if comparison.use(item) is BufferUse.READ]
    return bool(read) and all(uses.get(name, BufferUse.UNUSED) is BufferUse.UNUSED for name in read)


def is_replaceable(comparison: KernelComparison, buffer: CandidateBuffer) -> bool:
    """Whether a buffer has equal elements that may be others: addresses may not, nor what stores to one address."""
    return buffer.is_constant and buffer in _data(comparison) and not _stores_may_meet(comparison)


def specified_rule(buffer: CandidateBuffer) -> DrawRule:
    """Return how the contents of a buffer are drawn in the inputs: as somebody specifies them, or in another order."""
    return DrawRule(kind=DrawKind.ROLLED if buffer.is_synthesized and not buffer.is_ordered else DrawKind.STORED)


def other_rule(comparison: KernelComparison, buffer: CandidateBuffer) -> DrawRule:
    """Return how the contents of a buffer are drawn in the other inputs, where no earlier launch has had them."""
    if not is_replaceable(comparison, buffer):
        is_kept = comparison.use(buffer) is not BufferUse.READ or buffer.is_ordered
        return DrawRule(kind=DrawKind.STORED if is_kept else DrawKind.ROLLED)
    dtype = DTYPES[buffer_dtype(buffer)]
    most = None if dtype.floating else 1 if buffer.element == "bool" else MOST_EXACT
    count = buffer.contents.size // dtype.size
    return DrawRule(kind=DrawKind.EXACT, dtype=dtype.numpy, count=count, most=most)


def fixed_inputs(comparison: KernelComparison) -> tuple[str, ...]:
    """Return the names of the inputs if each has equal elements and none can have others; else none."""
    inputs = _data(comparison) or _inputs(comparison)
    is_fixed = all(item.is_constant and not is_replaceable(comparison, item) for item in inputs)
    return tuple(item.name for item in inputs) if is_fixed else ()


def _inputs(comparison: KernelComparison) -> list[CandidateBuffer]:
    """Return the arrays that kernels only read, or that all of them work on in place."""
    counters = comparison.named(kernel.candidate.counters for kernel in comparison.kernels)
    arrays = [item for item in comparison.first.buffers if not item.is_scalar]
    uses = {item.name: comparison.uses(item) for item in arrays}
    return [
        item
        for item in arrays
        if uses[item.name] == {BufferUse.READ} or (uses[item.name] == {BufferUse.CHANGED} and item.name not in counters)
    ]


def _data(comparison: KernelComparison) -> list[CandidateBuffer]:
    """Return the inputs that are no addresses and no numbers of iterations."""
    indexes = comparison.indexes
    return [item for item in _inputs(comparison) if item.name not in indexes]


def _stores_may_meet(comparison: KernelComparison) -> bool:
    """Whether contents let threads store to one address, so that results depend on which thread is last."""
    targets = comparison.named(kernel.candidate.targets for kernel in comparison.kernels)
    return any(item.name in targets and not item.has_distinct_elements for item in comparison.first.buffers)

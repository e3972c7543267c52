"""Say which `__device__` and `__constant__` variables kernels read although nothing says what they contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.model import DTYPES
from shflbench.user_kernels.pattern_values import buffer_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.user_kernels.comparison import KernelComparison


def unset_variables(comparison: KernelComparison) -> Iterator[tuple[str, str]]:
    """Yield a clause for each variable that kernels only read and nothing sets, with the option that gives it."""
    for buffer in comparison.first.buffers:
        if not buffer.is_unset or comparison.use(buffer) is not BufferUse.READ:
            continue
        why = "what the host code copies to it is not known" if buffer.is_synthesized else "nothing sets it"
        count = buffer.size // DTYPES[buffer_dtype(buffer)].size
        yield (
            f"the variable `{buffer.name}` contains zeros, because {why}",
            f"--arg '{buffer.name}={buffer.element}[{count}]:VALUES'",
        )

"""Whether an older NVRTC makes other code of a comparison than nvcc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.user_kernels.comparison import KernelComparison

_LONG_ADDRESS = re.compile(r"^\s*(?:@!?%p\d+\s+)?(?:ld|st|atom|red)\.[\w.:]*shared[\w.:]*\s[^;\n]*\[%rd", re.MULTILINE)


def shared_address_sentence(comparisons: Sequence[KernelComparison], toolchain: Toolchain) -> str:
    """Return which kernels compute addresses in shared memory otherwise than a build by nvcc; empty if none does."""
    if (difference := toolchain.difference_from_nvcc) is None:
        return ""
    kernels = {
        kernel.candidate.name: None
        for comparison in comparisons
        for kernel in comparison.kernels
        if _LONG_ADDRESS.search(kernel.candidate.ptx)
    }
    if not kernels:
        return ""
    return f"{difference}: times of {join_words(list(kernels))} may differ from those of your build; {toolchain.newer}"

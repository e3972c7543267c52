"""Whether what the launches of a comparison use stays in the L2 cache from one launch to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.user_kernels.comparison import KernelComparison

MIB = 1 << 20


def warm_l2_sentence(comparisons: Sequence[KernelComparison], l2_bytes: int | None) -> str:
    """Return that the buffers of launches fit in a warm L2 cache, as a sentence; empty if those of none do."""
    launches = [launch for item in comparisons for launch in item.sizes.values()]
    sizes = sorted({sum(buffer.size for buffer in launch.buffers) for launch in launches})
    fitting = [size for size in sizes if l2_bytes is not None and size <= l2_bytes]
    if not fitting or l2_bytes is None:
        return ""
    words = " to ".join(dict.fromkeys((_mib(fitting[0]), _mib(fitting[-1]))))
    noun = "Buffers" if len(fitting) == len(sizes) else "Buffers of some launches"
    return (
        f"{noun} ({words}) fit in the L2 cache ({_mib(l2_bytes)}), which is warm; "
        "--l2 cold empties it before each launch."
    )


def _mib(size: int) -> str:
    return f"{size / MIB:.3g} MiB"

"""A time that memory does not allow: a launch that writes more than the L2 cache holds takes at least so long.

Only what a launch certainly moves counts: the bytes of its results that differ from what was there before. Inputs do
not count, because a kernel may need none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.one_pass import MemoryTraffic
from shflbench.core.arch.devices import peak_dram_bytes_per_us
from shflbench.kernel_facts.recorded_limits import TOLERANCE

if TYPE_CHECKING:
    from shflbench.core.model import Device

TOO_FAST = "it is faster than memory allows"  # how the sentence on such a kernel begins
MB = 1e6  # bytes


def too_fast(written_bytes: int, time_us: float, device: Device | None) -> str:
    """Return why the time of a launch that writes so many bytes is impossible, as a sentence; empty if it is not.

    Empty as well where the rate of the memory or the size of the L2 cache is not known.
    """
    if device is None:
        return ""
    state = device.state
    peak = peak_dram_bytes_per_us(device.name, state.max_memory_clock_mhz, state.memory_bus_bits)
    least_us = MemoryTraffic(written_bytes, state.l2_bytes, peak).least_us
    if not least_us or not peak or not state.l2_bytes or time_us * TOLERANCE >= least_us:
        return ""
    return (
        f"{TOO_FAST}: {time_us:.4g} µs per launch, and DRAM takes {least_us:.4g} µs at {peak / 1000:.4g} GB/s for the "
        f"{written_bytes / MB:.4g} MB that it writes without the {state.l2_bytes / MB:.4g} MB that the L2 cache holds"
    )

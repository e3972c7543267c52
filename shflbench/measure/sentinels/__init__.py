"""Kernels that never change and are timed in every round of every run: if their times change, the machine changed.

A comparison subtracts the offset of the short sentinels, and gives no verdict if the long ones show another clock. Both
need identical machine code, so the compiled kernels are part of this package.
"""

from shflbench.measure.sentinels.frozen import cubin_for
from shflbench.measure.sentinels.table import SENTINELS, Sentinel, calls, version

__all__ = ["SENTINELS", "Sentinel", "calls", "cubin_for", "version"]

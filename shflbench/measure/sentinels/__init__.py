"""Kernels that never change, timed in every round of every run: what moves them is the machine, not shflbench.

Runs that are compared subtract what moved the short ones, and get no verdict where the long ones say that the clock
was another. That holds only for the same machine code, so the compiled kernels are part of this package.
"""

from shflbench.measure.sentinels.frozen import cubin_for
from shflbench.measure.sentinels.table import SENTINELS, Sentinel, calls, version

__all__ = ["SENTINELS", "Sentinel", "calls", "cubin_for", "version"]

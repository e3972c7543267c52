"""Lower bounds for the time of a kernel, from its machine code and the figures of an architecture."""

from shflbench.analysis.limits.bound import ISSUE, LATENCY, Limit, Residency, limit
from shflbench.analysis.limits.counts import Counts, count
from shflbench.analysis.limits.units import ExecutionUnit, unit_of

__all__ = ["ISSUE", "LATENCY", "Counts", "ExecutionUnit", "Limit", "Residency", "count", "limit", "unit_of"]

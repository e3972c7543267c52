"""Compare two runs of a suite: what became slower, what can be said for sure, and what cannot."""

from shflbench.analysis.compare.comparison import (
    FINDINGS,
    FOUND,
    UNCERTAIN,
    UNDECIDED,
    Comparison,
    Metric,
    NoiseUsed,
    Outcome,
    Reason,
    SideInfo,
    Verdict,
)
from shflbench.analysis.compare.pipeline import Settings, compare
from shflbench.analysis.compare.sides import Side

__all__ = [
    "FINDINGS",
    "FOUND",
    "UNCERTAIN",
    "UNDECIDED",
    "Comparison",
    "Metric",
    "NoiseUsed",
    "Outcome",
    "Reason",
    "Settings",
    "Side",
    "SideInfo",
    "Verdict",
    "compare",
]

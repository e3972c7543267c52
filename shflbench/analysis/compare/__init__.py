"""Compare two runs of a suite, with a verdict for each case."""

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

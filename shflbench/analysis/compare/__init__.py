"""Compare two runs of a suite, with a verdict for each case."""

from shflbench.analysis.compare.comparison import (
    FINDING_CODE,
    FINDINGS,
    UNDECIDED,
    UNDECIDED_CODE,
    Comparison,
    Metric,
    NoiseUsed,
    Outcome,
    Reason,
    SideInfo,
    Verdict,
)
from shflbench.analysis.compare.likely_causes import with_causes
from shflbench.analysis.compare.pipeline import Settings, compare
from shflbench.analysis.compare.sides import Side

__all__ = [
    "FINDINGS",
    "FINDING_CODE",
    "UNDECIDED",
    "UNDECIDED_CODE",
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
    "with_causes",
]

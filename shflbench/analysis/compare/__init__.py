"""Compare two runs of a suite, with a verdict for each case."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
else:
    # Imported on first use: the words of a comparison, which most commands use, need no rules and no NumPy.
    _MODULES = {
        "FINDING_CODE": "comparison",
        "FINDINGS": "comparison",
        "UNDECIDED": "comparison",
        "UNDECIDED_CODE": "comparison",
        "Comparison": "comparison",
        "Metric": "comparison",
        "NoiseUsed": "comparison",
        "Outcome": "comparison",
        "Reason": "comparison",
        "SideInfo": "comparison",
        "Verdict": "comparison",
        "with_causes": "likely_causes",
        "Settings": "pipeline",
        "compare": "pipeline",
        "Side": "sides",
    }

    def __getattr__(name: str) -> object:
        """Import the public name."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


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

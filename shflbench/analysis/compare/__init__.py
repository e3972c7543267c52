"""Compare two runs of a suite, with a verdict for each case."""

from typing import TYPE_CHECKING

from shflbench.core.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import (
        FINDINGS,
        UNDECIDED,
        ChangeVerdict,
        Comparison,
        Metric,
        NoiseUsed,
        Outcome,
        Reason,
        SideInfo,
    )
    from shflbench.analysis.compare.likely_causes import with_causes
    from shflbench.analysis.compare.pipeline import Settings, compare
    from shflbench.analysis.compare.sides import Side
else:
    # The words of a comparison, which most commands use, need no rules and no NumPy.
    __getattr__ = on_first_use(
        __name__,
        {
            "comparison": (
                "FINDINGS",
                "UNDECIDED",
                "Comparison",
                "Metric",
                "NoiseUsed",
                "Outcome",
                "Reason",
                "SideInfo",
                "ChangeVerdict",
            ),
            "likely_causes": ("with_causes",),
            "pipeline": ("Settings", "compare"),
            "sides": ("Side",),
        },
    )


__all__ = [
    "FINDINGS",
    "UNDECIDED",
    "ChangeVerdict",
    "Comparison",
    "Metric",
    "NoiseUsed",
    "Outcome",
    "Reason",
    "Settings",
    "Side",
    "SideInfo",
    "compare",
    "with_causes",
]

"""One process that is slow as a whole does not hide that all others differ.

In each batch of benchmarks/compare_power one or two processes of thirty took 4 to 5 % longer for an array in local
memory. Beside such a process no change of 2 % can be told from chance; without it, it is plain.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.rule import judge, variance_of
from shflbench.analysis.compare.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.rule import Contrast, Finding

# A process is wild if it takes so much longer than every other of both sides, and so many standard deviations. With two
# processes a side nobody could say which of them is wild.
WILD, SURE, FEWEST = 0.015, 4.0, 3


def judge_robustly(contrasts: Sequence[Contrast], model: NoiseModel) -> list[Finding]:
    """Judge the cases of a comparison, and find a change that a wild process hides.

    No case becomes the same by leaving a process out: that one might be the change.
    """
    found = judge(contrasts, model)
    for place, (finding, contrast) in enumerate(zip(found, contrasts, strict=True)):
        if finding.reason is Reason.INTERVAL_TOO_WIDE and (others := without_wild(contrast, model)):
            (again,) = judge([others], model, len(contrasts))
            if again.reason is Reason.BEYOND_THRESHOLD:
                left_out = _slowest(contrast) / _slowest(others) - 1
                found[place] = replace(again, left_out=left_out, detectable=finding.detectable)
    return found


def without_wild(contrast: Contrast, model: NoiseModel) -> Contrast | None:
    """Return the case without its wild process; None where there is none."""
    sides = contrast.base, contrast.new
    if min(map(len, sides)) < FEWEST:
        return None
    *_, second, slowest = np.sort(np.concatenate([side.values for side in sides])).tolist()
    if slowest - second < max(WILD * second, SURE * math.sqrt(variance_of(contrast, model))):
        return None
    base, new = (
        side.picked([each for each, value in zip(side.processes, side.values, strict=True) if value < slowest])
        for side in sides
    )
    return replace(contrast, base=base, new=new)


def _slowest(contrast: Contrast) -> float:
    return float(max(contrast.base.values.max(), contrast.new.values.max()))

"""Add what the removed stores of a kernel would do to the verdict on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.judgment.sentences import options_text
from shflbench.checker.verdict import KernelVerdict, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.checker.judgment.judge import KernelJudgment
    from shflbench.checker.judgment.observations import Observation
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.ptx.syntax import PtxInstruction

REMOVED = "in code that the compiler removed"
# From the mildest to the worst, of those that a kernel that ran can have.
ORDER = (
    KernelVerdict.CLEAN,
    KernelVerdict.DEPENDENT,
    KernelVerdict.DOUBTFUL,
    KernelVerdict.NOT_CHECKED,
    KernelVerdict.NEEDS_ARGUMENTS,
    KernelVerdict.BROKEN,
)


def with_removed(
    judgment: KernelJudgment, judged: Sequence[Observation], line_of: Callable[[PtxInstruction], SourceLine]
) -> KernelJudgment:
    """Return the judgment, with the faults of removed stores, which count as those of the program do."""
    items = [item for item in judged if item.level is Level.ERROR] or [item for item in judged if item.level]
    if not items:
        return judgment
    causes = tuple(dict.fromkeys(cause for item in items for cause in item.causes))
    verdict, give = KernelVerdict.DOUBTFUL, ""
    if items[0].level is Level.ERROR:
        verdict = KernelVerdict.BROKEN
    elif causes:
        verdict, give = KernelVerdict.NEEDS_ARGUMENTS, f"; to decide, {options_text(causes)}"
    sentence = f"{_faults(items, line_of)}, {REMOVED}{give}"
    observations = (*judgment.observations, *judged)
    if ORDER.index(judgment.verdict) < ORDER.index(verdict):
        return replace(judgment, verdict=verdict, sentence=sentence, observations=observations, causes=causes)
    return replace(judgment, sentence=f"{judgment.sentence}; {sentence}", observations=observations)


def _faults(items: Sequence[Observation], line_of: Callable[[PtxInstruction], SourceLine]) -> str:
    """Return kinds and lines: `WAW at line 13 of the source`."""
    hazards = [item.hazard for item in items]
    texts = dict.fromkeys(f"{hazard.kind} at line {line_of(hazard.instruction).line}" for hazard in hazards)
    return f"{', '.join(texts)} of the source"

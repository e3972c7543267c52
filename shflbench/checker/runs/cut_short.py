"""Evidence of the launches that ended before the budget did: it decides, and the others are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.words import count_noun
from shflbench.errors import TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.runs.evidence import KernelEvidence


def of_ended_launches(evidence: KernelEvidence, plan: Sequence[PlannedLaunch]) -> KernelEvidence:
    """Return evidence that the budget ended as that of the launches that ended until then, with a note on the others.

    Those have to be more than a launch of one warp, in which threads of several warps cannot race, unless the plan has
    no other. The time limit differs from machine to machine: what it ends decides nothing.
    """
    limit = evidence.ended_by
    if limit is None or isinstance(limit, TimeLimitError):
        return evidence
    ended = [item.launch for item in evidence.launches if item.results[0].error is None]
    if all(launch.is_special for launch in ended) and not (ended and all(launch.is_special for launch in plan)):
        return evidence
    ran = {str(item.launch.shape) for item in evidence.launches}
    missing = count_noun(sum(str(launch.shape) not in ran for launch in plan), "further launch")
    return replace(evidence, ended_by=None, unfinished=f"{limit.message}: {missing} did not run")

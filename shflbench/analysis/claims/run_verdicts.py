"""Judge the claims of a suite by its finished runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.claims.claim_verdicts import judge_claims, judge_selection, read_claim_run
from shflbench.analysis.claims.stored import claims_of_run
from shflbench.core.model import Overrides
from shflbench.errors import ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.store import RunInfo


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts on the claims of a suite by its run, or why there are none."""

    verdicts: tuple[ClaimVerdict, ...] = ()
    left_out: int = 0  # claims about cases that the user left out
    problem: str = ""  # a sentence
    is_required: bool = False  # whether the suite requires a claim


def verdicts_of(info: RunInfo, folders: Sequence[Path]) -> RunVerdicts:
    """Judge the claims of the suite of `info` by the finished runs in `folders`, which divide its cases."""
    if not (claims := claims_of_run(info)):
        return RunVerdicts()

    left_out = 0
    try:
        runs = [read_claim_run(folder) for folder in folders]
        if info.settings.overrides in {None, Overrides()}:
            verdicts = judge_claims(claims, runs)
        else:
            verdicts, left_out = judge_selection(claims, runs)
    except ShflbenchError as error:
        again = f"judge them again: shflbench claims {' '.join(map(str, folders))}"
        problem = f"the claims are not judged: {error.message}; {again}"
        return RunVerdicts(problem=problem, is_required=any(claim.required for claim in claims))
    return RunVerdicts(tuple(verdicts), left_out)

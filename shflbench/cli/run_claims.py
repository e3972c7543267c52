"""Judge the claims of a suite at the end of its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import FINDING_EXIT
from shflbench.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.cli.console import Console
    from shflbench.store import RunFolder, RunInfo


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts on the claims of a suite by its run, or why there are none."""

    verdicts: tuple[ClaimVerdict, ...] = ()
    left_out: int = 0  # claims about cases that the user left out
    problem: str = ""  # a sentence
    is_required: bool = False  # whether the suite requires a claim

    def conclude(self, console: Console, *, strict: bool = False) -> int:
        """Print what is wrong with the required claims, and return the exit code."""
        from shflbench.cli.claims.required import conclude

        if self.problem:
            console.warn(self.problem)
            return FINDING_EXIT if self.is_required else 0
        return conclude(self.verdicts, console, strict=strict)


def judge_run(folder: RunFolder, console: Console, *, strict: bool = False) -> int:
    """Judge the claims of the run's suite by the finished run in `folder`, print the verdicts, return the exit code.

    Returns 1 if a required claim is refuted, depends, lacks results or cannot be judged; if `strict`, 6 if one is
    inconclusive. Claims about cases that the user left out are not judged. An error is a warning, because the run
    itself is complete.
    """
    judged = verdicts_of(folder.info, [folder.path])
    _print(judged.verdicts, judged.left_out, folder.path, console)
    return judged.conclude(console, strict=strict)


def verdicts_of(info: RunInfo, folders: Sequence[Path]) -> RunVerdicts:
    """Judge the claims of the suite of `info` by the finished runs in `folders`, which divide its cases."""
    from shflbench.analysis.claims.stored import claims_of_run
    from shflbench.errors import ShflbenchError
    from shflbench.model import Overrides

    if not (claims := claims_of_run(info)):
        return RunVerdicts()
    from shflbench.analysis.claims.judge import judge_claims, judge_selection, read_claim_run

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


def _print(verdicts: Sequence[ClaimVerdict], left_out: int, folder: Path, console: Console) -> None:
    """Print the verdicts on the claims that the run has cases for, and on those that its suite requires."""
    from shflbench.cli.claims.output import short_table
    from shflbench.words import count_noun

    shown = [one for one in verdicts if one.settings or one.claim.required]
    if shown or left_out:
        console.say()
    if shown:
        console.table(short_table(shown))
        unshown = len(verdicts) - len(shown)
        others = f", and on {count_noun(unshown, 'other claim')}" if unshown else ""
        console.say(f"Reasons for these verdicts{others}: shflbench claims {folder}")
    if left_out:
        needs = one_or_many(left_out, "needs", "need")
        console.say(f"{count_noun(left_out, 'claim')} {needs} cases that this run leaves out.")

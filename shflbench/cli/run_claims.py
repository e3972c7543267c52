"""Judge the claims of a suite at the end of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import one_or_many
from shflbench.errors import FINDING_EXIT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.claims.run_verdicts import RunVerdicts
    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.cli.console import Console
    from shflbench.store import RunFolder


def judge_run(folder: RunFolder, console: Console, *, strict: bool = False) -> int:
    """Judge the claims of the run's suite by the finished run in `folder`, print the verdicts, return the exit code.

    Returns 1 if a required claim is refuted, depends, lacks results or cannot be judged; if `strict`, 6 if one is
    inconclusive. Claims about cases that the user left out are not judged. An error is a warning, because the run
    itself is complete.
    """
    from shflbench.analysis.claims.run_verdicts import verdicts_of

    judged = verdicts_of(folder.info, [folder.path])
    _print(judged.verdicts, judged.left_out, folder.path, console)
    return _conclude(judged, console, strict=strict)


def _conclude(judged: RunVerdicts, console: Console, *, strict: bool) -> int:
    """Print what is wrong with the required claims, and return the exit code."""
    from shflbench.cli.claims.required import conclude

    if judged.problem:
        console.warn(judged.problem)
        return FINDING_EXIT if judged.is_required else 0
    return conclude(judged.verdicts, console, strict=strict)


def _print(verdicts: Sequence[ClaimVerdict], left_out: int, folder: Path, console: Console) -> None:
    """Print the verdicts on the claims that the run has cases for, and on those that its suite requires."""
    from shflbench.cli.claims.output import short_table
    from shflbench.core.words import count_noun

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

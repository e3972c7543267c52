"""Judge claims by the results of runs: a verdict per setting and overall, with joint intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.claims.code import RunCode
from shflbench.analysis.claims.measured import measured_quantity
from shflbench.analysis.claims.quantities import ClaimRun
from shflbench.analysis.claims.quantity_words import condition_words, measured_words
from shflbench.analysis.claims.resolve import Subject, family_of, settings_of
from shflbench.analysis.claims.sentences import explain, overall_why
from shflbench.analysis.claims.setting import judge_setting
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.claims.verdict import ClaimStatus, ClaimVerdict, SettingStatus
from shflbench.core.claims.claim import Quantifier
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from shflbench.store.run_files import CHECK_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shflbench.analysis.claims.setting import JudgedSetting
    from shflbench.core.claims.claim import Claim

__all__ = ["ClaimRun", "judge_claims", "judge_selection", "judge_subjects", "read_claim_run"]


def read_claim_run(folder: Path, report: Path | None = None) -> ClaimRun:
    """Read the run in `folder` with its limits, and the report of `check` beside it or the given one.

    ResultsError where a file is damaged, or where the report is about other patterns.
    """
    from shflbench.store.check_report import read_check_report  # noqa: PLC0415  (imports pydantic)

    run = read_run(folder)
    path = folder / CHECK_FILE
    given = report or (path if path.exists() else None)
    hazards = read_check_report(given, {row.pattern for row in run.rows}) if given else None
    return ClaimRun(run, read_limits(folder), hazards)


def judge_claims(claims: Sequence[Claim], runs: Sequence[ClaimRun]) -> list[ClaimVerdict]:
    """Judge each claim in all settings of the runs, which are of one GPU model.

    ResultsError where the samples of a run are damaged; they are only read for claims about times.
    """
    return judge_subjects(claims, [_subject(run) for run in runs])


def judge_selection(claims: Sequence[Claim], runs: Sequence[ClaimRun]) -> tuple[list[ClaimVerdict], int]:
    """Judge claims by runs of some of their suite's cases, and count those that need cases which the runs leave out.

    Those have no verdict: the ones without a setting, and one that holds in `some` setting, but in none of these runs.
    """
    subjects = [_subject(run) for run in runs]
    chosen = [claim for claim in claims if claim.holds is None or _has_cases(claim, subjects)]
    judged = judge_subjects(chosen, subjects)
    complete = [
        one for one in judged if one.verdict is not ClaimStatus.REFUTED or one.claim.quantifier is not Quantifier.SOME
    ]
    return complete, len(claims) - len(complete)


def _subject(run: ClaimRun) -> Subject:
    return Subject(run, run.times or RunTimes(run.run), RunCode(run.run))


def _has_cases(claim: Claim, subjects: Sequence[Subject]) -> bool:
    return any(not setting.absent for setting in settings_of(claim, subjects))


def judge_subjects(claims: Iterable[Claim], subjects: Sequence[Subject]) -> list[ClaimVerdict]:
    """Judge claims by runs whose times may be known already."""
    return [_judge(claim, subjects) for claim in claims]


def _judge(claim: Claim, subjects: Sequence[Subject]) -> ClaimVerdict:
    if claim.holds is None:
        sentence = claim.untestable or "the claim has no expression that tests it"
        return ClaimVerdict(claim=claim, verdict=ClaimStatus.UNTESTABLE, sentence=sentence)
    settings = settings_of(claim, subjects)
    family = family_of(settings)
    judged = [judge_setting(claim, setting, family) for setting in settings]
    verdict = verdict_of(claim.quantifier, [item.outcome.outcome for item in judged])
    worst = _worst(judged)
    quantity = measured_quantity(claim)
    why, why_setting = overall_why(judged, worst)
    return ClaimVerdict(
        claim=claim,
        verdict=verdict,
        sentence=explain(claim, verdict, judged, worst, subjects),
        settings=tuple(item.outcome for item in judged),
        measured=measured_words(claim, [item.outcome.measured for item in judged]),
        worst=worst.outcome if worst else None,
        quantity=quantity.name if quantity else "",
        condition=condition_words(quantity),
        why=why,
        why_setting=why_setting,
    )


def verdict_of(quantifier: Quantifier, outcomes: Sequence[SettingStatus]) -> ClaimStatus:
    """Return the verdict from the outcomes in all settings."""
    known = set(outcomes)
    if known == {SettingStatus.FAILS}:
        return ClaimStatus.REFUTED
    if quantifier is Quantifier.SOME:
        return ClaimStatus.CONFIRMED if SettingStatus.HOLDS in known else ClaimStatus.INCONCLUSIVE
    if known == {SettingStatus.HOLDS}:
        return ClaimStatus.CONFIRMED
    if quantifier is Quantifier.ALWAYS and SettingStatus.FAILS in known:
        return ClaimStatus.REFUTED
    return ClaimStatus.DEPENDS if {SettingStatus.HOLDS, SettingStatus.FAILS} <= known else ClaimStatus.INCONCLUSIVE


def _worst(judged: Sequence[JudgedSetting]) -> JudgedSetting | None:
    """Return the setting in which the claim is farthest from holding; None where no value is known."""
    ranked = [item for item in judged if item.margin is not None]
    return min(ranked, key=lambda item: item.margin or 0.0, default=None)

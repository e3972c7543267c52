"""The sentence of a verdict: where a claim holds, where it fails, what is missing (pure functions)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.claims.labels import SettingLabels, separate
from shflbench.analysis.claims.quantities import needs_times, short
from shflbench.analysis.claims.quantity_words import interval_words
from shflbench.analysis.claims.verdict import ClaimStatus, SettingStatus
from shflbench.core.claims.claim import Quantifier
from shflbench.core.words import all_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.claims.resolve import Subject
    from shflbench.analysis.claims.setting import JudgedSetting
    from shflbench.core.claims.claim import Claim

NAMED = 4  # reasons


def explain(
    claim: Claim,
    verdict: ClaimStatus,
    judged: Sequence[JudgedSetting],
    worst: JudgedSetting | None,
    subjects: Sequence[Subject],
) -> str:
    """Return what was found, as a clause without a period."""
    if not judged:
        return _nothing(claim, subjects)
    return "; ".join([*_parts(claim, verdict, judged, worst), *_doubts(claim, judged, subjects)])


def _nothing(claim: Claim, subjects: Sequence[Subject]) -> str:
    suites = ", ".join(dict.fromkeys(subject.source.run.info.suite.name for subject in subjects))
    where = ", ".join(f"{key}={' or '.join(values)}" for key, values in claim.where.items())
    return f"no run{f' of {suites}' if suites else ''} has the cases of the claim{f' ({where})' if where else ''}"


def _parts(
    claim: Claim, verdict: ClaimStatus, judged: Sequence[JudgedSetting], worst: JudgedSetting | None
) -> Iterator[str]:
    labels = SettingLabels(judged)
    holds, fails, undecided = (
        [item for item in judged if item.outcome.outcome is outcome] for outcome in SettingStatus
    )
    if len(judged) == 1 and not undecided:
        (item,) = judged
        yield f"{'holds' if holds else 'fails'} at {labels.full(item)}{_measured(claim, item)}"
        return
    match verdict:
        case ClaimStatus.CONFIRMED if claim.quantifier is Quantifier.SOME and len(holds) < len(judged):
            best = max(holds, key=lambda item: item.margin or 0.0)
            example = f"{labels.full(best)}{_measured(claim, best)}"
            yield f"holds in {len(holds)} of {len(judged)} settings, such as {example}"
        case ClaimStatus.CONFIRMED | ClaimStatus.REFUTED if len(judged) in {len(holds), len(fails)}:
            texts = {interval_words(claim, item.outcome.measured) for item in judged}
            value = f": {texts.pop()}" if len(texts) == 1 and "" not in texts else ""
            yield f"{'holds' if holds else 'fails'} in {all_of(len(judged), 'settings')}{value}"
            if worst and not value and any(item.margin != worst.margin for item in judged):
                yield f"{'least' if holds else 'most'} clearly at {labels.full(worst)}{_measured(claim, worst)}"
        case _:
            yield from _mixed(labels, holds, fails, undecided)
            if worst and verdict is ClaimStatus.REFUTED:
                yield f"fails most clearly at {labels.full(worst)}{_measured(claim, worst)}"


def _mixed(
    labels: SettingLabels,
    holds: Sequence[JudgedSetting],
    fails: Sequence[JudgedSetting],
    undecided: Sequence[JudgedSetting],
) -> Iterator[str]:
    number = len(holds) + len(fails) + len(undecided)
    if holds and fails:
        there, elsewhere = (f" ({where})" if where else "" for where in separate(labels, holds, fails, undecided))
        yield f"holds in {len(holds)} of {number} settings{there} and fails in {len(fails)}{elsewhere}"
    elif decided := holds or fails:
        yield f"{'holds' if holds else 'fails'} in {len(decided)} of {number} settings"
    if number == 1 and undecided:
        yield f"undecided at {labels.full(undecided[0])}: {_reasons(undecided, 1)}"
        return
    missing = [item for item in undecided if item.outcome.is_missing]
    unclear = [item for item in undecided if not item.outcome.is_missing]
    if missing:
        yield f"values are missing in {len(missing)} of {number} settings: {_reasons(missing, NAMED)}"
    if unclear:
        where = f" ({labels.several(unclear)})" if len(unclear) < number else ""
        yield f"undecided in {len(unclear)} of {number} settings{where}: {_example(labels, unclear)}"


def _measured(claim: Claim, item: JudgedSetting) -> str:
    text = interval_words(claim, item.outcome.measured)
    return f": {text}" if text else ""


def _example(labels: SettingLabels, items: Sequence[JudgedSetting]) -> str:
    """Return the most frequent reason why settings are undecided, with one that has it unless all have."""
    reason = _reasons(items, 1)
    alike = [item for item in items if short(item.outcome.reason) == reason]
    return reason if len(alike) == len(items) else f"at {labels.full(alike[0])}, {reason}"


def _reasons(items: Sequence[JudgedSetting], most: int) -> str:
    """Return the most frequent reasons why settings are undecided, up to `most`."""
    reasons = Counter(item.outcome.reason for item in items)
    named = [short(reason) for reason, _ in reasons.most_common(most)]
    more = len(reasons) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more and most > 1 else "")


def _doubts(claim: Claim, judged: Sequence[JudgedSetting], subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield what makes times less certain."""
    if not needs_times(claim):
        return
    used = {item.outcome.run for item in judged}
    for subject in subjects:
        run = subject.source.run
        if str(run.folder) not in used:
            continue
        noise = run.info.noise
        if noise and not noise.quiet:
            yield f"the GPU was not quiet during {run.info.suite.name}: {short(noise.verdict)}"
        if subject.lacks_samples:
            yield f"{run.folder} has no samples: the intervals are those of its rows, widened"


def overall_why(judged: Sequence[JudgedSetting], worst: JudgedSetting | None) -> tuple[str, str]:
    """Return what limits the cases, and where: what all settings agree on, else that of the worst one."""
    reasons = {item.outcome.why for item in judged}
    if len(reasons) == 1 < len(judged):
        return _with_place(reasons.pop(), all_of(len(judged), "settings"))
    known = [item for item in judged if item.outcome.why]
    chosen = worst or (known[0] if len(known) == 1 else None)
    return _with_place(chosen.outcome.why, SettingLabels(judged).full(chosen)) if chosen else ("", "")


def _with_place(why: str, place: str) -> tuple[str, str]:
    return (why, place) if why else ("", "")

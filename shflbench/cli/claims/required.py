"""Whether the claims that a suite requires hold, as an exit code and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.claims.verdict import ClaimStatus, SettingStatus
from shflbench.core.claims.claim import Quantifier
from shflbench.core.model import Interval
from shflbench.core.words import flat
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT
from shflbench.output.export.claims.verdict_words import measured_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.cli.console import Console

NAMED = 3  # cases or claims in a sentence


@dataclass(frozen=True, slots=True)
class RequiredFailure:
    """Required claims that do not hold, or were not tested."""

    code: int
    sentence: str
    advice: str


def failure_of(verdicts: Iterable[ClaimVerdict]) -> RequiredFailure | None:
    """Return the failure of the required claims: the first that fails in a setting or has no cases.

    If there is none, the first that is inconclusive, whose code is 6; None if all are confirmed.
    """
    required = [one for one in verdicts if one.claim.required]
    failing = [one for one in required if _fails(one)]
    if failing:
        return _failure(FINDING_EXIT, failing)
    undecided = [one for one in required if one.verdict is ClaimStatus.INCONCLUSIVE]
    return _failure(UNDECIDED_EXIT, undecided) if undecided else None


def _fails(one: ClaimVerdict) -> bool:
    if one.verdict in {ClaimStatus.REFUTED, ClaimStatus.DEPENDS}:
        return True
    if one.verdict is not ClaimStatus.INCONCLUSIVE:
        return False
    return not one.settings or _misses_cases(one) or _fails_somewhere(one)


def _fails_somewhere(one: ClaimVerdict) -> bool:
    """Whether the claim is refuted or depends, only not known which, because other settings are undecided."""
    has_to_hold_everywhere = one.claim.quantifier is not Quantifier.SOME
    return has_to_hold_everywhere and any(setting.outcome is SettingStatus.FAILS for setting in one.settings)


def _misses_cases(one: ClaimVerdict) -> bool:
    return any(setting.is_missing for setting in one.settings)


def _failure(code: int, verdicts: Sequence[ClaimVerdict]) -> RequiredFailure:
    first, *others = verdicts
    sentence = f"required claim `{flat(first.claim.id)}` {_result(first)}"
    if others:
        named = ", ".join(f"`{flat(one.claim.id)}`" for one in others[:NAMED])
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        sentence += f"; {'failing' if code == FINDING_EXIT else 'inconclusive'}, too: {named}{more}"
    return RequiredFailure(code, sentence, _advice(first))


def _result(one: ClaimVerdict) -> str:
    """Return what was measured, as the rest of a sentence."""
    if one.verdict is ClaimStatus.REFUTED:
        words = "is refuted"
    elif one.verdict is ClaimStatus.DEPENDS or _fails_somewhere(one):
        words = "does not hold in every setting"
    else:
        words = "is inconclusive" if one.settings else "was not tested"
    measured = f" (measured: {measured_values(one)})" if one.measured else ""
    return f"{words}{measured}: {flat(one.sentence)}".rstrip(". ")


def _advice(one: ClaimVerdict) -> str:
    if one.verdict is not ClaimStatus.INCONCLUSIVE or _fails_somewhere(one):
        return "fix the kernel, or correct the claim in the suite"
    if not one.settings:
        return "run the whole suite, or correct `where` of the claim"
    if _misses_cases(one):
        return "fix what the reason names: the claim needs these values"
    if any(isinstance(value := setting.measured, Interval) and value.low < value.high for setting in one.settings):
        return "measure again with more --processes, or correct the claim in the suite"
    return "provide what the reason names, or correct the claim in the suite"


def conclude(verdicts: Iterable[ClaimVerdict], console: Console, *, strict: bool) -> int:
    """Print what is wrong with the required claims, and return the exit code; inconclusive ones fail if `strict`."""
    failure = failure_of(verdicts)
    if failure is None:
        return 0
    if failure.code == UNDECIDED_EXIT and not strict:
        console.warn(f"{failure.sentence}; {failure.advice}")
        return 0
    console.error(failure.sentence, failure.advice)
    return failure.code

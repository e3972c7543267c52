from dataclasses import replace

import pytest

from shflbench.analysis.claims.verdict import ClaimStatus, ClaimVerdict, SettingStatus
from shflbench.cli.claims.required import failure_of
from shflbench.core.claims.claim import Quantifier
from tests.output.export.claims.verdicts import (
    CONFIRMED,
    DEPENDS,
    FAST,
    INCONCLUSIVE,
    MISSING,
    NOISY,
    REFUTED,
    SLOW,
    UNTESTABLE,
    verdict,
)

NO_CASES = verdict(ClaimStatus.INCONCLUSIVE, sentence="no case matches `where`", id="N01")
MISSES = verdict(ClaimStatus.INCONCLUSIVE, FAST, MISSING, sentence="shfl failed", id="N02")


PARTLY = verdict(ClaimStatus.INCONCLUSIVE, SLOW, NOISY, sentence="it fails with f64", id="N03")


def required(one: ClaimVerdict) -> ClaimVerdict:
    return replace(one, claim=replace(one.claim, required=True))


@pytest.mark.parametrize("one", [CONFIRMED, DEPENDS, REFUTED, INCONCLUSIVE, NO_CASES, MISSES, UNTESTABLE])
def test_claim_that_is_not_required_never_fails(one: ClaimVerdict) -> None:
    assert failure_of([one]) is None


@pytest.mark.parametrize(
    ("one", "code"), [(DEPENDS, 1), (REFUTED, 1), (NO_CASES, 1), (MISSES, 1), (PARTLY, 1), (INCONCLUSIVE, 6)], ids=str
)
def test_code_of_a_required_claim_follows_its_verdict(one: ClaimVerdict, code: int) -> None:
    failure = failure_of([required(CONFIRMED), required(one)])
    assert failure is not None
    assert failure.code == code
    assert failure.sentence.startswith(f"required claim `{one.claim.id}` ")
    assert failure.advice


def test_confirmed_claims_pass() -> None:
    assert failure_of([required(CONFIRMED)]) is None


def test_sentence_says_what_was_measured_and_what_to_do() -> None:
    failure = failure_of([required(REFUTED)])
    assert failure is not None
    assert failure.sentence == "required claim `G23` is refuted (measured: 2.9× to 3.1×): it fails in both settings"
    assert failure.advice == "fix the kernel, or correct the claim in the suite"


def test_refuted_claim_comes_before_an_inconclusive_one_and_the_others_are_named() -> None:
    failure = failure_of([required(INCONCLUSIVE), required(DEPENDS), required(REFUTED)])
    assert failure is not None
    assert failure.code == 1
    assert failure.sentence.startswith("required claim `G22` does not hold in every setting")
    assert failure.sentence.endswith("; failing, too: `G23`")


def test_claim_that_fails_somewhere_fails_whatever_the_undecided_settings_are() -> None:
    failure = failure_of([required(PARTLY)])
    assert failure is not None
    assert failure.sentence.startswith("required claim `N03` does not hold in every setting")
    assert failure.advice == "fix the kernel, or correct the claim in the suite"
    in_one = replace(PARTLY, claim=replace(PARTLY.claim, quantifier=Quantifier.SOME))
    undecided = failure_of([required(in_one)])
    assert undecided is not None
    assert undecided.code == 6


def test_claim_without_cases_is_reported_as_not_tested() -> None:
    failure = failure_of([required(NO_CASES)])
    assert failure is not None
    assert failure.sentence == "required claim `N01` was not tested: no case matches `where`"
    assert failure.advice == "run the whole suite, or correct `where` of the claim"


def test_advice_depends_on_why_a_claim_is_inconclusive() -> None:
    unclear = verdict(
        ClaimStatus.INCONCLUSIVE, replace(FAST, outcome=SettingStatus.UNDECIDED), sentence="not clearly above 1"
    )
    unknown = verdict(ClaimStatus.INCONCLUSIVE, NOISY, sentence="the kernels were not checked")
    advice = [failure.advice for one in (unclear, unknown, MISSES) if (failure := failure_of([required(one)]))]
    assert advice == [
        "measure again with more --processes, or correct the claim in the suite",
        "provide what the reason names, or correct the claim in the suite",
        "fix what the reason names: the claim needs these values",
    ]

"""Verdicts on claims about two settings, as the judge returns them."""

from dataclasses import replace
from typing import Any

from shflbench.analysis.claims.verdict import ClaimStatus, ClaimVerdict, SettingOutcome, SettingStatus
from shflbench.core.claims.claim import Claim
from shflbench.core.claims.expression import Call, Constant, Relation
from shflbench.core.model import Interval

HOLDS = Relation(">", Call("speedup", ("shfl", "smem")), Constant(1.0))
G12 = Claim(
    id="G12",
    says="a reduction by shuffles is faster than one through shared memory",
    source="GTC 2013",
    figure="about 3×",
    where={"pattern": ("reduce",)},
    holds=HOLDS,
    text="speedup(shfl, smem) > 1",
)
FAST = SettingOutcome(
    outcome=SettingStatus.HOLDS,
    run="results/demo",
    suite="demo",
    pattern="reduce",
    setting="f32, 2x64, 4096 iterations, width=32",
    case_ids=("reduce/shfl/f32/2x64/4096/width=32", "reduce/smem/f32/2x64/4096/width=32"),
    measured=Interval(3.0, 2.9, 3.1),
)
SLOW = replace(FAST, outcome=SettingStatus.FAILS, setting="f64, 2x64, 4096 iterations, width=32")
MISSING = replace(FAST, outcome=SettingStatus.UNDECIDED, reason="shfl failed", measured=None, is_missing=True)
NOISY = replace(MISSING, reason="the interval contains 1", is_missing=False)

CONFIRMED = ClaimVerdict(
    claim=G12,
    verdict=ClaimStatus.CONFIRMED,
    sentence="it holds in both settings",
    settings=(FAST, FAST),
    measured="2.9× to 3.1×",
    worst=FAST,
    why="shfl: exchange",
)
A11 = Claim(id="A11", says="the shuffle version is hard to read", untestable="nobody can measure how readable code is")
UNTESTABLE = ClaimVerdict(claim=A11, verdict=ClaimStatus.UNTESTABLE, sentence=A11.untestable)


def verdict(word: ClaimStatus, *settings: SettingOutcome, sentence: str, **of_claim: Any) -> ClaimVerdict:
    """Return a verdict on G12, of which some fields may differ."""
    claim = replace(G12, **of_claim)
    measured = "2.9× to 3.1×" if any(one.measured for one in settings) else ""
    return ClaimVerdict(claim=claim, verdict=word, sentence=sentence, settings=settings, measured=measured)


DEPENDS = verdict(ClaimStatus.DEPENDS, FAST, SLOW, sentence="it holds with f32 and fails with f64", id="G22")
REFUTED = verdict(ClaimStatus.REFUTED, SLOW, SLOW, sentence="it fails in both settings", id="G23")
INCONCLUSIVE = verdict(ClaimStatus.INCONCLUSIVE, NOISY, sentence="the interval contains 1", id="N05")

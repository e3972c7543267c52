"""The error rate of verdicts on claims, for a few devices; the page has that of many."""

import re
from pathlib import Path

import pytest

from benchmarks import claims
from benchmarks.claims import MOST_WRONG, Evidence, Tally, main, page, replay, simulate
from benchmarks.claims_devices import Trial, claim
from shflbench.analysis.claims.times import UncertainValue
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.core.model import Interval

RECORDED = sorted(claims.RECORDED.glob("*.npz"))[:1]
PAGE = Path(claims.__file__).with_suffix(".md")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    few = Evidence()
    simulate(few, 4)
    replay(few, RECORDED, 3)
    return few


@pytest.mark.archs
def test_at_most_1_percent_of_the_verdicts_are_wrong(evidence: Evidence) -> None:
    assert len(evidence.kinds) == 4
    for kind in evidence.kinds:
        assert evidence.total(kind).count >= 96
        assert evidence.total(kind).wrong_share <= MOST_WRONG


@pytest.mark.archs
def test_most_claims_that_are_far_from_the_boundary_are_decided(evidence: Evidence) -> None:
    for kind in evidence.kinds:
        far = evidence.total(kind, "50 µs and longer", 0.05)
        assert far.right / far.count > 0.8


def test_verdicts_from_times_without_uncertainty_would_often_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UncertainValue, "interval", lambda self, *_: Interval(self.value, self.value, self.value))
    few = Evidence()
    simulate(few, 4)
    assert all(few.total(kind).wrong_share > 5 * MOST_WRONG for kind in few.kinds)


@pytest.mark.parametrize(
    ("truths", "verdict", "is_wrong"),
    [
        ((True, True), ClaimStatus.CONFIRMED, False),
        ((True, False), ClaimStatus.CONFIRMED, True),
        ((True, False), ClaimStatus.DEPENDS, False),
        ((True, False), ClaimStatus.REFUTED, True),
        ((False, False), ClaimStatus.DEPENDS, True),
        ((False,), ClaimStatus.REFUTED, False),
        ((False,), ClaimStatus.INCONCLUSIVE, False),
    ],
)
def test_a_verdict_is_wrong_if_the_truth_is_another(
    truths: tuple[bool, ...], verdict: ClaimStatus, *, is_wrong: bool
) -> None:
    tally = Tally()
    tally.add(Trial(claim("time(shfl) > 1"), truths, 0.01, 5.0), verdict)
    assert tally.wrong == is_wrong
    assert tally.count == 1


@pytest.mark.archs
def test_the_page_is_that_of_all_devices(evidence: Evidence) -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if re.match(r"\| (simulated|recorded), \d process", line)][:4]
    assert [float(line.split("|")[5].strip(" %")) <= 100 * MOST_WRONG for line in table] == [True] * 4
    few = page(evidence)
    assert re.sub(r"[\d.,%|-]+", "", text).split() == re.sub(r"[\d.,%|-]+", "", few).split()


def test_the_program_writes_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claims, "PAGE", tmp_path / "claims.md")
    monkeypatch.setattr(claims, "RECORDED", tmp_path)
    assert main(["--devices", "1", "--record"]) == 0
    assert (tmp_path / "claims.md").read_text(encoding="utf-8") == capsys.readouterr().out.removesuffix("\n")

"""The verdicts of several devices on the claims of a suite."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.claims.run_verdicts import RunVerdicts
from shflbench.analysis.claims.verdict import ClaimVerdict
from shflbench.cli.console import Console
from shflbench.cli.run.fleet.claims import claims_table, print_claims
from shflbench.session.fleet.conclusion import Conclusion
from tests.output.export.claims.verdicts import CONFIRMED, INCONCLUSIVE, REFUTED, UNTESTABLE

OTHER = replace(CONFIRMED, claim=replace(REFUTED.claim))  # of the claim that is refuted elsewhere


def required(one: ClaimVerdict) -> ClaimVerdict:
    return replace(one, claim=replace(one.claim, required=True))


def on(label: str, *verdicts: ClaimVerdict, **more: object) -> Conclusion:
    return Conclusion(label, {}, {}, RunVerdicts(verdicts, **more))  # type: ignore[arg-type]


def text(*conclusions: Conclusion) -> list[list[str]]:
    """Return the cells of the table."""
    return [list(line.cells[:3]) for line in claims_table(conclusions).body]


def test_claim_has_one_line_where_all_devices_agree_and_one_per_verdict_where_they_differ() -> None:
    same, sound, slow = CONFIRMED.claim.id, OTHER, REFUTED
    few = [on(f"node7:{number}", CONFIRMED, sound, UNTESTABLE) for number in range(2)]
    assert text(*few, on("node7:2", CONFIRMED, slow)) == [
        [same, "confirmed", "all"],
        [slow.claim.id, "confirmed", "node7:0, node7:1"],
        [slow.claim.id, "refuted", "node7:2"],
    ]
    many = [on(f"node7:{number}", sound) for number in range(7)]
    assert text(*many, on("node8:0", slow)) == [
        [slow.claim.id, "confirmed", "7 of 8"],
        [slow.claim.id, "refuted", "node8:0"],
    ]


def test_required_claim_that_fails_on_one_device_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    sound, slow = on("node7:0", required(OTHER)), [on(f"node7:{n}", required(REFUTED)) for n in (1, 2)]
    assert print_claims([sound], Path("out"), Console()) == 0
    assert print_claims([sound, *slow], Path("out"), Console()) == 1
    printed = capsys.readouterr().err
    assert f"error: node7:1: required claim `{REFUTED.claim.id}` is refuted" in printed
    assert "; required claims fail on node7:2, too\n" in printed
    assert "Reasons for these verdicts: shflbench claims out" in printed


def test_required_claim_that_is_inconclusive_warns_and_one_that_cannot_be_judged_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert print_claims([on("node7:0", required(INCONCLUSIVE), left_out=2)], Path("out"), Console()) == 0
    assert "2 claims need cases that this run leaves out." in capsys.readouterr().err
    damaged = on("node7:1", problem="the claims are not judged: damaged", is_required=True)
    assert print_claims([damaged], Path("out"), Console()) == 1
    assert "warning: node7:1: the claims are not judged: damaged" in capsys.readouterr().err

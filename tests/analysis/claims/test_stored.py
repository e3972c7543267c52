from dataclasses import replace

import pytest

from shflbench.analysis.claims.stored import claims_of_run, current_claims
from shflbench.core.claims.claim import Claim
from shflbench.errors import SuiteError
from shflbench.store import SuiteText
from shflbench.suite import find_shipped
from shflbench.suite.revision import claims_of
from tests.fakes.runs import info

TEXT = """\
schema: 1
name: gtc2013
claims:
  - {id: T01, says: shuffles are faster, holds: "speedup(shfl, smem) > 1"}
"""


def claims(name: str, text: str, path: str = "own.yaml") -> list[str]:
    suite = SuiteText(name, "A suite", path, text)
    return [claim.id for claim in claims_of_run(replace(info(), suite=suite))]


def test_the_claims_of_the_stored_suite_are_those_of_the_run() -> None:
    assert claims("gtc2013", TEXT) == ["T01"]


def test_a_suite_from_before_it_had_claims_gets_those_of_the_shipped_one() -> None:
    shipped = claims_of(find_shipped()["gtc2013"].read_text(encoding="utf-8"))
    assert shipped
    assert claims("gtc2013", "schema: 1\nname: gtc2013\n") == [claim.id for claim in shipped]


SHIPPED = find_shipped()["blocks"].read_text(encoding="utf-8")


def current(text: str) -> tuple[Claim, ...]:
    return current_claims(replace(info(), suite=SuiteText("blocks", "A suite", "blocks.yaml", text)))


def test_claims_of_a_shipped_suite_are_judged_as_corrected() -> None:
    old = SHIPPED.replace("holds: speedup(shfl, smem-unsafe) > 1\n", "holds: speedup(shfl, smem-unsafe) > 2\n")
    assert old != SHIPPED
    assert current(old) == claims_of(SHIPPED)


@pytest.mark.parametrize("change", [("- id: B12 ", "- id: mine "), ("- id: B12 ", "- required: true\n    id: B12 ")])
def test_ones_own_claims_stay_in_a_suite_with_the_name_of_a_shipped_one(change: tuple[str, str]) -> None:
    own = SHIPPED.replace(*change)
    assert own != SHIPPED
    assert current(own) == claims_of(own)


def test_no_path_of_the_run_is_opened() -> None:
    assert claims("mine", "schema: 1\nname: mine\n", path=str(find_shipped()["gtc2013"])) == []


def test_a_damaged_section_is_reported() -> None:
    with pytest.raises(SuiteError):
        claims("gtc2013", TEXT.replace("speedup(shfl, smem)", "__import__('os')"))

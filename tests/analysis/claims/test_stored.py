from dataclasses import replace

import pytest

from shflbench.analysis.claims.stored import claims_of_run
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


def test_no_path_of_the_run_is_opened() -> None:
    assert claims("mine", "schema: 1\nname: mine\n", path=str(find_shipped()["gtc2013"])) == []


def test_a_damaged_section_is_reported() -> None:
    with pytest.raises(SuiteError):
        claims("gtc2013", TEXT.replace("speedup(shfl, smem)", "__import__('os')"))

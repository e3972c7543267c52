"""The printed claims of the committed runs: units, directions, and the settings of what limits the cases."""

import json
import operator
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.gate.runs import process

ROOT = Path(__file__).parents[3]
UNIT = re.compile(
    r"(?:yes|no|-?[0-9.,e+]+×?(?: to -?[0-9.,e+]+)?"
    r"(?:×|%| (?:µs|ns|cycles?|GB/s|B|MHz|SMs|threads per SM|hazards?|registers?"
    r"|[A-Z0-9]+ per iteration|of [A-Z0-9, ]+ and [A-Z0-9]+ together per iteration)))"
)
SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@pytest.fixture(scope="module")
def printed() -> list[dict[str, Any]]:
    outcome = process("claims", "results", "--format", "json", cwd=ROOT)
    claims: list[dict[str, Any]] = [claim for gpu in json.loads(outcome.out) for claim in gpu["claims"]]
    return [claim for claim in claims if claim["measured"]]


@pytest.mark.archs
def test_every_measured_value_has_a_unit(printed: list[dict[str, Any]]) -> None:
    assert len(printed) > 90
    assert [claim["id"] for claim in printed if not UNIT.fullmatch(claim["measured"])] == []


@pytest.mark.archs
def test_measured_values_lie_on_the_side_of_the_condition_that_the_verdict_says(printed: list[dict[str, Any]]) -> None:
    judged = 0
    for claim in printed:
        several = re.search(r" (and|or) ", claim["holds"])
        for setting in claim["settings"]:
            decided = setting["outcome"] == "holds" or (setting["outcome"] == "fails" and not several)
            if claim["condition"] and " or " not in claim["holds"] and decided:
                judged += 1
                outside = setting["outcome"] == "fails"
                assert satisfies(setting["measured"]["value"], claim["condition"]) is not outside, claim["id"]
    assert judged > 1000


def satisfies(value: float, condition: str) -> bool:
    sign, bound, *tolerance = condition.split()
    if sign == "==":
        part = float(tolerance[1].removesuffix("%")) / 100 if tolerance else 0.0
        return abs(value - float(bound)) <= part * float(bound)
    return bool(SIGNS[sign](value, float(bound)))


@pytest.mark.archs
def test_a_comparison_of_two_times_is_printed_as_the_ratio_that_it_bounds(printed: list[dict[str, Any]]) -> None:
    by_id = {claim["id"]: claim for claim in printed}
    assert [by_id["G16"][key] for key in ("holds", "quantity", "condition")] == [
        "time(cub) <= 1.05 * time(shfl)",
        "time(cub) / time(shfl)",
        "<= 1.05",
    ]
    assert by_id["G11"]["measured"] == "2 of VOTE and SHFL together per iteration"
    assert by_id["A01"]["measured"] == "3 of STS, BAR and LDS together per iteration"


def test_the_measured_quantity_is_named_where_a_condition_tests_several(printed: list[dict[str, Any]]) -> None:
    named = {claim["id"]: claim["quantity"] for claim in printed}
    assert named["G05"] == "hazards(smem-unsafe)"
    assert named["G19"] == "speedup(shfl, smem-padded)"
    assert named["G01"] is None


def test_a_setting_is_called_the_least_clear_one_only_if_another_is_clearer(printed: list[dict[str, Any]]) -> None:
    by_id = {claim["id"]: claim["sentence"] for claim in printed}
    assert by_id["G05"] == "holds in all 48 settings"
    assert "least clearly at" in by_id["G01"]


def test_what_limits_the_cases_names_its_setting(printed: list[dict[str, Any]]) -> None:
    assert [claim["id"] for claim in printed if bool(claim["why"]) is not bool(claim["why_setting"])] == []

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison, Metric, Outcome
from shflbench.core.model import Interval
from shflbench.output.export.json_ import render
from shflbench.schemas.compare import SCHEMA
from tests.fakes.comparisons import THRESHOLD, across, quiet, rich, timed


def parsed(comparison: Comparison) -> Any:
    return json.loads(render(comparison), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_every_field_of_every_verdict_is_there() -> None:
    names = {field.name for field in fields(ChangeVerdict)}
    assert all(set(verdict) == names for verdict in parsed(rich())["verdicts"])


def test_every_field_of_the_comparison_is_there() -> None:
    assert {field.name for field in fields(Comparison)} <= set(parsed(rich()))


def test_numbers_are_not_rounded() -> None:
    verdict = timed("neighbor/shfl/f32/26x1024/4096", 70.0, 1 / 3)
    (read,) = parsed(replace(quiet(), verdicts=(verdict,)))["verdicts"]
    assert read["ratio"]["value"] == 1 + 1 / 3
    assert read["base"] == 70.0
    assert read["threshold"] == THRESHOLD


def test_verdicts_stand_in_the_order_of_the_suite() -> None:
    assert [each["case_id"] for each in parsed(rich())["verdicts"]] == [each.case_id for each in rich().verdicts]


@pytest.mark.parametrize(
    ("comparison", "codes"),
    [
        (rich(), (1, 1)),
        (quiet(), (0, 0)),
        (replace(rich(), allowed=frozenset({Outcome.SLOWER, Outcome.MISSING, Outcome.FAILED})), (0, 6)),
        (across(), (0, 0)),
    ],
)
def test_both_exit_codes_are_there(comparison: Comparison, codes: tuple[int, int]) -> None:
    record = parsed(comparison)
    assert (record["exit_code"], record["exit_code_strict"]) == codes


def test_nan_and_infinities_are_null() -> None:
    endless = Interval(float("nan"), float("-inf"), float("inf"))
    verdict = replace(timed("neighbor/shfl/f32/26x1024/4096", 70.0, 0.0), ratio=endless)
    (read,) = parsed(replace(quiet(), verdicts=(verdict,)))["verdicts"]
    assert read["ratio"] == {"value": None, "low": None, "high": None}


def test_schema_and_unit_are_there() -> None:
    record = parsed(replace(quiet(), metric=Metric.NS_PER_ITERATION))
    assert (record["schema"], record["metric"], record["unit"]) == (SCHEMA, "ns_per_iteration", "ns")

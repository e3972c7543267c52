from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.fakes.runs import measured, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.model import Case
    from tests.conftest import Command


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> None:
    """Two runs, `base` and `new`, where one case takes a fifth longer, and `wide`, whose intervals are."""

    def slowdown(case: Case) -> float:
        return 1.2 if case.variant == "shfl" else 1.0

    write_run(tmp_path / "base", *measured(patterns=["neighbor"], dtypes=["f32"], noise=1e-9))
    write_run(tmp_path / "new", *measured(patterns=["neighbor"], dtypes=["f32"], noise=1e-9, slowdown=slowdown))
    write_run(tmp_path / "wide", *measured(patterns=["neighbor"], dtypes=["f32"], noise=0.2))


def test_slower_case_is_a_finding(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new")
    assert (outcome.code, outcome.err) == (1, "")
    assert (
        outcome.out
        == """\
verdict  case                            why
slower   neighbor/shfl/f32/26x1024/4096  70.02 µs, now 84 µs: +20.0 % (+20.0 to +20.0 %)

6 cases, threshold 5 %: 1 slower, 5 same
"""
    )


def test_change_below_the_threshold_is_none(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--threshold", "25%")
    assert (outcome.code, outcome.err, outcome.out) == (0, "", "6 cases, threshold 25 %: 6 same\n")


def test_undecided_cases_count_only_where_certainty_is_asked_for(shflbench: Command) -> None:
    assert shflbench("compare", "wide", "wide").code == 0
    outcome = shflbench("compare", "wide", "wide", "--strict")
    assert outcome.code == 6
    assert outcome.out.endswith("6 cases, threshold 5 %: 6 inconclusive\n")


def test_json_holds_every_verdict(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--format", "json")
    record = json.loads(outcome.out)
    assert outcome.code == 1
    assert record["counts"] == {"slower": 1, "same": 5}
    (slower,) = [verdict for verdict in record["verdicts"] if verdict["outcome"] == "slower"]
    assert slower["case_id"] == "neighbor/shfl/f32/26x1024/4096"
    assert slower["ratio"]["value"] == pytest.approx(1.2, abs=0.001)


def test_threshold_without_a_percent_sign_is_refused(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--threshold", "5")
    assert outcome.code == 2
    assert outcome.err.splitlines()[0] == (
        "error: Invalid value for '--threshold': `5` is no percentage; write it like 5% or 0.5%"
    )

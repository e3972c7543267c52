"""The record of the tuner beside all members: the page says what it has, and the choices are near the fastest."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from benchmarks import tuner
from shflbench.tuner.rules import PREDICTED_WITHIN

RECORDS = json.loads(tuner.RECORD.read_text(encoding="utf-8"))
SETTINGS = [
    pytest.param(setting, id=f"{record['pattern']} {setting['launch']}")
    for record in RECORDS
    for setting in record.get("settings", ())
]


def test_the_page_is_that_of_the_record() -> None:
    assert tuner.page(RECORDS) == tuner.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_choice_is_within_one_percent_of_the_fastest_of_all(setting: Mapping[str, Any]) -> None:
    assert all(time_us <= 1.01 * setting["fastest_us"] for time_us in setting["chosen_us"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_choices_of_two_seeds_are_within_one_percent_of_each_other(setting: Mapping[str, Any]) -> None:
    assert max(setting["chosen_us"]) <= 1.01 * min(setting["chosen_us"])


@pytest.mark.parametrize("record", [pytest.param(one, id=one["pattern"]) for one in RECORDS])
def test_tuning_takes_at_most_a_tenth_of_the_gpu_time_of_all(record: Mapping[str, Any]) -> None:
    assert tuner.share(record) <= 0.1


def test_each_pattern_of_the_benchmark_is_recorded_in_full() -> None:
    assert sorted(record["pattern"] for record in RECORDS if "cut" not in record) == sorted(tuner.PATTERNS)


def test_a_call_with_other_patterns_keeps_the_steps_of_earlier_ones(tmp_path: Path) -> None:
    tuner.measure(tmp_path, 0, ["scan"])
    steps = tuner.measure(tmp_path, 0, ["reduce"])
    kept = json.loads((tmp_path / tuner.STEPS).read_text("utf-8"))
    assert [step["pattern"] for step in kept] == ["scan"] * 3 + ["reduce"] * 3
    assert {step.pattern for step in steps} == {"reduce"}


def test_nine_in_ten_kernels_take_about_the_predicted_cycles() -> None:
    ratios = sorted(
        ratio for record in RECORDS for one in record.get("settings", ()) for ratio in one["predicted_ratios"]
    )
    low, high = ratios[len(ratios) // 20], ratios[-(len(ratios) // 20)]
    assert 1 / PREDICTED_WITHIN < low < 1 < high < PREDICTED_WITHIN


def test_what_the_limit_does_not_allow_is_not_started_and_recorded_as_cut(tmp_path: Path) -> None:
    steps = tuner.measure(tmp_path, 0, ["scan"])
    assert {(step.name, step.ended) for step in steps} == {(name, "not started") for name in tuner.NAMES}
    records = tuner.merged(RECORDS, [tmp_path])
    assert [record for record in records if "cut" not in record] == RECORDS
    added = next(record for record in records if "cut" in record)
    assert added == {"pattern": "scan", "cut": dict.fromkeys(tuner.NAMES, "not started")}
    text = tuner.page(records)
    assert "Cut, without figures: `tuned-0` not started, `tuned-1` not started, `all` not started." in text


def test_a_step_that_the_limit_stops_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuner, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    began = monotonic()
    steps = tuner.measure(tmp_path, tuner.STOP_SECONDS + 0.5, ["scan", "reduce"])
    assert monotonic() - began < 20
    assert [step.ended for step in steps] == ["cut", *["not started"] * 5]
    kept = json.loads((tmp_path / tuner.STEPS).read_text("utf-8"))
    assert [step["ended"] for step in kept] == [step.ended for step in steps]


def test_a_step_that_fails_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuner, "COMMAND", (sys.executable, "-c", "raise SystemExit(4)"))
    steps = tuner.measure(tmp_path, tuner.STOP_SECONDS + 60, ["scan"])
    assert [step.ended for step in steps] == ["failed with exit code 4"] * 2 + ["not started"]
    assert "cut" in tuner.recorded(tmp_path, "scan")


def test_what_was_cut_replaces_no_figures_and_is_replaced_by_figures(tmp_path: Path) -> None:
    tuner.measure(tmp_path, 0, ["reduce"])
    with_cut = tuner.merged(RECORDS, [tmp_path])
    assert [(record["pattern"], "cut" in record) for record in with_cut][:2] == [("reduce", False), ("reduce", True)]
    assert tuner.merged(with_cut, [tmp_path]) == with_cut

"""The record of the tuner beside all members: the page says what it has, and the choices are near the fastest."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks import tuner
from shflbench.tuner.rules import PREDICTED_WITHIN

RECORDS = json.loads(tuner.RECORD.read_text(encoding="utf-8"))
SETTINGS = [
    pytest.param(setting, id=f"{record['pattern']} {setting['launch']}")
    for record in RECORDS
    for setting in record["settings"]
]


def test_the_page_is_that_of_the_record() -> None:
    assert tuner.page(RECORDS) == tuner.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_choice_is_within_one_percent_of_the_fastest_of_all(setting: Mapping[str, Any]) -> None:
    assert all(time_us <= 1.01 * setting["fastest_us"] for time_us in setting["chosen_us"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_choices_of_two_seeds_are_within_one_percent_of_each_other(setting: Mapping[str, Any]) -> None:
    assert max(setting["chosen_us"]) <= 1.01 * min(setting["chosen_us"])


def test_nine_in_ten_kernels_take_about_the_predicted_cycles() -> None:
    ratios = sorted(ratio for record in RECORDS for one in record["settings"] for ratio in one["predicted_ratios"])
    low, high = ratios[len(ratios) // 20], ratios[-(len(ratios) // 20)]
    assert 1 / PREDICTED_WITHIN < low < 1 < high < PREDICTED_WITHIN

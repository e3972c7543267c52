from __future__ import annotations

from dataclasses import fields

import pytest

from shflbench.model import MeasureRules
from shflbench.suite.schema import Measure
from tests.suite.conftest import Folder

RING = "experiments: [{pattern: ./ring, launch: 1x32}]\n"


def test_every_rule_can_be_written_and_has_the_default_of_the_model(folder: Folder) -> None:
    assert list(Measure.model_fields) == [field.name for field in fields(MeasureRules)]
    assert folder.load(f"schema: 1\nname: a\n{RING}").rules == MeasureRules()


def test_rules_are_handed_on_as_they_are_written(folder: Folder) -> None:
    written = (
        "{precision: 1%, min_seconds: 3, max_seconds: 0.5, min_samples: 6, max_samples: 6, processes: 100, timeout: 9}"
    )
    rules = folder.load(f"schema: 1\nname: a\nmeasure: {written}\n{RING}").rules
    assert rules == MeasureRules(0.01, 3, 0.5, 6, 6, 100, 9)  # rounds are spread over more than a case's own seconds


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("{max_samples: 5}", "3:24: found `5`; allowed: at least `min_samples`, which is {min_samples}"),
        ("{min_samples: 9, max_samples: 8}", "3:40: found `8`; allowed: at least `min_samples`, which is 9"),
        ("{min_samples: 900000}", "3:24: found `900000`; allowed: at most `max_samples`, which is {max_samples}"),
    ],
)
def test_more_samples_at_least_than_at_most_are_refused_where_they_are_written(
    folder: Folder, measure: str, message: str
) -> None:
    rules = MeasureRules()
    expected = message.format(min_samples=rules.min_samples, max_samples=rules.max_samples)
    assert folder.refusal_of(f"measure: {measure}\n{RING}") == f"demo.yaml:{expected}"

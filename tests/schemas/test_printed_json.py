"""The fixture `shflbench` finds JSON that a schema does not describe."""

import json
from typing import Any

import pytest

from shflbench.core.arch.published import published_prices
from shflbench.schemas.calibrate import SCHEMA as CALIBRATION
from shflbench.schemas.noise import SCHEMA as NOISE
from shflbench.store import calibration_file, noise_file
from shflbench.store.calibration_file import SHIPPED
from tests.conftest import Command
from tests.printed_json import check_printed, problems


def price() -> dict[str, Any]:
    (published, *_) = published_prices()
    known = {"gpu": published.gpu, "low": published.low, "high": published.high, "source": "s", "about": "a"}
    return {"name": published.name, "text": "text", "unit": "clocks", "values": {"gpu": None}, "published": [known]}


def document(**changes: object) -> dict[str, Any]:
    return {"schema": 1, "gpus": [], "prices": [price() | changes]}


def test_what_the_schema_describes_is_accepted() -> None:
    check_printed(("prices", "--format", "json"), json.dumps(document()))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"color": "red"}, "'color' was unexpected"),
        ({"unit": None}, "None is not of type 'string'"),
        ({"values": {"gpu": {}}}, "'value' is a required property"),
    ],
)
def test_what_it_does_not_describe_is_a_failure(changes: dict[str, Any], problem: str) -> None:
    assert any(problem in line for line in problems("prices", document(**changes)))
    with pytest.raises(AssertionError):
        check_printed(("-q", "prices", "--format=json"), json.dumps(document(**changes)))


def test_another_number_is_a_failure() -> None:
    assert problems("prices", document() | {"schema": 2})


def test_every_command_of_a_test_is_checked(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cli.list.command.LISTINGS", {"suites": lambda _: [{"name": "quick"}]})
    with pytest.raises(AssertionError, match="is a required property"):
        shflbench("list", "suites", "--format", "json")


def test_the_calibrations_that_come_with_shflbench_have_the_schema_of_the_command() -> None:
    files = [*SHIPPED.glob("*.json")]
    assert files
    assert [problem for file in files for problem in problems("calibrate", json.loads(file.read_text()))] == []


def test_stored_files_have_the_number_of_what_the_command_prints() -> None:
    assert (calibration_file.SCHEMA, noise_file.SCHEMA) == (CALIBRATION, NOISE)

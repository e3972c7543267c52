"""Options with values that no run can use: nothing starts."""

import pytest

from tests.faults.conftest import Make


@pytest.mark.parametrize(
    ("option", "value"), [("--seed", "-1"), ("--processes", "0"), ("--max-seconds", "0"), ("--precision", "0%")]
)
def test_run_with_an_invalid_value_ends_before_it_starts(make: Make, option: str, value: str) -> None:
    made = make()
    outcome = made.run("suite.yaml", "--output", "out", option, value)
    assert (outcome.code, outcome.out) == (2, "")
    assert option in outcome.err.splitlines()[0]
    assert not (made.folder / "out").exists()
    assert made.happened() == ""

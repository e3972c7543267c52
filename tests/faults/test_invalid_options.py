"""Options with values that no run can use: nothing starts."""

import pytest

from tests.faults.conftest import Machine, Make, Start


@pytest.mark.parametrize(
    ("start", "option", "value"),
    [
        (Machine.run, "--seed", "-1"),
        (Machine.call, "--processes", "0"),
        (Machine.call, "--max-seconds", "0"),
        (Machine.call, "--precision", "0%"),
    ],
)
def test_run_with_an_invalid_value_ends_before_it_starts(make: Make, start: Start, option: str, value: str) -> None:
    made = make()
    outcome = start(made, "suite.yaml", "--output", "out", option, value)
    assert (outcome.code, outcome.out) == (2, "")
    assert option in outcome.err.splitlines()[0]
    assert not (made.folder / "out").exists()
    assert made.happened() == ""

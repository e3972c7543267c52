"""Commands that read the runs of a fleet say once which of them are missing."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.fakes.fleets import write_fleet


@pytest.mark.parametrize(
    "words", [("show",), ("claims",), ("compare", "--allow=missing"), ("baseline", "save", "main")]
)
def test_a_run_that_is_listed_and_was_deleted_is_reported_once(
    shflbench: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    fleet = write_fleet(tmp_path / "fleet", 2)
    base = [shutil.copytree(fleet, tmp_path / "base")] if words[0] == "compare" else []
    shutil.rmtree(fleet / "node-1-1")
    outcome = shflbench(*words, *base, fleet)
    assert outcome.err.count(f"warning: 1 of 2 runs that {fleet / 'fleet.json'} lists are missing: node-1-1\n") == 1


def test_fleet_reports_it_as_a_finding_and_not_as_a_warning(shflbench: Command, tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path / "fleet", 2)
    shutil.rmtree(fleet / "node-1-1")
    outcome = shflbench("fleet", fleet)
    assert "node-1-1 has no run" in outcome.out
    assert not outcome.err

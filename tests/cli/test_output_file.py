"""Files that `--output` and other options name."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.fakes.fleets import write_fleet
from tests.fakes.processes import Simulated

FILES = ("fleet.json", *(f"node-1-0/{name}" for name in ("run.json", "results.csv", "samples.csv.gz")))


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return write_fleet(tmp_path / "fleet", 1)


@pytest.mark.parametrize("name", [*FILES, "node-1-0/kernels.zip", "node-1-0/limits.csv"])
def test_an_output_does_not_replace_a_file_of_a_run(shflbench: Command, fleet: Path, name: str) -> None:
    path = fleet / name
    before = path.read_bytes() if path.exists() else None
    outcome = shflbench("fleet", fleet, "--format", "json", "-o", path)
    assert outcome.code == 2
    assert outcome.err == (
        f"error: {path} is not written: it belongs to the run in {path.parent}\nName another file with --output\n"
    )
    assert (path.read_bytes() if path.exists() else None) == before


def test_nor_does_it_through_a_link_or_by_another_option(shflbench: Command, fleet: Path, tmp_path: Path) -> None:
    rows = fleet / "node-1-0" / "results.csv"
    before = rows.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(rows)
    assert shflbench("show", fleet, "-o", link).code == 2
    base = write_fleet(tmp_path / "base", 1, {0: Simulated(factor=1.001)})
    outcome = shflbench("compare", base, fleet, "--also", f"json={rows}")
    assert outcome.code == 2
    assert "Name another file with --also" in outcome.err
    assert rows.read_bytes() == before


def test_files_of_these_names_elsewhere_and_others_in_a_run_are_written(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    for path in (tmp_path / "results.csv", tmp_path / "fleet.json", fleet / "node-1-0" / "check.json"):
        for _ in range(2):
            assert shflbench("show", fleet, "-o", path).code == 0
        assert "neighbor" in path.read_text(encoding="utf-8")

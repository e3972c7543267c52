"""Limits and claims of the members of a fleet, computed by one process or by several."""

from pathlib import Path

import pytest

from shflbench.cli.run.fleet.conclusion import MOST_IN_ONE_PROCESS, conclude_all
from shflbench.store.fleet_file import FleetFolder, FleetMember, read_fleet
from shflbench.store.limits_file import read_limits
from tests.fakes.fleets import write_fleet


@pytest.mark.archs
def test_several_processes_conclude_what_one_does(tmp_path: Path) -> None:
    root = write_fleet(tmp_path, 2)
    folder = FleetFolder(root, read_fleet(root))
    folder.put(FleetMember("node-1-7", "GPU-7", "NVIDIA H200", "node-1", 7))  # whose run was never started
    alone = list(conclude_all(folder, {}, MOST_IN_ONE_PROCESS))
    limits = [read_limits(root / name) for name in ("node-1-0", "node-1-1")]
    for name in ("node-1-0", "node-1-1"):
        (root / name / "limits.csv").unlink()
    assert list(conclude_all(folder, {}, MOST_IN_ONE_PROCESS + 1)) == alone
    assert [read_limits(root / name) for name in ("node-1-0", "node-1-1")] == limits
    assert [one.label for one in alone] == ["node-1:0", "node-1:1"]
    assert [(count.cases, count.bad) for one in alone for count in one.counts.values()] == [(6, 0)] * 2
    assert all(one.problems == {} and one.judged.verdicts for one in alone)
    assert all(limits)


def test_damaged_run_is_a_problem_of_its_member(tmp_path: Path) -> None:
    root = write_fleet(tmp_path, 2)
    (root / "node-1-1" / "results.csv").write_text("nonsense", encoding="utf-8")
    sound, damaged = conclude_all(FleetFolder(root, read_fleet(root)), {}, 12)
    assert sound.problems == {}
    assert "results.csv" in damaged.problems["node-1-1"]
    assert damaged.counts == {}
    assert damaged.judged.verdicts == ()

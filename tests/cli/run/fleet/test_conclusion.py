"""Limits and claims of the members of a fleet, computed by one process or by several."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.cli.run.fleet.conclusion import MOST_IN_ONE_PROCESS, conclude_all, read_codes
from shflbench.compile.toolchain import find
from shflbench.session import stored_code
from shflbench.store.files import KERNELS_FILE
from shflbench.store.fleet_file import FleetFolder, FleetMember, read_fleet
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.limits_file import LIMITS_FILE, read_limits
from tests.fakes.fleets import write_fleet

QUICK = Path(__file__).parents[4] / "results" / "quick" / "nvidia-h200"


@pytest.mark.archs
def test_several_processes_conclude_what_one_does(tmp_path: Path) -> None:
    root = write_fleet(tmp_path, 2)
    folder = FleetFolder(root, read_fleet(root))
    folder.put(FleetMember("node-1-7", "GPU-7", "NVIDIA H200", "node-1", 7))  # whose run was never started
    alone = list(conclude_all(folder, {}, {}, MOST_IN_ONE_PROCESS))
    limits = [read_limits(root / name) for name in ("node-1-0", "node-1-1")]
    for name in ("node-1-0", "node-1-1"):
        (root / name / "limits.csv").unlink()
    known = read_codes([KernelArchive.read(QUICK / KERNELS_FILE)])
    assert list(conclude_all(folder, {}, known, MOST_IN_ONE_PROCESS + 1)) == alone
    assert [read_limits(root / name) for name in ("node-1-0", "node-1-1")] == limits
    assert [one.label for one in alone] == ["node-1:0", "node-1:1"]
    assert [(count.cases, count.bad) for one in alone for count in one.counts.values()] == [(6, 0)] * 2
    assert all(one.problems == {} and one.judged.verdicts for one in alone)
    assert all(limits)


@pytest.fixture
def members_of_quick(tmp_path: Path) -> FleetFolder:
    """Return a fleet whose two members have the recorded run of `quick`, without its limits."""
    folder = FleetFolder(tmp_path, read_fleet(write_fleet(tmp_path, 2)))
    for name in folder.members:
        shutil.rmtree(tmp_path / name)
        shutil.copytree(QUICK, tmp_path / name)
        (tmp_path / name / LIMITS_FILE).unlink()
    return folder


def test_known_kernels_are_not_disassembled_again(
    members_of_quick: FleetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = read_codes([KernelArchive.read(QUICK / KERNELS_FILE)])
    monkeypatch.setattr(stored_code, "disassemble", lambda *_: pytest.fail("it disassembles"))
    assert [one.problems for one in conclude_all(members_of_quick, {}, known, 1)] == [{}, {}]
    limits = [read_limits(members_of_quick.path / name) for name in members_of_quick.members]
    assert limits[0] == limits[1]
    assert sum(limit.limit_us is not None for limit in limits[0].values()) > 40


def test_disassembler_that_does_not_run_is_a_problem_of_each_member(
    members_of_quick: FleetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(find(), nvdisasm=Path("/missing/nvdisasm"))
    monkeypatch.setattr(stored_code, "find", lambda: broken)
    known = read_codes([KernelArchive.read(QUICK / KERNELS_FILE)])
    assert known == {}
    problems = [problem for one in conclude_all(members_of_quick, {}, known, 1) for problem in one.problems.values()]
    assert len(problems) == 2
    assert all("/missing/nvdisasm does not run" in problem for problem in problems)


def test_damaged_run_is_a_problem_of_its_member(tmp_path: Path) -> None:
    root = write_fleet(tmp_path, 2)
    (root / "node-1-1" / "results.csv").write_text("nonsense", encoding="utf-8")
    sound, damaged = conclude_all(FleetFolder(root, read_fleet(root)), {}, {}, 12)
    assert sound.problems == {}
    assert "results.csv" in damaged.problems["node-1-1"]
    assert damaged.counts == {}
    assert damaged.judged.verdicts == ()

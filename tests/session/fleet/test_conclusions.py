"""Limits and claims of the members of a fleet: when each run ends, or at the end by one process or by several."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from shflbench.cuda.compile import sass
from shflbench.cuda.compile.toolchain import find
from shflbench.kernel_facts import stored_code
from shflbench.session.fleet import conclusions
from shflbench.session.fleet.conclusion import Conclusion
from shflbench.session.fleet.conclusions import Conclusions
from shflbench.store.fleet_file import FleetFolder, FleetMember, read_fleet
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.limits_file import LIMITS_FILE, read_limits
from shflbench.store.run_files import KERNELS_FILE
from tests.fakes.fleets import write_fleet

QUICK = Path(__file__).parents[3] / "results" / "quick" / "nvidia-h200"
CASES = 6  # of each member


def conclude(folder: FleetFolder, *, reads: bool = False, ended: Sequence[str] = ()) -> list[Conclusion]:
    """Return the conclusions on all members; the runs in the folders `ended` end one after another before the rest."""
    with closing(Conclusions(folder, {})) as made:
        if reads:
            made.prepare([KernelArchive.read(QUICK / KERNELS_FILE)])
        for name in ended:
            made.start(folder.members[name], 2 * CASES)
        return list(made.all(dict.fromkeys(folder.members, CASES)))


@pytest.fixture
def two(tmp_path: Path) -> FleetFolder:
    """Return a fleet with two members that have runs, and a third whose run was never started."""
    root = write_fleet(tmp_path, 2)
    folder = FleetFolder(root, read_fleet(root))
    folder.put(FleetMember("node-1-7", "GPU-7", "NVIDIA H200", "node-1", 7))
    return folder


def check(folder: FleetFolder, made: Sequence[Conclusion]) -> None:
    assert [one.label for one in made] == ["node-1:0", "node-1:1"]
    assert [(count.cases, count.bad) for one in made for count in one.counts.values()] == [(CASES, 0)] * 2
    assert all(one.problems == {} and one.judged.verdicts for one in made)
    assert all(read_limits(folder.path / name) for name in ("node-1-0", "node-1-1"))


def test_runs_that_ended_early_are_concluded_before_the_rest(two: FleetFolder) -> None:
    with closing(Conclusions(two, {})) as made:
        made.start(two.members["node-1-1"], 2 * CASES)
        made.close()  # waits for it
        assert not (two.path / "node-1-0" / LIMITS_FILE).exists()
        assert (two.path / "node-1-1" / LIMITS_FILE).exists()
    check(two, conclude(two, ended=["node-1-1"]))


@pytest.mark.archs
def test_several_processes_conclude_what_one_does(two: FleetFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = conclude(two)
    check(two, alone)
    limits = [read_limits(two.path / name) for name in ("node-1-0", "node-1-1")]
    for name in ("node-1-0", "node-1-1"):
        (two.path / name / LIMITS_FILE).unlink()
    monkeypatch.setattr(conclusions, "MOST_IN_ONE_PROCESS", 2 * CASES - 1)
    assert conclude(two, reads=True, ended=["node-1-1"]) == alone
    assert [read_limits(two.path / name) for name in ("node-1-0", "node-1-1")] == limits


@pytest.fixture
def members_of_quick(tmp_path: Path) -> FleetFolder:
    """Return a fleet whose two members have the recorded run of `quick`, without its limits."""
    folder = FleetFolder(tmp_path, read_fleet(write_fleet(tmp_path, 2)))
    for name in folder.members:
        shutil.rmtree(tmp_path / name)
        shutil.copytree(QUICK, tmp_path / name)
        (tmp_path / name / LIMITS_FILE).unlink()
    return folder


@pytest.mark.archs
def test_kernels_are_disassembled_once(members_of_quick: FleetFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    disassemble = Mock(side_effect=sass.disassemble)
    monkeypatch.setattr("shflbench.kernel_facts.stored_code.disassemble", disassemble)
    made = conclude(members_of_quick, reads=True, ended=list(members_of_quick.members))
    assert [one.problems for one in made] == [{}, {}]
    disassemble.assert_called_once()
    limits = [read_limits(members_of_quick.path / name) for name in members_of_quick.members]
    assert limits[0] == limits[1]
    assert sum(limit.limit_us is not None for limit in limits[0].values()) > 40


def test_disassembler_that_does_not_run_is_a_problem_of_each_member(
    members_of_quick: FleetFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(find(), nvdisasm=Path("/missing/nvdisasm"))
    monkeypatch.setattr(stored_code, "find", lambda: broken)
    problems = [problem for one in conclude(members_of_quick, reads=True) for problem in one.problems.values()]
    assert len(problems) == 2
    assert all("/missing/nvdisasm does not run" in problem for problem in problems)


def test_damaged_run_is_a_problem_of_its_member(two: FleetFolder) -> None:
    (two.path / "node-1-1" / "results.csv").write_text("nonsense", encoding="utf-8")
    sound, damaged = conclude(two)
    assert sound.problems == {}
    assert "results.csv" in damaged.problems["node-1-1"]
    assert damaged.counts == {}
    assert damaged.judged.verdicts == ()

"""Limits and claims of the members of a fleet, computed by one process or by several."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from shflbench.cli.run.fleet.conclusion import MOST_IN_ONE_PROCESS, Conclusions
from shflbench.store.fleet_file import FleetFolder, FleetMember, read_fleet
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.limits_file import LIMITS_FILE, read_limits
from tests.fakes.fleets import write_fleet

MANY = MOST_IN_ONE_PROCESS + 1
MEMBERS = ("node-1-0", "node-1-1")
KERNELS = Path(__file__).parents[4] / "results" / "quick" / "nvidia-h200" / "kernels.zip"


@contextmanager
def concluding(folder: FleetFolder, pattern_folders: Any = None) -> Iterator[Conclusions]:
    before = set(active_children())
    conclusions = Conclusions(folder, pattern_folders or {})
    try:
        yield conclusions
    finally:
        conclusions.close()
    assert set(active_children()) <= before


def fleet(root: Path, *, sharded: bool = False) -> FleetFolder:
    write_fleet(root, 2)
    return FleetFolder(root, replace(read_fleet(root), sharded=sharded))


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 300  # the process has the lowest priority
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.archs
def test_several_processes_conclude_what_one_does(tmp_path: Path) -> None:
    folder = fleet(tmp_path)
    folder.put(FleetMember("node-1-7", "GPU-7", "NVIDIA H200", "node-1", 7))  # whose run was never started
    with concluding(folder) as conclusions:
        alone = list(conclusions.results(MOST_IN_ONE_PROCESS))
    limits = [read_limits(tmp_path / name) for name in MEMBERS]
    for name in MEMBERS:
        (tmp_path / name / LIMITS_FILE).unlink()
    with concluding(folder) as conclusions:
        conclusions.prepare([KernelArchive.read(KERNELS)], MANY)
        conclusions.begin(MEMBERS[1])
        wait_for(tmp_path / MEMBERS[1] / LIMITS_FILE)
        assert not (tmp_path / MEMBERS[0] / LIMITS_FILE).exists()
        conclusions.measuring_ended()
        assert list(conclusions.results(MANY)) == alone
    assert [read_limits(tmp_path / name) for name in MEMBERS] == limits
    assert [one.label for one in alone] == ["node-1:0", "node-1:1"]
    assert [(count.cases, count.bad) for one in alone for count in one.counts.values()] == [(6, 0)] * 2
    assert all(one.problems == {} and one.judged.verdicts for one in alone)
    assert all(limits)


def test_shards_of_a_model_are_concluded_together_at_the_end(tmp_path: Path) -> None:
    with concluding(fleet(tmp_path, sharded=True)) as conclusions:
        conclusions.prepare([], MANY)
        conclusions.begin(MEMBERS[0])  # whose groups others may have measured in part
        (model,) = conclusions.results(MANY)
    assert model.label == "NVIDIA H200"
    assert tuple(model.counts) == MEMBERS


def test_damaged_run_is_a_problem_of_its_member(tmp_path: Path) -> None:
    folder = fleet(tmp_path)
    (tmp_path / "node-1-1" / "results.csv").write_text("nonsense", encoding="utf-8")
    with concluding(folder) as conclusions:
        sound, damaged = conclusions.results(12)
    assert sound.problems == {}
    assert "results.csv" in damaged.problems["node-1-1"]
    assert damaged.counts == {}
    assert damaged.judged.verdicts == ()


@dataclass
class CrashesProcess:
    """Ends the process that unpickles it, as often as a file says."""

    file: Path

    def __reduce__(self) -> tuple[Any, ...]:
        return crash, (self.file,)


def crash(file: Path) -> dict[str, Path]:
    if file.exists() and (times := int(file.read_text(encoding="utf-8"))):
        file.write_text(f"{times - 1}", encoding="utf-8")
        os._exit(1)
    return {}


@pytest.mark.parametrize("times", [1, 2])
def test_run_is_concluded_again_if_its_process_crashes_and_after_two_crashes_it_has_a_problem(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    folder, crashes = fleet(tmp_path / "out"), tmp_path / "crashes"
    with concluding(folder, CrashesProcess(crashes)) as conclusions:
        conclusions.prepare([], MANY)
        conclusions.begin(MEMBERS[1])
        wait_for(folder.path / MEMBERS[1] / LIMITS_FILE)
        crashes.write_text(f"{times}", encoding="utf-8")
        conclusions.begin(MEMBERS[0])
        first, second = conclusions.results(MANY)
    assert crashes.read_text(encoding="utf-8") == "0"
    assert second.problems == {}
    if times == 1:
        assert first.problems == {}
        assert first.judged.verdicts
    else:
        (sentence,) = first.problems.values()
        assert sentence.endswith(f"crashed; compute them again: shflbench limits {folder.path / MEMBERS[0]}")
        assert first.judged.verdicts == ()

"""Phases of barriers in memory that a delayed warp or block misses: deadlocks under few orders of the threads."""

from pathlib import Path

import pytest

from shflbench.emulator.machine.policies import delaying
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.races.hazards import HazardKind
from tests.checker.fixes.fix_files import FIXED, FixFile, at_the_lines

SLOW = "four_blocks_meet"  # seconds, for what two blocks show
FILES = [
    pytest.param(
        FixFile(path, path.read_text(encoding="utf-8")),
        id=path.stem,
        marks=[pytest.mark.archs] if path.stem == SLOW else [],
    )
    for path in sorted(Path(__file__).parent.glob("*.cu"))
]


@pytest.mark.parametrize("file", FILES)
def test_a_missed_phase_is_a_deadlock_at_the_wait_after_the_arrival(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache)
    assert report.verdict == "broken", report.sentence
    finding = at_the_lines(report, file)
    assert finding is not None
    assert finding.kind is HazardKind.DEADLOCK
    assert "waits for a phase that is over" in finding.sentence(file.path.parent)


@pytest.mark.parametrize("file", FILES)
def test_a_barrier_whose_phases_nobody_can_miss_is_clean(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache, FIXED)
    assert (report.verdict, report.findings) == ("clean", ()), report.sentence
    launch = report.launches[0]
    assert launch.exhaustive or any(name.endswith(" late") for name in launch.schedules)


def test_of_many_warps_the_first_and_the_last_are_delayed_and_of_a_cluster_two_blocks() -> None:
    shape = Shape.of((8, 1, 1), (256, 1, 1), cluster=(4, 1, 1))
    policies = delaying(shape)
    names = [policy.name for policy in policies]
    assert names == ["warp 0 late", "warp 1 late", "warp 6 late", "warp 7 late", "block 0 late", "block 3 late"]
    for policy in policies:
        threads = [thread for group in policy.lockstep_groups(shape) for thread in group.threads.tolist()]
        assert sorted(threads) == list(range(shape.lanes))


def test_a_launch_of_one_warp_delays_nobody() -> None:
    assert delaying(Shape.of((2, 1, 1), (32, 1, 1))) == []

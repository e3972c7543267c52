"""The pipeline on a scripted GPU, without the command line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.compile.toolchain import find
from shflbench.errors import LaunchError
from shflbench.model import Status
from shflbench.session import Compiling, GroupDone, Note, Plan, WarmedUp, Working, run
from shflbench.session.record import run_info
from shflbench.store import RunFolder, read_run
from shflbench.suite import Overrides, load
from tests.fakes.backend import FakeBackend, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from shflbench.model import Suite
    from shflbench.session import Event

SUITE = """\
schema: 1
name: demo
defaults: {launch: 2x64, iterations: 1024, variants: [smem, shfl], dtypes: [f32, i32]}
experiments:
  - pattern: neighbor
  - pattern: reduce
    dtypes: i32
"""
GROUPS = ["neighbor/f32/2x64/1024/mode=idx", "neighbor/i32/2x64/1024/mode=idx", "reduce/i32/2x64/1024/width=32"]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    path = tmp_path / "demo.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return load(path)


@pytest.fixture
def plan(suite: Suite, kernel_cache: Path) -> Callable[[FakeBackend | None], Plan]:
    def make(backend: FakeBackend | None) -> Plan:
        return Plan(suite, find(), "sm_90", backend, kernel_cache, 132, seed=1)

    return make


def started(plan: Plan, path: Path) -> RunFolder:
    return RunFolder.create_at(run_info(plan, Overrides(), ["shflbench", "run"]), path)


def events(plan: Plan, path: Path, done: Collection[str] = ()) -> list[Event]:
    return list(run(plan, started(plan, path), frozenset(done)))


def test_run_compiles_warms_up_and_then_goes_group_by_group(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    seen = events(plan(FakeBackend()), tmp_path / "run")
    assert Counter(type(event) for event in seen if not isinstance(event, Working)) == {
        Compiling: 6,
        WarmedUp: 1,
        GroupDone: 3,
    }
    compiling = [event for event in seen if isinstance(event, Compiling)]
    assert compiling == [Compiling(done, 6) for done in range(1, 7)]
    assert seen[6] == WarmedUp(steady=True, clock_mhz=2000.0)
    done = [event for event in seen if isinstance(event, GroupDone)]
    assert [{row.case_id for row in event.rows} for event in done] == [
        {group.replace("/", f"/{variant}/", 1) for variant in ("smem", "shfl")} for group in GROUPS
    ]


def test_progress_grows_and_reaches_the_end(plan: Callable[[FakeBackend | None], Plan], tmp_path: Path) -> None:
    working = [event for event in events(plan(FakeBackend()), tmp_path / "run") if isinstance(event, Working)]
    shares = [event.done for event in working]
    assert shares == sorted(shares)
    assert {event.total for event in working} == {12.0}
    assert shares[0] == 0.0
    assert shares[-1] == 12.0
    assert [event.text for event in working[:4]] == [
        GROUPS[0],
        "verifying neighbor/smem/f32/2x64/1024/mode=idx",
        "verifying neighbor/shfl/f32/2x64/1024/mode=idx",
        f"timing {GROUPS[0]}",
    ]


def test_failed_case_does_not_hold_the_progress_back(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    crash = Script(run_raises={0: LaunchError("illegal address")})
    seen = events(plan(FakeBackend({"shfl": crash, "smem": crash})), tmp_path / "run")
    working = [event for event in seen if isinstance(event, Working)]
    assert [event.done for event in working if event.text in GROUPS] == [0.0, 4.0, 8.0]


def test_rows_of_a_group_are_on_disk_before_the_next_one_starts(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    chosen = plan(FakeBackend())
    finished = 0
    for event in run(chosen, started(chosen, tmp_path / "run")):
        if isinstance(event, GroupDone):
            finished += 1
            on_disk = read_run(tmp_path / "run")
            assert len(on_disk.rows) == 2 * finished
            assert on_disk.info.finished is None
    assert finished == 3
    assert read_run(tmp_path / "run").info.finished is not None


def test_groups_that_are_done_are_neither_compiled_nor_run(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    device = FakeBackend()
    seen = events(plan(device), tmp_path / "run", done=GROUPS[:2])
    assert sum(isinstance(event, Compiling) for event in seen) == 2
    assert {name for name, _ in device.launched} == {"reduce/smem", "reduce/shfl"}


def test_nothing_left_to_do_does_not_warm_the_device_up(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    assert events(plan(FakeBackend()), tmp_path / "run", done=GROUPS) == []
    assert read_run(tmp_path / "run").info.finished is not None


def test_without_a_device_nothing_is_warmed_up_or_timed(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    seen = events(plan(None), tmp_path / "run")
    assert not any(isinstance(event, WarmedUp | Note) for event in seen)
    assert {row.status for row in read_run(tmp_path / "run").rows} == {Status.COMPILED}


def test_order_of_launches_depends_on_the_seed_and_the_group(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    def launched(seed: int, name: str) -> list[tuple[str, int]]:
        device = FakeBackend()
        chosen = replace(plan(device), seed=seed)
        list(run(chosen, started(chosen, tmp_path / name)))
        return device.launched

    first = launched(1, "a")
    assert first == launched(1, "b")
    assert first != launched(2, "c")
    f32, i32 = first[: len(first) // 3], first[len(first) // 3 : 2 * len(first) // 3]
    assert f32 != i32


def test_device_that_verifies_but_cannot_time_gives_verified_rows(
    plan: Callable[[FakeBackend | None], Plan], tmp_path: Path
) -> None:
    device = FakeBackend()
    device.timed = False
    events(plan(device), tmp_path / "run")
    rows = read_run(tmp_path / "run").rows
    assert {row.status for row in rows} == {Status.VERIFIED}
    assert all(row.time_us is None and row.matched == 8 for row in rows)
    assert device.launched == []

"""The pipeline on a scripted GPU, without the command line."""

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.core.model import Disturbance, Status
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import LaunchError, ResultsError
from shflbench.measure.sentinels import version
from shflbench.session import Compiling, GroupDone, Note, Plan, RunEvent, WarmedUp, Working, run
from shflbench.store import ResumedRun, SentinelSet, read_run, resume
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.run_files import KERNELS_FILE
from tests.fakes.backend import FakeBackend, Script
from tests.session.conftest import Planner, about, started

SUITE = """\
schema: 1
name: demo
measure: {min_seconds: 0.001}
defaults: {launch: 2x64, iterations: 1024, variants: [smem, shfl], dtypes: [f32, i32]}
experiments:
  - pattern: neighbor
  - pattern: reduce
    dtypes: i32
"""
GROUPS = ["neighbor/f32/2x64/1024/mode=idx", "neighbor/i32/2x64/1024/mode=idx", "reduce/i32/2x64/1024/width=32"]
BOUNDS = "/block=64/blocks_per_sm=1"


def events(plan: Plan, path: Path, stopped: ResumedRun | None = None) -> list[RunEvent]:
    return list(run(plan, stopped.folder if stopped else started(plan, path), stopped))


def in_processes(plan: Plan, processes: int) -> Plan:
    return replace(plan, suite=replace(plan.suite, rules=replace(plan.suite.rules, processes=processes)))


def stop(plan: Plan, path: Path, finished: int) -> ResumedRun:
    """Run until so many groups are finished, and return what is to be gone on with."""
    going = run(plan, started(plan, path))
    for _ in range(finished):
        next(event for event in going if isinstance(event, GroupDone))
    going.close()  # type: ignore[attr-defined]  # run is a generator
    return resume(path, about(plan), plan.suite.cases)


@pytest.fixture
def a_group_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.session.windows.CASES", 1)


def test_run_compiles_warms_up_and_then_goes_group_by_group(plan: Planner, tmp_path: Path) -> None:
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


def test_progress_grows_and_reaches_the_end(plan: Planner, tmp_path: Path) -> None:
    working = [event for event in events(plan(FakeBackend()), tmp_path / "run") if isinstance(event, Working)]
    shares = [event.done for event in working]
    assert shares == sorted(shares)
    assert {event.total for event in working} == {12.0}
    assert shares[0] == 0.0
    assert shares[-1] == 12.0
    verified = [f"verifying, {number} of 6 cases" for number in range(6)]
    assert [event.text for event in working[:7]] == [*verified, "timing 6 cases, round 1"]


def test_failed_case_counts_as_progress(plan: Planner, tmp_path: Path) -> None:
    crash = Script(run_raises={0: LaunchError("illegal address")})
    chosen = in_processes(plan(FakeBackend({"shfl": crash})), 2)
    working = [event for event in events(chosen, tmp_path / "run") if isinstance(event, Working)]
    assert working[-1].total == working[-1].done == 24.0
    assert [event.done for event in working] == sorted(event.done for event in working)


@pytest.mark.usefixtures("a_group_a_window")
def test_rows_of_a_group_are_on_disk_before_the_next_one_starts(plan: Planner, tmp_path: Path) -> None:
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


def test_groups_are_reported_in_the_order_of_the_suite(plan: Planner, tmp_path: Path) -> None:
    noisy = FakeBackend({"neighbor/shfl": Script(noise=0.05)})
    done = [event for event in events(plan(noisy), tmp_path / "run") if isinstance(event, GroupDone)]
    assert [event.rows[0].dtype for event in done] == ["f32", "i32", "i32"]
    assert [event.rows[0].pattern for event in done] == ["neighbor", "neighbor", "reduce"]
    assert [row.case_id for row in read_run(tmp_path / "run").rows] == [
        row.case_id for event in done for row in event.rows
    ]


def test_kernels_are_on_disk_before_the_first_one_runs(plan: Planner, tmp_path: Path) -> None:
    going = run(plan(FakeBackend()), started(plan(None), tmp_path / "run"))
    next(event for event in going if isinstance(event, WarmedUp))
    going.close()  # type: ignore[attr-defined]  # run is a generator
    kernels = read_run(tmp_path / "run").kernels()
    assert kernels
    assert [kernel.name for kernel in kernels.index.kernels] == [
        *(
            f"neighbor/shfl/f32/mode=idx{BOUNDS}",
            f"neighbor/shfl/i32/mode=idx{BOUNDS}",
            f"neighbor/smem/f32/mode=idx{BOUNDS}",
        ),
        *(
            f"neighbor/smem/i32/mode=idx{BOUNDS}",
            f"reduce/shfl/i32/width=32{BOUNDS}",
            f"reduce/smem/i32/width=32{BOUNDS}",
        ),
    ]
    assert (kernels.index.compiler.arch, kernels.index.compiler.nvrtc) == ("sm_90", find().version)
    shuffle = kernels.kernel_of("neighbor/shfl/f32/2x64/1024/mode=idx")
    assert shuffle
    assert "neighbor_shfl" in kernels.contents[shuffle.source].decode()
    code = kernel_code(kernels.contents[shuffle.cubin])[shuffle.symbol]
    assert sha256(code).hexdigest() == shuffle.code_sha256
    assert shuffle.loop
    assert (shuffle.loop.unroll, shuffle.loop.instructions["SHFL"]) == (16, 16)
    assert shuffle.instructions
    assert shuffle.instructions["SHFL.IDX"] >= 16


@pytest.mark.usefixtures("a_group_a_window")
def test_resumed_run_keeps_the_kernels_of_groups_that_are_done(plan: Planner, tmp_path: Path) -> None:
    events(plan(FakeBackend()), tmp_path / "whole")
    events(plan(FakeBackend()), tmp_path / "run", stop(plan(FakeBackend()), tmp_path / "run", finished=2))
    resumed, whole = (read_run(tmp_path / name).kernels() for name in ("run", "whole"))
    assert resumed == whole


@pytest.mark.usefixtures("a_group_a_window")
def test_changed_machine_code_cannot_resume_a_run(plan: Planner, tmp_path: Path) -> None:
    stopped = stop(plan(FakeBackend()), tmp_path / "run", finished=2)
    path = tmp_path / "run" / KERNELS_FILE
    kernels = KernelArchive.read(path)
    kept = [replace(kernel, code_sha256="0" * 64) for kernel in kernels.index.kernels]
    path.write_bytes(replace(kernels, index=replace(kernels.index, kernels=tuple(kept))).encode())
    before = path.read_bytes()
    with pytest.raises(
        ResultsError, match=rf"run cannot be resumed: the machine code of reduce/shfl/i32/width=32{BOUNDS} is"
    ):
        events(plan(FakeBackend()), tmp_path / "run", stopped)
    assert path.read_bytes() == before


@pytest.mark.usefixtures("a_group_a_window")
def test_finished_groups_are_neither_compiled_nor_run(plan: Planner, tmp_path: Path) -> None:
    stopped = stop(plan(FakeBackend()), tmp_path / "run", finished=2)
    assert len(stopped.rows) == 4
    device = FakeBackend()
    seen = events(plan(device), tmp_path / "run", stopped)
    assert sum(isinstance(event, Compiling) for event in seen) == 2
    assert {name for name, _ in device.launched} == {"reduce/smem", "reduce/shfl"}
    assert sum(isinstance(event, GroupDone) for event in seen) == 1
    rows = read_run(tmp_path / "run").rows
    assert [row.processes for row in rows] == [(0,), (0,), (0,), (0,), (1,), (1,)]


def test_finished_run_does_not_warm_the_device_up(plan: Planner, tmp_path: Path) -> None:
    stopped = stop(plan(FakeBackend()), tmp_path / "run", finished=3)
    assert events(plan(FakeBackend()), tmp_path / "run", stopped) == []
    assert read_run(tmp_path / "run").info.finished is not None


def test_each_group_is_measured_in_the_requested_number_of_processes(plan: Planner, tmp_path: Path) -> None:
    device = FakeBackend()
    seen = events(in_processes(plan(device), 3), tmp_path / "run")
    assert device.process == 2
    assert sum(isinstance(event, WarmedUp) for event in seen) == 3
    assert sum(isinstance(event, GroupDone) for event in seen) == 3
    read = read_run(tmp_path / "run")
    assert {(row.processes, row.rounds) for row in read.rows} == {((0, 1, 2), 27)}
    samples = read.samples()
    assert set(samples["process"]) == {0, 1, 2}
    sentinels = samples[samples["case_id"] == "sentinel/shuffle"]
    assert len(sentinels.groupby(["process", "round"])) == 27


def test_run_that_was_stopped_between_its_processes_repeats_none_of_them(plan: Planner, tmp_path: Path) -> None:
    first = FakeBackend()
    chosen = in_processes(plan(first), 2)
    going = run(chosen, started(chosen, tmp_path / "run"))
    while first.process == 0:
        next(going)
    going.close()  # type: ignore[attr-defined]  # run is a generator
    stopped = resume(tmp_path / "run", about(chosen), chosen.suite.cases)
    assert {row.processes for row in stopped.rows} == {(0,)}
    device = FakeBackend()
    events(in_processes(plan(device), 2), tmp_path / "run", stopped)
    assert device.process == 0  # the first of this session is the second of the run
    assert {row.processes for row in read_run(tmp_path / "run").rows} == {(0, 1)}


def test_group_that_is_throttled_in_its_last_process_is_reported(plan: Planner, tmp_path: Path) -> None:
    device = FakeBackend(throttled_rounds=range(9, 100_000))
    chosen = in_processes(plan(device), 2)
    hasty = replace(chosen.suite, rules=replace(chosen.suite.rules, max_seconds=0.01))
    done = [event for event in events(replace(chosen, suite=hasty), tmp_path / "run") if isinstance(event, GroupDone)]
    assert len(done) == 3
    rows = [row for event in done for row in event.rows]
    assert [(row.processes, row.noise) for row in rows] == [((0,), {Disturbance.THROTTLED: 0.65})] * len(rows)
    assert {trouble.kind for event in done for own in event.troubles.values() for trouble in own} == {
        Disturbance.THROTTLED
    }


def test_record_of_a_finished_run_judges_the_noise_and_names_the_sentinels(plan: Planner, tmp_path: Path) -> None:
    events(plan(FakeBackend()), tmp_path / "run")
    info = read_run(tmp_path / "run").info
    assert info.noise is not None
    assert info.noise.verdict == "quiet"
    assert info.sentinels == SentinelSet(version())


def test_problem_of_the_device_is_noted_once_and_recorded(plan: Planner, tmp_path: Path) -> None:
    device = FakeBackend()
    device.problem = "NVML does not answer"
    notes = [event.sentence for event in events(plan(device), tmp_path / "run") if isinstance(event, Note)]
    assert notes == ["NVML does not answer"]
    assert read_run(tmp_path / "run").info.notes == ("NVML does not answer",)


def test_without_a_device_nothing_is_warmed_up_or_timed(plan: Planner, tmp_path: Path) -> None:
    seen = events(plan(None), tmp_path / "run")
    assert not any(isinstance(event, WarmedUp | Note) for event in seen)
    assert {row.status for row in read_run(tmp_path / "run").rows} == {Status.COMPILED}


def test_order_of_launches_depends_on_the_seed(plan: Planner, tmp_path: Path) -> None:
    def launched(seed: int, name: str) -> list[tuple[str, int]]:
        device = FakeBackend()
        chosen = replace(plan(device), seed=seed)
        list(run(chosen, started(chosen, tmp_path / name)))
        return device.launched

    first = launched(1, "a")
    assert first == launched(1, "b")
    assert first != launched(2, "c")


def test_device_that_verifies_but_cannot_time_gives_verified_rows(plan: Planner, tmp_path: Path) -> None:
    device = FakeBackend()
    device.timed = False
    seen = events(plan(device), tmp_path / "run")
    done = [index for index, event in enumerate(seen) if isinstance(event, GroupDone)]
    begun = [index for index, event in enumerate(seen) if isinstance(event, Working) and "verifying" in event.text]
    assert begun[1] < done[0] < begun[2]  # each group is announced before the next of two cases begins
    rows = read_run(tmp_path / "run").rows
    assert {row.status for row in rows} == {Status.VERIFIED}
    assert all(row.time_us is None and row.matched == 8 for row in rows)
    assert device.launched == []

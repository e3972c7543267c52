from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.model import (
    Case,
    Conditions,
    Disturbance,
    Kernel,
    Loop,
    MeasureRules,
    Proof,
    Resources,
    Status,
    Suite,
)
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import KernelError
from shflbench.measure.events import BurstTaken, CaseFailed, Converged, GridResolved, RoundDone, Verified
from shflbench.measure.executor import InProcessExecutor
from shflbench.patterns.discover import LoadedPattern, builtin
from shflbench.session.kernels import key
from shflbench.session.plan import Plan
from shflbench.session.state import THROTTLED, RunState
from shflbench.store import ResumedRun, Row, RunFolder
from tests import cases
from tests.fakes.backend import FakeBackend
from tests.fakes.runs import info

MODE = {"mode": "idx"}
VARIANTS = ("smem", "shfl")
F32, F64 = ([cases.case("neighbor", name, dtype, options=MODE) for name in VARIANTS] for dtype in ("f32", "f64"))
SMEM, SHFL = (case.id for case in F32)
GROUP, OTHER = F32[0].group, F64[0].group
RESIDENT = 32  # blocks an SM: all of its threads
PROOF = Proof(8, 8, (1, 51), "2x64")
CONDITIONS = Conditions(sm_clock_mhz=1980, temperature_c=41, power_w=300.0)
KERNEL = Kernel("k", "sm_90", "", b"", Resources(16, 0, 0, 0), None, Loop(0, 64, 16, {"SHFL": 16}), ())


def plan(suite_cases: tuple[Case, ...] = (*F32, *F64), backend: FakeBackend | None = None, arch: str = "sm_90") -> Plan:
    suite = Suite("demo", "", Path("demo.yaml"), "", suite_cases, MeasureRules(), builtin())
    toolchain = Toolchain((13, 5), "libnvrtc.so", (), None, (90,), "id")
    return Plan(suite, toolchain, arch, InProcessExecutor(backend or FakeBackend()), None, 132, seed=1)


def state_of(
    chosen: Plan | None = None, stopped: ResumedRun | None = None, **kernels: Kernel | KernelError
) -> RunState:
    """Return a state where every variant was compiled, or became what is said here."""
    chosen = chosen or plan()
    built = {
        key(case, chosen.patterns[case.pattern].declaration, chosen.arch): kernels.get(case.variant, KERNEL)
        for case in chosen.suite.cases
    }
    return RunState(chosen, built, stopped)


def by_id(state: RunState, group: str = GROUP) -> dict[str, Row]:
    return {row.case_id: row for row in state.rows(group)}


def all_rows(state: RunState) -> list[Row]:
    parts = [case_id.split("/") for case_id in state.case_ids]
    groups = dict.fromkeys("/".join((pattern, *others)) for pattern, _, *others in parts)
    return [row for group in groups for row in state.rows(group)]


def taken(
    times_us: Mapping[str, float], number: int = 0, process: int = 0, *, dropped: bool = False, slower: float = 0.0
) -> RoundDone:
    """Return a round in which each case took this time at 4096 iterations, and half of it at half of them."""
    bursts = [
        BurstTaken(name, count, 1, 0.1 * number, (time_us * share * (1 + slower),) * 3, 1980.0, dropped)
        for name, time_us in times_us.items()
        for count, share in ((4096, 1.0), (2048, 0.5))
    ]
    return RoundDone(process, number, tuple(bursts), CONDITIONS)


def measure(
    state: RunState, times_us: Mapping[str, float], process: int = 0, *, dropped: bool = False, drift: float = 0.0
) -> list[str]:
    """Apply nine rounds of these cases, and return what it says to the end of each case."""
    state.start([task for tasks in state.pending(100).values() for task in tasks if task.case.id in times_us])
    for name in times_us:
        state.apply(GridResolved(name, 2, RESIDENT))
        state.apply(Verified(name, PROOF))
    for number in range(9):
        state.apply(taken(times_us, number, process, dropped=dropped, slower=drift * number))
    return [state.apply(Converged(name, "precision")) for name in times_us]


BOTH = {SMEM: 300.0, SHFL: 60.0}


def test_functions_of_a_pattern_are_called_once_for_all_runs_that_share_what_they_return(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called = []

    def shared_of(_: LoadedPattern, case: Case) -> int:
        called.append(case.id)
        return 512

    monkeypatch.setattr("shflbench.session.state.shared_of", shared_of)
    first = plan()
    for _ in range(2):
        rows = by_id(state_of(replace(first, shared_bytes=first.shared_bytes)))
        assert {row.shared_bytes for row in rows.values()} == {512}
    assert called == [case.id for case in first.suite.cases]


def measured(**how: Any) -> RunState:
    """Return the state after the first group was measured in one process; `how` as for `measure`."""
    state = state_of()
    measure(state, BOTH, **how)
    return state


def test_compiled_cases_are_pending_by_group() -> None:
    state = state_of()
    assert {name: [task.case.id for task in tasks] for name, tasks in state.pending(1).items()} == {
        GROUP: [SMEM, SHFL],
        OTHER: [case.id for case in F64],
    }
    assert {row.status for row in all_rows(state)} == {Status.COMPILED}
    assert by_id(state)[SMEM].shared_bytes == 256  # the dynamic part, too


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (KernelError("it does not compile"), "it does not compile"),
        (
            Kernel("k", "sm_90", "", b"", Resources(16, 0, 0, 0), None, None, ("no SHFL", "no loop")),
            "no SHFL; no loop",
        ),
    ],
)
def test_case_without_a_valid_kernel_fails_and_is_not_measured(kernel: Kernel | KernelError, reason: str) -> None:
    state = state_of(shfl=kernel)
    row = by_id(state)[SHFL]
    assert (row.status, row.reason) == (Status.FAILED, reason)
    assert [task.case.id for task in state.pending(1)[GROUP]] == [SMEM]


def test_case_that_the_architecture_does_not_support_is_skipped_with_the_reason() -> None:
    redux = cases.case("reduce", "redux", "i32", options={"width": "32"})
    state = RunState(plan((redux,), arch="sm_75"), {})
    (row,) = all_rows(state)
    assert (row.status, row.reason) == (Status.SKIPPED, "redux needs sm_80 or newer, and this is sm_75")
    assert state.pending(1) == {}


def test_case_that_needs_newer_headers_is_skipped_with_the_reason() -> None:
    batched = cases.case("batched-reduce", "cub-batched", "f32", options={"sums": "2", "result": "own"})
    (row,) = all_rows(RunState(plan((batched,)), {}))
    assert (row.status, row.reason) == (Status.SKIPPED, "cub-batched needs CCCL 3.4 or newer, and there is none")


def test_grid_of_a_launch_by_sms_is_known_without_the_device() -> None:
    launch = replace(F32[0].launch, expression="2*sms x 64", grid=None)
    filling = replace(launch, expression="fill x 64")
    state = state_of(plan(tuple(replace(F32[0], launch=one) for one in (launch, filling))))
    assert [row.grid for row in all_rows(state)] == [264, None]


def test_group_is_finished_with_the_last_of_its_cases() -> None:
    state = state_of()
    assert measure(state, BOTH) == ["", GROUP]
    assert state.pending(1).keys() == {OTHER}


def test_finished_row_has_the_times_the_conditions_and_the_speedup() -> None:
    state = measured()
    row = by_id(state)[SHFL]
    assert (row.status, row.time_us) == (Status.TIMED, 60.0)
    assert row.ns_per_iteration == pytest.approx(1000 * 30 / 2048)
    assert (row.samples, row.rounds, row.launches, row.processes, row.noise) == (27, 9, 1, (0,), {})
    assert (row.stopped_by, row.dropped, row.reason) == ("precision", 0, None)
    assert (row.temperature_c, row.power_w, row.sm_clock_mhz) == (41, 300.0, 1980.0)
    assert (row.grid, row.occupancy, row.matched, row.speedup) == (2, 1.0, 8, 5.0)


def test_case_that_failed_or_was_wrong_ends_without_a_time() -> None:
    state = state_of()
    state.start(list(state.pending(1)[GROUP]))
    assert state.apply(CaseFailed(SMEM, Status.FAILED, "illegal\n  address")) == ""
    wrong = Proof(3, 8, (1,), "2x64", "lane 3 is 1, not 2")
    state.apply(Verified(SHFL, wrong))
    assert state.apply(CaseFailed(SHFL, Status.INCORRECT, wrong.mismatch)) == GROUP
    smem, shfl = state.rows(GROUP)
    assert (smem.status, smem.reason, smem.time_us) == (Status.FAILED, "illegal address", None)
    assert (shfl.status, shfl.matched, shfl.reason) == (Status.INCORRECT, 3, "lane 3 is 1, not 2")
    assert state.pending(1).keys() == {OTHER}


def test_device_without_times_leaves_verified_cases() -> None:
    state = state_of()
    state.start([task for task in state.pending(1)[GROUP] if task.case.id == SHFL])
    state.apply(Verified(SHFL, PROOF))
    assert state.apply(Converged(SHFL, "")) == GROUP
    row = by_id(state)[SHFL]
    assert (row.status, row.stopped_by, row.time_us) == (Status.VERIFIED, None, None)
    assert not state.timed


def test_case_with_dropped_samples_only_fails_with_the_reason() -> None:
    state = measured(dropped=True)
    assert {(row.status, row.reason) for row in state.rows(GROUP)} == {(Status.FAILED, THROTTLED)}
    assert state.noise(None).verdict == "drifting clock"


def test_second_process_adds_its_samples_to_those_of_the_first() -> None:
    state = measured()
    assert state.pending(2).keys() == {GROUP, OTHER}
    measure(state, {SMEM: 300.0, SHFL: 64.0}, process=1)
    assert state.pending(2).keys() == {OTHER}
    row = by_id(state)[SHFL]
    assert (row.processes, row.rounds, row.samples) == ((0, 1), 18, 54)
    assert (row.time_us, row.time_low_us, row.time_high_us) == pytest.approx((62.0, 60.0, 64.0), abs=0.02)
    assert row.noise == {Disturbance.PROCESSES: 0.067}


def test_case_that_crashes_in_its_second_process_loses_its_time() -> None:
    state = measured(drift=0.01)
    state.start([task for task in state.pending(2)[GROUP] if task.case.id == SHFL])
    assert state.apply(CaseFailed(SHFL, Status.FAILED, "illegal address")) == GROUP
    row = by_id(state)[SHFL]
    assert (row.status, row.time_us, row.processes, row.noise, row.speedup) == (Status.FAILED, None, (), None, None)
    assert [task.case.id for task in state.pending(2)[GROUP]] == [SMEM]
    assert state.troubles(GROUP).keys() == {SMEM}


def test_troubles_are_reported_by_case_with_size_and_advice() -> None:
    state = state_of()
    measure(state, {SMEM: 300.0}, drift=0.001)
    assert state.troubles(OTHER) == {}
    ((name, (trouble,)),) = state.troubles(GROUP).items()
    assert (name, trouble.kind) == (SMEM, Disturbance.DRIFT)
    assert trouble.size == pytest.approx(0.008, rel=0.01)
    row = by_id(state)[SMEM]
    assert (row.noise, row.reason) == ({Disturbance.DRIFT: 0.008}, trouble.sentence)


def test_samples_are_returned_once_those_of_sentinels_with_any_group() -> None:
    state = measured()
    state.apply(taken({"sentinel/l2": 20.0, F64[0].id: 70.0}, 9))
    names = [sample.case_id for sample in state.pop_unsaved(GROUP)]
    assert {name: names.count(name) for name in names} == {SMEM: 54, SHFL: 54, "sentinel/l2": 6}
    assert state.pop_unsaved(GROUP) == []
    state.apply(taken({"sentinel/l2": 20.0}, 10))
    assert {sample.case_id for sample in state.pop_unsaved()} == {"sentinel/l2"}
    assert {sample.case_id for sample in state.pop_unsaved(OTHER)} == {F64[0].id}


def resumed(tmp_path: Path, state: RunState) -> ResumedRun:
    """Return what a run leaves that is stopped after `state`."""
    folder = RunFolder.create_at(info(), tmp_path / "run")
    return ResumedRun(folder, state.rows(GROUP), tuple(state.pop_unsaved(GROUP)))


def test_resumed_run_keeps_its_rows_and_continues_with_new_process_numbers(tmp_path: Path) -> None:
    first = measured()
    state = state_of(stopped=resumed(tmp_path, first))
    assert state.rows(GROUP) == first.rows(GROUP)
    assert state.pending(1).keys() == {OTHER}
    assert state.pending(2).keys() == {GROUP, OTHER}
    measure(state, BOTH, process=0)  # the first of this session
    row = by_id(state)[SHFL]
    assert (row.processes, row.samples, row.rounds) == ((0, 1), 54, 18)
    assert {sample.process for sample in state.pop_unsaved(GROUP)} == {1}


def test_samples_of_a_forgotten_group_are_freed() -> None:
    state = measured()
    state.forget(GROUP)
    measure(state, BOTH, process=1)
    assert by_id(state)[SHFL].processes == (1,)


def test_noise_of_the_machine_is_judged_from_all_rounds() -> None:
    state = measured()
    assert state.timed
    assert state.noise(None).verdict == "quiet"
    assert state.noise(0).verdict == "quiet"
    assert state.noise(2).verdict == "busy GPU"
    for number in range(9, 12):
        state.apply(taken(BOTH, number, dropped=True))
    assert state.noise(None).verdict == "drifting clock"


def test_sentinels_show_a_drifting_clock() -> None:
    state = state_of()
    for number in range(40):
        state.apply(taken({"sentinel/integer-long": 400.0}, number, slower=0.001 * number))
    assert state.noise(None).verdict == "drifting clock"
    assert "sentinels" in state.noise(None).sentence

"""Programs of which one execution shows what every order of the threads does, and others."""

from dataclasses import replace

import numpy as np
import pytest

import shflbench
from shflbench.checker.runs.all_schedules import communicates_by_barriers
from shflbench.emulator.explore import ScheduleResult, explore
from shflbench.emulator.explore import _run as run_one
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, Machine
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES, until_shown
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.undefined_values import Proven
from shflbench.emulator.races.watched import ScheduledRun
from tests import kernels

PTX = """\
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .shared .align 16 .b8 s[256];
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, s;
    BODY
    st.global.u32 [%rd1+4], %r1;
    ret;
}
"""
BARRIERS = [
    "st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r3, [%r2];",
    "barrier.sync.aligned 1;",
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
    "bar.warp.sync -1; shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;",
    "vote.sync.ballot.b32 %r3, %p1, -1;",
    "red.global.add.u32 [%rd1], 1; red.global.add.u32 [%rd1+8], 2;",
    "atom.global.max.s32 %r3, [%rd1], %r1;",  # whose result nothing reads
    "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;",
    "mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.shared.b64 _, [%r2];",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %r1, [%r2+8];",
    "$wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0; @!%p1 bra $wait;",
    """cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;""",
]
OTHERS = [
    "ld.volatile.global.u32 %r1, [%rd1];",
    "st.relaxed.gpu.global.u32 [%rd1], 1;",
    "ld.acquire.gpu.global.u32 %r1, [%rd1];",
    "atom.global.add.u32 %r1, [%rd1], 1;",
    "red.global.add.u32 [%rd1], 1; red.global.max.u32 [%rd1], 2;",
    "red.global.add.f32 [%rd1], %f1;",
    "red.global.inc.u32 [%rd1], 5;",
    "atom.global.exch.b32 %r3, [%rd1], %r1;",
    "bar.sync 1, 64;",
    "bar.arrive 1, 64;",
    "activemask.b32 %r1;",
    "mov.u32 %r1, %clock;",
    "mov.u32 %r1, %smid;",
    "mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.shared.b64 %rd2, [%r2]; st.global.b64 [%rd1], %rd2;",
    "mbarrier.init.shared.b64 [%r2], 1; mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;",
    "atom.shared.exch.b64 %rd2, [%r2], 0;",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2], %r1, [%r2+8];",
    "griddepcontrol.wait;",
]


def is_by_barriers(body: str) -> bool:
    return communicates_by_barriers(link(parse(PTX.replace("BODY", body)), "k"))


@pytest.mark.parametrize("body", BARRIERS)
def test_barriers_and_commuting_atomics_have_one_result(body: str) -> None:
    assert is_by_barriers(body)


@pytest.mark.parametrize("body", OTHERS)
def test_what_the_order_of_threads_decides_is_no_barrier(body: str) -> None:
    assert not is_by_barriers(body)


CUDA = """\
__global__ void reverse(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    BARRIER
    x[threadIdx.x] = s[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("barrier", "is_exhaustive"), [("__syncthreads();", True), ("", False), ("__threadfence(); atomicOr(s, 0);", False)]
)
def test_only_a_launch_without_findings_is_exhaustive(barrier: str, *, is_exhaustive: bool) -> None:
    result = shflbench.check(CUDA.replace("BARRIER", barrier), launch=(1, 64), args=[np.arange(64, dtype=np.int32)])
    assert result.clean == is_exhaustive
    assert ("all schedules agree" in result.explored[0]) == is_exhaustive


CONFIRMING = ["odd lanes first", "warps at random"]


def ran(answers: list[bool]) -> list[str]:
    """Return the schedules that run if these answers say, one after the other, whether all are shown."""
    return [policy.name for policy in until_shown([*POLICIES.values()][1:], lambda: answers.pop(0))]


def test_where_one_schedule_shows_all_two_others_confirm_it() -> None:
    assert ran([True, True]) == CONFIRMING


def test_where_one_of_these_contradicts_it_all_others_run() -> None:
    names = ran([True, False])
    assert names[:2] == CONFIRMING
    assert sorted(names) == sorted({*POLICIES} - {LOCKSTEP.name})


def test_where_nothing_is_shown_all_run_in_their_order() -> None:
    assert ran([False]) == list(POLICIES)[1:]


def exploration(answers: list[bool]) -> tuple[list[str], list[str]]:
    """Return the schedules that ran, and those that have a result, if these answers say whether all are shown."""
    machine = Machine()
    program = link(parse(PTX.replace("BODY", "")), "k")
    outputs = (np.zeros(4, np.uint32),)
    launch = EmulatedLaunch(program, Shape(1, 1), 0, (), outputs, 0, order=(0,), machine=machine)
    with pytest.MonkeyPatch.context() as patch:
        executed: list[str] = []

        def run(job: ScheduledRun, proven: Proven, *, watched: bool) -> ScheduleResult:
            executed.append(job.policy.name)
            return replace(run_one(job, proven, watched=watched), blocks_apart=False)

        patch.setattr("shflbench.emulator.explore._run", run)
        results = explore(launch, show_all=lambda _: answers.pop(0)).results
    assert all(np.array_equal(result.outputs, results[0].outputs) for result in results)
    return executed, [result.policy for result in results]


def test_schedules_that_did_not_run_have_the_results_of_lockstep() -> None:
    assert exploration([True, True, True]) == ([LOCKSTEP.name, *CONFIRMING], list(POLICIES))


def test_no_schedule_is_left_out_where_another_one_contradicts_lockstep() -> None:
    executed, named = exploration([True, False])
    assert sorted(executed) == sorted(named) == sorted(POLICIES)


def test_a_kernel_of_a_pattern_runs_under_the_schedules_that_confirm_lockstep(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []

    def run(job: ScheduledRun, proven: Proven, *, watched: bool) -> ScheduleResult:
        executed.append(job.policy.name)
        return run_one(job, proven, watched=watched)

    monkeypatch.setattr("shflbench.emulator.explore._run", run)
    name = "neighbor/shfl/f32/mode=idx"
    assert kernels.report(name, kernels.kernel(name)).kernel.verdict == "clean"
    assert set(executed) == {LOCKSTEP.name, *CONFIRMING}

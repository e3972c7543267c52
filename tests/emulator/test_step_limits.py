"""The limit of instructions grows with the groups of a schedule for a launch that ends in lockstep."""

import pytest

from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.emulator.explore import Exploration, explore
from shflbench.emulator.load import load_program
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.emulator.machine.threads import Shape
from tests import cases

HEAD = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
"""
# Each thread counts to `n` in memory, in four instructions.
COUNT = f"""\
{HEAD}
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r3, 0;
AGAIN:
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd3], %r3;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra AGAIN;
    ret;
}}
"""
# All threads write one number and wait until it is that of the last thread: in vain if another one writes after it.
WAIT_FOR_LAST = f"""\
{HEAD}
    st.global.u32 [%rd1], %r2;
AGAIN:
    ld.global.u32 %r3, [%rd1];
    setp.ne.u32 %p1, %r3, 31;
    @%p1 bra AGAIN;
    ret;
}}
"""
LIMIT = 1000


def explored(ptx: str, n: int) -> Exploration:
    launch = EmulatedLaunch(load_program(ptx, "k"), Shape(1, 32), 0, [], [(32, "u4")], n)
    return explore(launch, step_limit=LIMIT)


def test_a_launch_that_ends_in_lockstep_ends_under_schedules_of_single_lanes() -> None:
    found = explored(COUNT, 100)
    assert found.errors == ()
    assert {result.outputs[0].tolist() == [100] * 32 for result in found.results} == {True}


def test_a_launch_that_does_not_end_in_lockstep_is_stopped_at_the_limit() -> None:
    (error,) = explored(COUNT, 1000).errors
    assert isinstance(error, StepLimitError)
    assert f"did not end within {LIMIT} instructions" in error.message


def test_a_short_launch_that_does_not_end_under_another_schedule_is_stopped_at_the_limit() -> None:
    found = explored(WAIT_FOR_LAST, 0)
    assert found.results[0].error is None
    (error,) = found.errors
    assert isinstance(error, StepLimitError)
    assert f"did not end within {LIMIT} instructions" in error.message


@pytest.mark.archs
def test_a_backend_runs_a_launch_that_ends_in_lockstep_to_the_end() -> None:
    kernel = cases.kernel("k", COUNT)
    call = KernelCall(kernel, 1, 32, 0, (Buffer("out", 32, "u4", written=True),), ("out", "iterations"))
    opened = EmulatorBackend("sm_90").open(call)
    for _ in range(3):  # in lockstep, and under schedules of two groups
        opened.run([], 1)
    n = STEP_LIMIT // 32 // 4
    (counts,) = opened.run([], n)  # each lane ahead of the next
    assert counts.tolist() == [n] * 32

"""Verdicts of `shflbench run` on kernels that are wrong, crash, or are not what their pattern promises."""

from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.errors import LaunchError
from tests.cli.demo import NEIGHBOR, SCRIPTS, SUITE, Plug, copy_neighbor, rows_of, statuses
from tests.conftest import Command
from tests.fakes.backend import (
    FakeBackend,
    Fault,
    Script,
    after_first_iteration,
    in_iteration,
    lost,
    one_lane,
    unrolled_body,
)


@pytest.mark.parametrize(
    ("fault", "iterations"),
    [
        pytest.param(one_lane(in_iteration(0)), 1, id="one lane"),
        pytest.param(one_lane(after_first_iteration), 51, id="from the second iteration on"),
        pytest.param(one_lane(unrolled_body), 51, id="in the unrolled body"),
        pytest.param(lost(unrolled_body), 51, id="nothing in the unrolled body"),
    ],
)
def test_wrong_kernel_is_incorrect_has_no_time_and_exits_5(
    run: Command, plug: Plug, fault: Fault, iterations: int
) -> None:
    device = plug(FakeBackend(SCRIPTS | {"neighbor/shfl": Script(fault=fault)}))
    outcome = run("demo.yaml")
    assert outcome.code == 5
    assert outcome.err.endswith("warning: 1 of 5 cases failed or computed a wrong result\n")
    row = rows_of(outcome)[NEIGHBOR[2]]
    assert (row.status, row.matched, row.inputs) == (Status.INCORRECT, 0, 8)
    assert (row.reason or "").startswith(f"after {iterations} iteration{'s' * (iterations > 1)} on input 0, element ")
    assert (row.time_us, row.ns_per_iteration, row.speedup, row.samples) == (None, None, None, None)
    assert "INCORRECT, 0 of 8 inputs matched: after " in outcome.err
    assert statuses(outcome).count(Status.TIMED) == 4
    assert "neighbor/shfl" not in {name for name, _ in device.launched}


def test_unsafe_variant_is_timed_and_reported_as_matched_n_of_n(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS | {"smem-unsafe": Script(fault=one_lane(in_iteration(0), runs=5))}))
    outcome = run("demo.yaml")
    assert outcome.code == 0
    row = rows_of(outcome)[NEIGHBOR[1]]
    assert (row.status, row.safe, row.matched, row.inputs) == (Status.TIMED, False, 5, 8)
    assert "UNSAFE, 5 of 8 inputs matched" in outcome.err


CRASHES = {
    "while it is verified": Script(run_raises={2: LaunchError("shfl: illegal address")}),
    "while it is timed": Script(burst_raises={7: LaunchError("shfl: illegal address")}),
    "while it is loaded": Script(resident_raises=LaunchError("shfl: illegal address")),
}


@pytest.mark.parametrize(
    ("script", "launch"),
    [
        *(pytest.param(script, "2x64", id=f"2x64-{when}") for when, script in CRASHES.items()),
        *(
            # A grid that fills the GPU is computed where the kernel is loaded.
            pytest.param(
                script, "fill x 64", id=f"fill x 64-{when}", marks=() if when.endswith("loaded") else pytest.mark.archs
            )
            for when, script in CRASHES.items()
        ),
    ],
)
def test_crash_costs_its_case_alone_and_exits_5(run: Command, plug: Plug, script: Script, launch: str) -> None:
    plug(FakeBackend(SCRIPTS | {"neighbor/shfl": script}))
    outcome = run("demo.yaml", "--launch", launch)
    assert outcome.code == 5
    row = rows_of(outcome)[f"neighbor/shfl/f32/{launch}/4096/mode=idx"]
    assert (row.status, row.reason, row.time_us) == (Status.FAILED, "shfl: illegal address", None)
    assert statuses(outcome).count(Status.TIMED) == 4


def write_shuffle_as(shuffle: str) -> None:
    """Let the suite use a copy of `neighbor` whose shuffle is written like this."""
    copy_neighbor("neighbor", ("kernels.cu", "shflbench::shfl::from_neighbor(x)", shuffle))
    Path("demo.yaml").write_text(SUITE.replace("pattern: neighbor", "pattern: ./neighbor"), encoding="utf-8")


def test_kernel_with_unexpected_instructions_fails_without_being_run(run: Command, plug: Plug) -> None:
    write_shuffle_as("x * T(0.5) + T(lane())")
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--pattern", "neighbor")
    assert outcome.code == 5
    assert rows_of(outcome)[NEIGHBOR[2]].reason == (
        "the machine code has no SHFL: the shfl mechanism was optimized away; "
        "the loop has 0 SHFL per iteration, not the declared 1"
    )
    assert "neighbor/shfl" not in {name for name, _ in device.launched}


def test_kernel_that_does_not_compile_costs_its_case_alone(run: Command) -> None:
    write_shuffle_as("shuffle(x)")
    outcome = run("demo.yaml", "--pattern", "neighbor")
    assert outcome.code == 5
    assert statuses(outcome) == [Status.VERIFIED, Status.VERIFIED, Status.FAILED]
    reason = rows_of(outcome)[NEIGHBOR[2]].reason or ""
    assert reason.startswith("neighbor_shfl<float> for sm_90 does not compile: neighbor/kernels.cu:")
    assert 'identifier "shuffle" is undefined' in reason
    assert reason.endswith("| REPEAT(iterations) x = next(x, shuffle(x));")

"""The real `shflbench run` where there is no GPU."""

from pathlib import Path

import pytest

from shflbench.core.model import Status
from tests.cli.demo import NEIGHBOR, REDUCE, SCRIPTS, Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend


def test_without_a_gpu_every_case_is_verified_on_the_emulator(run: Command) -> None:
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    first, *_ = outcome.err.splitlines()
    assert first == (
        "No GPU (the driver lists none). Kernels are compiled, and verified by running their PTX on the emulator; "
        "nothing is timed."
    )
    assert "(emulated, not timed)" in outcome.err
    rows = rows_of(outcome)
    assert list(rows) == NEIGHBOR + REDUCE
    assert {(row.status, row.backend, row.arch) for row in rows.values()} == {(Status.VERIFIED, "emulator", "sm_90")}
    assert all((row.time_us, row.samples, row.occupancy) == (None, None, None) for row in rows.values())
    assert {row.case_id: row.matched == row.inputs for row in rows.values()} == {
        row.case_id: row.safe for row in rows.values()
    }
    assert rows[REDUCE[1]].sass_per_iteration == {"SHFL": 5.0}


@pytest.mark.archs
@pytest.mark.every_schedule  # processes do not have fewer
def test_results_are_the_same_in_one_process_and_in_several(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for cores in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert run("demo.yaml", "--output", f"on-{cores}", "--iterations", "64").code == 0
        found.append(Path(f"on-{cores}", "results.csv").read_bytes())
    assert found[0] == found[1]


def test_large_launch_is_verified_with_fewer_blocks_and_the_row_says_so(run: Command) -> None:
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", "--launch", "64x1024")
    (row,) = rows_of(outcome).values()
    assert (row.status, row.grid, row.verified_launch) == (Status.VERIFIED, 64, "8x1024")
    assert "verified with up to 51 iterations and launch 8x1024 instead of 4096 and 64x1024\n" in outcome.err


def test_launches_in_numbers_of_sms_say_at_which_launch_they_were_emulated(run: Command) -> None:
    flags = ("--pattern", "reduce", "--variant", "shfl", "--launch", "sms x 64", "--launch", "16*sms x 64")
    outcome = run("demo.yaml", "--iterations", "16", *flags)
    assert {row.verified_launch for row in rows_of(outcome).values()} == {"2x64"}
    for launch in ("sms x 64", "16*sms x 64"):
        assert f"launch 2x64 instead of 16 and {launch}\n" in outcome.err


def test_device_none_runs_nothing(run: Command) -> None:
    outcome = run("demo.yaml", "--device", "none")
    assert outcome.code == 0
    rows = rows_of(outcome)
    assert {(row.status, row.backend) for row in rows.values()} == {(Status.COMPILED, "none")}
    assert all((row.time_us, row.matched) == (None, None) for row in rows.values())


def test_grid_stays_empty_until_the_number_of_sms_is_given(run: Command) -> None:
    case = ("demo.yaml", "--pattern", "reduce", "--variant", "shfl", "--iterations", "16")
    flags = (*case, "--launch", "2*sms x 64", "--launch", "fill x 64")
    grids = {row.launch: row.grid for row in rows_of(run(*flags)).values()}
    assert grids == {"2*sms x 64": None, "fill x 64": None}
    grids = {row.launch: row.grid for row in rows_of(run(*flags, "--sms", "100")).values()}
    assert grids == {"2*sms x 64": 200, "fill x 64": None}


def test_variant_that_the_architecture_does_not_support_is_skipped_with_the_reason(run: Command) -> None:
    outcome = run("gtc2013", "--arch", "sm_75", "--pattern", "reduce", "--dtype", "i32", "--variant", "redux")
    assert outcome.code == 0
    (row,) = rows_of(outcome).values()
    assert (row.status, row.arch) == (Status.SKIPPED, "sm_75")
    assert row.reason == "redux needs sm_80 or newer, and this is sm_75"


def test_architecture_that_the_compiler_does_not_know_exits_4(run: Command) -> None:
    outcome = run("demo.yaml", "--arch", "90")
    assert (outcome.code, outcome.out) == (4, "")
    assert "does not compile for 90; it supports sm_" in outcome.err
    assert not Path("results").exists()


@pytest.mark.parametrize("flag", [("--arch", "sm_80"), ("--sms", "100")])
def test_architecture_or_sm_count_means_a_run_without_the_gpu(run: Command, plug: Plug, flag: tuple[str, str]) -> None:
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", *flag)
    assert outcome.code == 0
    assert outcome.err.startswith("Kernels are compiled, and verified by running their PTX on the emulator; ")
    assert device.opened == []


@pytest.mark.parametrize(
    "flags",
    [
        ("--gpu", "0", "--arch", "sm_80"),
        ("--gpu", "1", "--arch", "sm_80"),
        ("--gpu", "1", "--device", "emulator"),
        ("--device", "cuda", "--arch", "sm_80"),
        ("--device", "cuda", "--sms", "100"),
    ],
    ids=" ".join,
)
def test_gpu_and_no_gpu_exclude_each_other(run: Command, flags: tuple[str, ...]) -> None:
    outcome = run("demo.yaml", *flags)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.endswith("Leave one of them out\n")

"""`shflbench bench --launch`: for all kernels, and for each kernel its own."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import KERNELS, LARGE_SUMS

ARGUMENTS = ("--arg", "out=f32[4]", "--arg", "in=f32[400]", "--arg", "n=100")


def launches() -> set[tuple[str, str, int | None, int]]:
    return {(row.launch, row.variant, row.grid, row.block) for row in read_run(Path("run")).rows}


def test_kernels_have_launches_of_their_own(bench: BenchCommand) -> None:
    given = ("--launch", "sums_smem=4x256", "--launch", "sums_shfl=4x64")
    outcome = bench(KERNELS, *given, *ARGUMENTS)
    assert outcome.code == 0, outcome.err
    assert launches() == {("own", "sums_smem", 4, 256), ("own", "sums_shfl", 4, 64)}


def test_launch_without_a_name_is_that_of_the_other_kernels(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--launch", "sums_smem=4x256", "--launch", "4x32", *ARGUMENTS)
    assert outcome.code == 0, outcome.err
    assert launches() == {("own", "sums_smem", 4, 256), ("own", "sums_shfl", 4, 32)}


@pytest.mark.archs
def test_several_launches_of_each_kernel_go_together(bench: BenchCommand) -> None:
    given = [f"--launch=sums_{name}" for name in ("smem=4x256", "smem=4x128", "shfl=4x64", "shfl=4x128")]
    outcome = bench(KERNELS, *given, *ARGUMENTS)
    assert outcome.code == 0, outcome.err
    assert launches() == {
        ("own", "sums_smem", 4, 256),
        ("own", "sums_shfl", 4, 64),
        ("4x128", "sums_smem", 4, 128),
        ("4x128", "sums_shfl", 4, 128),
    }


@pytest.mark.archs
def test_launches_of_equal_blocks_are_all_run(bench: BenchCommand) -> None:
    assert bench(LARGE_SUMS, "--launch", "64x128", "--launch", "32x128").code == 0
    assert {launch for launch, *_ in launches()} == {"64x128", "32x128"}


def test_check_runs_each_kernel_at_its_own_launch(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--launch", "sums_smem=4x256", "--launch", "sums_shfl=4x512", *ARGUMENTS)
    assert outcome.code == 1
    assert "sums_shfl is not timed: broken, " in outcome.err  # its array has 8 elements, and there are 16 warps
    assert {name for _, name, *_ in launches()} == {"sums_smem"}


def test_name_of_no_kernel_is_refused_with_the_names(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--launch", "sums_shuffle=4x256", *ARGUMENTS)
    assert outcome.code == 2
    assert "error: --launch: there is no kernel `sums_shuffle`" in outcome.err
    assert "Choose one of: sums_smem, sums_shfl" in outcome.err


def test_different_numbers_of_launches_are_refused(bench: BenchCommand) -> None:
    given = [f"--launch=sums_{name}" for name in ("smem=4x256", "smem=4x128", "shfl=4x64")]
    outcome = bench(KERNELS, *given, *ARGUMENTS)
    assert outcome.code == 2
    assert "--launch gives `sums_smem` 2 launches and `sums_shfl` 1" in outcome.err


def test_several_groups_of_own_launches_are_refused(bench: BenchCommand) -> None:
    given = [f"--launch=sums_{name}" for name in ("smem=4x256", "smem=4x128", "shfl=4x64", "shfl=4x32")]
    outcome = bench(KERNELS, *given, *ARGUMENTS)
    assert outcome.code == 2
    assert "2 groups that are called `own`" in outcome.err


def test_without_a_gpu_no_kernel_is_compared_with_one_that_is_too_large_to_emulate(bench: BenchCommand) -> None:
    arguments = ("--arg", "out=f32[20000]", "--arg", "in=f32[2000000]", "--arg", "n=100")
    outcome = bench(KERNELS, "--launch", "sums_smem=20000x256", "--launch", "sums_shfl=100x256", *arguments)
    assert outcome.code == 0, outcome.err
    rows = read_run(Path("run")).rows
    assert {row.status.value for row in rows} == {"skipped"}
    assert all("its results are compared on a GPU only" in (row.reason or "") for row in rows)

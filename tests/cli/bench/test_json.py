"""`shflbench bench --format json`: the comparison as one object on stdout."""

import json
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import SUMS
from tests.cli.bench.test_timed import EmulatedGpu, gpu

__all__ = ["gpu"]  # a fixture
BROKEN = SUMS.replace("__syncthreads();\n    if (threadIdx.x == 0) {", "if (threadIdx.x == 0) {")


@pytest.mark.archs
def test_json_has_times_and_ratios_with_intervals(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    outcome = bench(SUMS, "--format", "json", "--precision", "5%")
    assert gpu.opened
    assert outcome.code == 0, outcome.err
    record = json.loads(outcome.out)
    assert (record["files"], record["folder"], record["left_out"]) == (["sums.cu"], "run", [])
    (group,) = record["groups"]
    assert (group["pattern"], group["launch"], group["baseline"]) == ("sums", "8x256", "sums_smem")
    smem, shfl = sorted(group["kernels"], key=lambda kernel: -kernel["time_us"])
    assert (smem["kernel"], smem["verification"], smem["speedup"]) == ("sums_smem", "the reference", 1.0)
    assert (shfl["kernel"], shfl["verification"], shfl["speedup"]) == ("sums_shfl", "same as sums_smem", 2.0)
    assert shfl["time_low_us"] <= shfl["time_us"] <= shfl["time_high_us"]
    assert shfl["speedup_low"] <= 2.0 <= shfl["speedup_high"]


@pytest.mark.archs
def test_json_has_the_interval_that_decides(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    outcome = bench(SUMS, "--format", "json", "--precision", "5%")
    assert gpu.opened
    (group,) = json.loads(outcome.out)["groups"]
    assert (group["fastest"], group["certainty"]) == ("sums_shfl", "clear")
    smem, shfl = sorted(group["kernels"], key=lambda kernel: -kernel["time_us"])
    low, high = shfl["joint_speedup_low"], shfl["joint_speedup_high"]
    assert f"sums_shfl runs at 2.00× ({low:.2f}× to {high:.2f}×) the speed of sums_smem" in outcome.err
    assert low < shfl["speedup_low"] <= shfl["speedup_high"] < high
    row = next(row for row in read_run(Path("run")).rows if row.variant == "sums_shfl")
    assert [row.joint_speedup_low, row.joint_speedup_high] == pytest.approx([low, high])
    assert (smem["slowdown"], smem["joint_slowdown_low"], smem["joint_slowdown_high"]) == (2.0, low, high)
    assert (smem["joint_speedup_low"], smem["joint_speedup_high"], shfl["slowdown"]) == (1.0, 1.0, 1.0)


def test_json_names_the_launch_of_each_kernel_without_a_gpu(bench: BenchCommand) -> None:
    outcome = bench(SUMS.replace("sums_shfl<<<rows, 256>>>", "sums_shfl<<<rows, 64>>>"), "--format", "json")
    (group,) = json.loads(outcome.out)["groups"]
    assert group["launch"] == "own"
    assert {
        (item["kernel"], item["status"], *map(tuple, (item["grid"], item["block"]))) for item in group["kernels"]
    } == {
        ("sums_smem", "verified", (8, 1, 1), (256, 1, 1)),
        ("sums_shfl", "verified", (8, 1, 1), (64, 1, 1)),
    }
    assert {item["time_us"] for item in group["kernels"]} == {None}
    assert {item["joint_speedup_low"] for item in group["kernels"]} == {group["fastest"]} == {None}


def test_json_names_kernels_that_are_left_out(bench: BenchCommand) -> None:
    outcome = bench(BROKEN, "--format", "json")
    assert outcome.code == 1
    record = json.loads(outcome.out)
    (left_out,) = record["left_out"]
    assert (left_out["kernel"], left_out["is_broken"]) == ("sums_shfl", True)
    assert left_out["sentence"].startswith("broken, ")
    assert [item["kernel"] for group in record["groups"] for item in group["kernels"]] == ["sums_smem"]


def test_json_is_written_where_no_kernel_is_left(bench: BenchCommand) -> None:
    outcome = bench(BROKEN, "--format", "json", "--kernel", "sums_shfl")
    assert outcome.code == 1
    record = json.loads(outcome.out)
    assert (record["folder"], record["groups"]) == (None, [])

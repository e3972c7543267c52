"""Challengers whose authors want to win by doing less: none of them beats a published variant."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from shflbench.measure.workload import INPUT_SETS
from tests.cli.challenge.conftest import SHARED, SMALL, SUM, ScriptedGpu
from tests.cli.challenge.test_timed import PUBLISHED
from tests.conftest import Command, Outcome
from tests.fakes.backend import Script

EMULATED = ("--device", "emulator")


def tried(challenge: Command, old: str, new: str, *words: str, launch: Sequence[str] = SMALL) -> Outcome:
    """Return what `challenge reduce` says of `sum.cu` with other text."""
    assert old in SUM
    Path("hostile.cu").write_text(SUM.replace(old, new), encoding="utf-8")
    return challenge("reduce", "hostile.cu", *SHARED, *launch, *words)


@pytest.mark.parametrize("count", ["iterations > 100", "iterations == 1024", "iterations == 256", "iterations == 341"])
def test_fewer_iterations_than_are_timed_exit_5(challenge: Command, count: str) -> None:
    outcome = tried(challenge, "T x =", f"if ({count}) iterations = 20;\n    T x =", "--dtype", "i32", *EMULATED)
    assert outcome.code == 5
    assert "hostile.cu: my_sum: broken, wrong under all 10 schedules" in outcome.err
    assert "iterations under `lockstep`, element 0 is" in outcome.err


def test_a_race_at_the_timed_iterations_only_exits_1(challenge: Command) -> None:
    outcome = tried(challenge, "__syncwarp();", "if (iterations < 100) __syncwarp();", launch=("--launch", "2x32"))
    assert outcome.code == 1
    assert "RAW and WAR (first in launch 2x32)" in outcome.err


def test_a_fault_at_one_of_the_timed_block_sizes_is_found(challenge: Command) -> None:
    both = ("--launch", "2x64", "--launch", "2x96")
    outcome = tried(challenge, "distance = 16", "distance = blockDim.x == 96 ? 8 : 16", *EMULATED, launch=both)
    assert outcome.code == 5
    assert "my_sum: broken" in outcome.err
    assert tried(challenge, "distance = 16", "distance = blockDim.x == 96 ? 8 : 16", *EMULATED).code == 0


def test_a_gpu_verifies_at_the_timed_iterations_and_grid(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = PUBLISHED
    fewer = "if (iterations > 100 && gridDim.x > 2) iterations = 20;\n    T x ="  # the check has two blocks
    outcome = tried(challenge, "T x =", fewer, "--dtype", "i32", "--precision", "5%", launch=("--launch", "3x64"))
    assert outcome.code == 5
    assert "after 1024 iterations with other inputs, element 0 is" in outcome.err
    assert "beats" not in outcome.out


def test_a_kernel_that_adds_to_its_output_is_launched_again_too(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {"my_count": Script(ns_per_iteration=1.0)}
    text = challenge("count", "--template").out
    head, _, body = text.rpartition("template <")
    stops = f"{{\n    if (launches[thread()]++ >= {INPUT_SETS}) return;"  # after verification
    Path("count.cu").write_text(
        f"{head}__device__ int launches[1 << 20];\n\ntemplate <{body.replace('{', stops, 1)}", "utf-8"
    )
    outcome = challenge("count", "count.cu", "--launch", "4x64", "--precision", "5%")
    assert outcome.code == 5, outcome.err
    assert "its result depends on earlier launches" in outcome.err

"""Challengers whose authors want to win by doing less: none of them beats a published variant."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shflbench.measure.workload import INPUT_SETS
from tests.cli.challenge.conftest import SHARED, SMALL, SUM, ScriptedGpu
from tests.cli.challenge.test_timed import PUBLISHED
from tests.conftest import Command, Outcome
from tests.fakes.backend import Script

EMULATED = ("--device", "emulator")
BY_SHUFFLES = """\
#include "recurrence.cuh"
#include "shflbench.cuh"

__device__ float kept[1 << 20], keys[1 << 20];

__global__ void LAUNCH_BOUNDS hostile(const float* values, float* result, int iterations) {
    extern __shared__ float slots[];
    float x = values[thread()], sum = 0, old = 1e30f;
    const float first = x;
    BEFORE
    REPEAT(iterations) {
        if (!(SKIPPED)) {
            sum = x;
            for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
        }
        old = x;
        x = advance(x, sum);
        if (LAST) break;
    }
    result[thread()] = x;
    AFTER
}
"""
DOUBTS = [
    # The values of this pattern converge: from then on, nothing has to be exchanged.
    ({"SKIPPED": "__all_sync(~0u, x == old)"}, "an iteration executes [0-9]% of the"),
    ({"LAST": "__all_sync(~0u, x == old)"}, "an iteration executes [0-9]% of the"),
    ({"BEFORE": "if (iterations > 100) iterations = 100;"}, "from 12 to 256, an iteration executes .*%"),
    ({"BEFORE": "if (gridDim.x > 8) iterations /= 2;"}, "from 4 to 12, an iteration executes 50%"),
    ({"BEFORE": "if (iterations == 1024 && blockIdx.x) iterations = 768;"}, "from 512 to 1024, an iteration executes"),
    (
        {
            "BEFORE": "if (__all_sync(~0u, keys[thread()] == x && kept[thread()] != 0)) "
            "{ result[thread()] = kept[thread()]; return; }",
            "AFTER": "keys[thread()] = first; kept[thread()] = x;",
        },
        "it writes `kept` and `keys`, where its next launch finds it",
    ),
    ({"AFTER": "((float*)values)[thread()] = 0;"}, "it changes its inputs"),
    ({"BEFORE": "if (result[thread()] == 3.25f) return;"}, "threads read memory that nothing has written"),
    ({"BEFORE": "if (iterations > 99 && slots[threadIdx.x] == 1) return;"}, "threads read memory that nothing has"),
    ({"BEFORE": "if (clock64() < 0) return;"}, "it uses a clock"),
    ({"BEFORE": "if (iterations < 512) __nanosleep(1000);"}, "it sleeps"),
]


def tried(challenge: Command, old: str, new: str, *words: str, launch: Sequence[str] = SMALL) -> Outcome:
    """Return what `challenge reduce` says of `sum.cu` with other text."""
    assert old in SUM
    Path("hostile.cu").write_text(SUM.replace(old, new), encoding="utf-8")
    return challenge("reduce", "hostile.cu", *SHARED, *launch, *words)


@pytest.mark.archs
@pytest.mark.parametrize("count", ["iterations > 100", "iterations == 1024", "iterations == 256", "iterations == 341"])
def test_fewer_iterations_than_are_timed_exit_5(challenge: Command, count: str) -> None:
    outcome = tried(challenge, "T x =", f"if ({count}) iterations = 20;\n    T x =", "--dtype", "i32", *EMULATED)
    assert outcome.code == 5
    assert "hostile.cu: my_sum: broken, wrong under all 10 schedules" in outcome.err
    assert "iterations under `lockstep`, element 0 is" in outcome.err


@pytest.mark.archs
def test_a_race_at_the_timed_iterations_only_exits_1(challenge: Command) -> None:
    outcome = tried(challenge, "__syncwarp();", "if (iterations < 100) __syncwarp();", launch=("--launch", "2x32"))
    assert outcome.code == 1
    assert "RAW and WAR (first in launch 2x32)" in outcome.err


@pytest.mark.archs
def test_a_fault_at_one_of_the_timed_block_sizes_is_found(challenge: Command) -> None:
    both = ("--launch", "2x64", "--launch", "2x96")
    outcome = tried(challenge, "distance = 16", "distance = blockDim.x == 96 ? 8 : 16", *EMULATED, launch=both)
    assert outcome.code == 5
    assert "my_sum: broken" in outcome.err
    assert tried(challenge, "distance = 16", "distance = blockDim.x == 96 ? 8 : 16", *EMULATED).code == 0


@pytest.mark.archs
def test_a_gpu_verifies_at_the_timed_iterations_and_grid(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = PUBLISHED
    fewer = "if (iterations > 100 && gridDim.x > 2) iterations = 20;\n    T x ="  # the check has two blocks
    outcome = tried(challenge, "T x =", fewer, "--dtype", "i32", "--precision", "5%", launch=("--launch", "3x64"))
    assert outcome.code == 5
    assert "after 1024 iterations with other inputs, element 0 is" in outcome.err
    assert "beats" not in outcome.out


@pytest.mark.archs
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


@pytest.mark.archs
@pytest.mark.parametrize(("parts", "doubt"), DOUBTS)
def test_a_kernel_that_may_do_less_where_it_is_timed_is_not_compared(
    challenge: Command, scripted: ScriptedGpu, parts: Mapping[str, str], doubt: str
) -> None:
    scripted.by_name = {**PUBLISHED, "hostile": Script(ns_per_iteration=100.0)}
    text = BY_SHUFFLES
    for word, usual in {"BEFORE": "", "SKIPPED": "false", "LAST": "false", "AFTER": ""}.items():
        text = text.replace(word, parts.get(word, usual))
    Path("hostile.cu").write_text(text, encoding="utf-8")
    outcome = challenge("reduce", "hostile.cu", *SHARED, "--launch", "12x64", "--precision", "5%")
    assert re.search(f"hostile will not be compared: .*{doubt}", outcome.err)
    if outcome.code == 0:
        assert re.search(f"  hostile is not compared: .*{doubt}", outcome.out)
        assert "hostile beats the published best of each mechanism at 0 of 1 launch." in outcome.out
    else:  # its results are wrong as well
        assert (outcome.code, "beats" in outcome.out, "INCORRECT" in outcome.err) == (5, False, True)


@pytest.mark.archs
def test_a_kernel_that_does_its_work_has_no_doubt(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}
    outcome = challenge("reduce", "sum.cu", *SHARED, "--launch", "12x64", "--precision", "5%", "--format", "json")
    assert [one["doubt"] for one in json.loads(outcome.out)["challengers"]] == [""]

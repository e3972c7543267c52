"""Challengers on a GPU with scripted times: the verdict, its factor and its reason."""

import json
from pathlib import Path

import pytest

from shflbench.measure.workload import INPUT_SETS
from shflbench.store import read_run
from tests.cli.challenge.conftest import SHARED, SMALL, ScriptedGpu
from tests.conftest import Command
from tests.fakes.backend import Script

# Nanoseconds per iteration of one warp; the others take 300.
PUBLISHED = {
    "reduce_shfl": Script(ns_per_iteration=132.0),
    "reduce_smem_wide": Script(ns_per_iteration=110.0),
    "reduce_smem8_shfl": Script(ns_per_iteration=121.0),
}


def lines_of(text: str, *words: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if all(word in line for word in words)]


@pytest.mark.archs
def test_a_challenger_beats_the_best_of_each_mechanism_by_a_factor_with_its_interval(
    challenge: Command, scripted: ScriptedGpu
) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    assert (outcome.code, outcome.err.count("error")) == (0, 0)
    assert lines_of(outcome.out, "my_sum", "beats", "smem-wide", "[")[0].startswith(
        "my_sum beats smem-wide smem 1.10× [1.10, 1.10]"
    )
    assert lines_of(outcome.out, "smem8-shfl", "hybrid", "[") == ["my_sum beats smem8-shfl hybrid 1.21× [1.21, 1.21]"]
    assert lines_of(outcome.out, "1.32×") == ["my_sum beats shfl shfl 1.32× [1.32, 1.32]"]
    assert "my_sum beats the published best of each mechanism at 1 of 1 launch." in outcome.out
    assert "2x64: my_sum beats smem-wide (smem) by 1.10× [1.10, 1.10]" in outcome.out


@pytest.mark.archs
def test_it_says_why_by_instructions_and_limit(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    (mine,) = lines_of(outcome.out, "my_sum:", "instructions per iteration")
    assert "STS 5" in mine
    assert "LDS 5" in mine
    assert "cycles, by latency" in mine
    assert lines_of(outcome.out, "smem-wide:", "instructions per iteration")


@pytest.mark.archs
def test_a_slower_challenger_and_one_that_ties_are_named(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=121.1)}
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    assert outcome.code == 0
    assert lines_of(outcome.out, "is slower than", "smem-wide") == [
        "my_sum is slower than smem-wide smem 0.91× [0.91, 0.91]"
    ]
    assert lines_of(outcome.out, "ties with", "smem8-shfl") == ["my_sum ties with smem8-shfl hybrid 1.00× [1.00, 1.00]"]
    assert "my_sum beats the published best of each mechanism at 0 of 1 launch." in outcome.out


@pytest.mark.archs
def test_a_challenger_that_takes_less_time_than_its_code_needs_is_not_compared(
    challenge: Command, scripted: ScriptedGpu
) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=10.0)}  # skips iterations, or keeps results
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    assert "my_sum is not compared: it takes less time than its machine code needs" in outcome.out
    assert "my_sum beats the published best of each mechanism at 0 of 1 launch." in outcome.out


@pytest.mark.archs
def test_a_challenger_whose_time_does_not_grow_with_the_iterations_is_not_compared(
    challenge: Command, scripted: ScriptedGpu
) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(base_us=100.0, ns_per_iteration=0.0)}
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    assert "my_sum is not compared: its time does not grow with the number of iterations" in outcome.out
    assert "at 0 of 1 launch." in outcome.out


ONCE = """#include "recurrence.cuh"
#include "shflbench.cuh"
__global__ void LAUNCH_BOUNDS once(const float* values, float* result, int iterations) {
    float x = values[thread()], sum = x;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    REPEAT(iterations) x = advance(x, sum);
    result[thread()] = x;
}
"""


@pytest.mark.archs
def test_a_challenger_that_exchanges_before_the_timed_loop_only_is_not_compared(
    challenge: Command, scripted: ScriptedGpu
) -> None:
    scripted.by_name = {**PUBLISHED, "once": Script(ns_per_iteration=100.0)}
    Path("once.cu").write_text(ONCE, encoding="utf-8")
    outcome = challenge("reduce", "once.cu", *SMALL, "--precision", "5%")
    assert "once is not compared: its timed loop exchanges no values" in outcome.out
    assert "once beats the published best of each mechanism at 0 of 1 launch." in outcome.out


@pytest.mark.archs
def test_noise_widens_the_interval(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {
        name: Script(ns_per_iteration=script.ns_per_iteration, noise=0.05)
        for name, script in {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}.items()
    }
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%", "--format", "json")
    (launch,) = json.loads(outcome.out)["launches"]
    (one,) = [item for item in launch["comparisons"] if item["mechanism"] == "smem"]
    assert one["factor_low"] < one["factor"] - 0.002
    assert one["factor"] + 0.002 < one["factor_high"]
    assert launch["times_per"] == "iteration"


@pytest.mark.archs
def test_the_run_keeps_the_pattern_so_that_it_can_be_run_again(
    challenge: Command, scripted: ScriptedGpu, shflbench: Command
) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%", "-o", "first")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1] == "first"
    rows = {row.variant: row for row in read_run(Path("first")).rows}
    assert (rows["my_sum"].pattern, rows["my_sum"].mechanism) == ("reduce", "smem")
    assert "smem-unsafe" not in rows
    again = shflbench("run", "first/challenge/challenge-reduce.yaml", "--variant", "my_sum", "--variant", "shfl")
    assert again.code == 0
    assert shflbench("show", "first").code == 0
    assert shflbench("limits", "first").code == 0


@pytest.mark.archs
def test_a_challenger_that_the_gpu_finds_wrong_exits_5(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = PUBLISHED
    text = Path("sum.cu").read_text(encoding="utf-8")
    wrong = text.replace("x = advance(x, sum);", "x = advance(x, gridDim.x < 2 ? x : sum);")  # the check has two blocks
    Path("sum.cu").write_text(wrong, encoding="utf-8")
    outcome = challenge("reduce", "sum.cu", *SHARED, "--launch", "1x160", "--precision", "5%")
    assert outcome.code == 5
    assert "INCORRECT" in outcome.err
    assert "beats" not in outcome.out


@pytest.mark.archs
def test_a_challenger_that_returns_an_earlier_result_is_not_timed(challenge: Command, scripted: ScriptedGpu) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=1.0)}
    head, _, body = Path("sum.cu").read_text(encoding="utf-8").partition("template")
    launches = 2 * INPUT_SETS  # of the verification, each set at two iteration counts
    body = body.replace("REPEAT(", f"if (count[thread()]++ >= {launches}) iterations = 0;\n    REPEAT(")
    body = body.replace("result[thread()] = x;", "result[thread()] = kept[thread()] = iterations ? x : kept[thread()];")
    variables = "__device__ int count[1 << 20];\n__device__ float kept[1 << 20];\n\n"
    Path("sum.cu").write_text(f"{head}{variables}template{body}", encoding="utf-8")
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%")
    assert outcome.code == 5
    assert "its result depends on earlier launches" in outcome.err
    assert "beats" not in outcome.out


@pytest.mark.archs
def test_a_kernel_that_adds_to_its_output_is_timed(challenge: Command, scripted: ScriptedGpu) -> None:
    del scripted
    Path("count.cu").write_text(challenge("count", "--template").out, encoding="utf-8")
    outcome = challenge("count", "count.cu", "--launch", "4x64", "--precision", "5%", "-o", "counted")
    assert outcome.code == 0
    assert lines_of(outcome.out, "my_count", "ties with")


@pytest.mark.archs
def test_limits_reads_a_run_with_variants_that_the_pattern_lacks(
    challenge: Command, scripted: ScriptedGpu, shflbench: Command
) -> None:
    scripted.by_name = {**PUBLISHED, "my_sum": Script(ns_per_iteration=100.0)}
    assert challenge("reduce", "sum.cu", *SHARED, *SMALL, "--precision", "5%", "-o", "first").code == 0
    assert shflbench("limits", "first", "--requests").code == 0
    assert shflbench("inspect", "first", "--diff", "my_sum", "shfl").code == 0
    outcome = shflbench("check", "first/challenge/reduce", "--variant", "my_sum")
    assert (outcome.code, "1 kernel for sm_90" in outcome.err) == (0, True)
    outcome = shflbench("check", "first/challenge/reduce/kernels.cu")
    assert "belongs to patterns; check the pattern: shflbench check first/challenge/reduce\n" in outcome.out

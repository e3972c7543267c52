"""Without a GPU, challengers are checked, verified and estimated, and nothing is called faster."""

import json
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.store import read_run
from tests.cli.challenge.conftest import SHARED, SMALL, SUM
from tests.conftest import Command


@pytest.mark.archs
def test_it_checks_verifies_and_estimates_and_exits_4(challenge: Command) -> None:
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL)
    assert outcome.code == 4
    assert "Checked: clean (1 kernel)." in outcome.err
    assert "nothing was timed" in outcome.err.splitlines()[-2]
    assert "estimated and not timed" in outcome.out
    (mine,) = [line.split() for line in outcome.out.splitlines() if line.endswith("challenger")]
    assert mine[:2] == ["my_sum", "smem"]
    folder = Path(outcome.out.splitlines()[-1])
    (row,) = read_run(folder).rows
    assert (row.variant, row.mechanism, row.status) == ("my_sum", "smem", Status.VERIFIED)
    assert (folder / "challenge" / "reduce" / "challengers" / "sum.cu").read_text(encoding="utf-8") == SUM
    assert not list(folder.rglob("*.py"))  # of the pattern that shflbench ships, and nothing that is generated


@pytest.mark.archs
def test_whoever_asks_for_the_emulator_gets_0(challenge: Command) -> None:
    outcome = challenge("reduce", "sum.cu", *SHARED, *SMALL, "--device", "emulator", "--format", "json")
    assert outcome.code == 0
    record = json.loads(outcome.out)
    assert [one["verdict"] for one in record["challengers"]] == ["clean"]
    (estimate,) = record["estimates"]
    by_name = {one["variant"]: one for one in estimate["variants"]}
    assert by_name["my_sum"]["is_challenger"]
    assert by_name["my_sum"]["limit_cycles"] == by_name["smem-syncwarp"]["limit_cycles"]
    assert record["launches"] == []


@pytest.mark.archs
def test_a_race_exits_1_with_the_lines(challenge: Command) -> None:
    Path("race.cu").write_text(SUM.replace("__syncwarp();", ""), encoding="utf-8")
    outcome = challenge("reduce", "race.cu", *SHARED, *SMALL)
    assert outcome.code == 1
    assert "race.cu: my_sum: broken" in outcome.err
    assert "race.cu:13 (thread 0 of block 0) reads what race.cu:11 (thread 16 of block 0) wrote" in outcome.err
    assert not Path("results").exists()


def test_too_little_shared_memory_exits_1(challenge: Command) -> None:
    outcome = challenge("reduce", "sum.cu", *SMALL)
    assert outcome.code == 1
    assert "sum.cu:11 (thread 0 of block 0) writes memory out of bounds" in outcome.err
    assert "A block needs more dynamic shared memory: give it by --shared" in outcome.err


@pytest.mark.archs
def test_a_wrong_result_exits_5_with_the_first_wrong_value(challenge: Command) -> None:
    Path("wrong.cu").write_text(SUM.replace("distance = 16", "distance = 8"), encoding="utf-8")
    outcome = challenge("reduce", "wrong.cu", *SHARED, *SMALL)
    assert outcome.code == 5
    assert "wrong.cu: my_sum: broken" in outcome.err
    assert "wrong under every schedule" in outcome.err


def test_a_result_that_was_computed_before_the_loop_exits_5(challenge: Command) -> None:
    text = SUM.replace("REPEAT(iterations) {", "if (iterations > 0) {")
    Path("folded.cu").write_text(text, encoding="utf-8")
    outcome = challenge("reduce", "folded.cu", *SHARED, *SMALL)
    assert outcome.code == 5
    assert "folded.cu:5: `my_sum`: " in outcome.err
    assert "loop" in outcome.err


@pytest.mark.archs
def test_a_header_beside_the_file_is_found(challenge: Command) -> None:
    head, _, body = SUM.partition("template")
    Path("mine.cuh").write_text(f"{head}template{body.replace('my_sum', 'of_header')}", encoding="utf-8")
    Path("with.cu").write_text(f'{head}#include "mine.cuh"\ntemplate{body}', encoding="utf-8")
    outcome = challenge("reduce", "with.cu", *SHARED, *SMALL, "--device", "emulator")
    assert outcome.code == 0
    assert "of_header" not in outcome.out


@pytest.mark.archs
def test_only_named_kernels_are_tried(challenge: Command) -> None:
    second = SUM.partition("template")[2].replace("my_sum", "second")
    Path("two.cu").write_text(f"{SUM}template{second}", encoding="utf-8")
    both = challenge("reduce", "two.cu", *SHARED, *SMALL, "--device", "emulator", "--format", "json")
    assert [one["kernel"] for one in json.loads(both.out)["challengers"]] == ["my_sum", "second"]
    one = challenge(
        "reduce", "two.cu", *SHARED, *SMALL, "--device", "emulator", "--format", "json", "--kernel", "second"
    )
    assert [item["kernel"] for item in json.loads(one.out)["challengers"]] == ["second"]


@pytest.mark.archs
def test_a_pattern_of_one_pass_says_why_there_is_no_limit(challenge: Command) -> None:
    template = challenge("moving-average", "--template")
    Path("average.cu").write_text(template.out, encoding="utf-8")
    outcome = challenge("moving-average", "average.cu", "--launch", "4x64")
    assert outcome.code == 4
    assert "No limits or predictions: no limit: makes one pass, without a timed loop." in outcome.err


@pytest.mark.archs
def test_any_name_of_a_file_will_do(challenge: Command) -> None:
    name = 'my sum\'s "file".cu'
    Path(name).write_text(SUM, encoding="utf-8")
    assert challenge("reduce", name, *SHARED, *SMALL, "--device", "emulator").code == 0


@pytest.mark.archs
def test_kernels_that_the_preprocessor_leaves_out_are_no_challengers(challenge: Command) -> None:
    out = "#if OPTION_WIDTH_8 || 0\n__global__ void other(int* x) {}\n#endif\n"
    Path("part.cu").write_text(f"{SUM}{out}", encoding="utf-8")
    assert challenge("reduce", "part.cu", *SHARED, *SMALL, "--device", "emulator").code == 0
    outcome = challenge("reduce", "part.cu", *SHARED, *SMALL, "--option", "width=8")
    assert outcome.code == 2
    assert "`other` takes `(int* x)`" in outcome.err


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize("unroll", [1, 8])
def test_a_loop_inside_the_timed_loop_has_no_estimate(challenge: Command, unroll: int) -> None:
    sums = f"""T sum = 0;
        slots[threadIdx.x] = x;
        __syncwarp();
#pragma unroll {unroll}
        for (int i = 0; i < 32; ++i) sum += slots[first_of_warp() + ((i + lane()) & 31)];
        __syncwarp();
"""
    head, tail = SUM.partition("T sum = x;")[0], SUM.partition("        x = advance")[2]
    Path("inner.cu").write_text(f"{head}{sums}        x = advance{tail}", encoding="utf-8")
    outcome = challenge("reduce", "inner.cu", *SHARED, *SMALL, "--device", "emulator")
    assert outcome.code == 0, outcome.err
    assert "challenger; no limit: its timed loop contains a loop" in outcome.out
    assert "by prediction" not in outcome.out


@pytest.mark.archs
def test_a_kernel_that_does_not_fit_an_sm_has_no_estimate(challenge: Command) -> None:
    outcome = challenge("reduce", "sum.cu", "--shared", "230*threads", "--launch", "2x1024", "--device", "emulator")
    assert "skipped: a block of 1024 threads with 235520 bytes of shared memory does not fit an SM" in outcome.err
    (mine,) = [" ".join(line.split()) for line in outcome.out.splitlines() if line.strip().startswith("my_sum")]
    assert mine == "my_sum smem challenger; a block of 1024 threads does not fit an SM"

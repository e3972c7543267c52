"""`shflbench inspect --diff` on real kernels: of two variants, of two architectures, and of two compilers."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Command

RUN = Path(__file__).parents[3] / "results/gtc2013/nvidia-h200"  # compiled by NVRTC 13.5


TABLE = """\
rolled  f32  sm_90  1 block of 32 warps per SM
                            alone  followed
  limit (cycles/iteration)  32.0   32.0
  limited by                issue  issue
  instructions              4      4
  exchange                  1      1
  integer                   1      1
  uniform                   1      1
  other                     1      1
  registers                 10     14
  occupancy                 100%   100%
  same 4 instructions per pass, in the same order; the control codes differ
  BRA (0x120) waits only in followed for an instruction before the loop"""
LOOPS = [
    "source  alone  followed  source",
    (
        "rolled/kernels.cu:8  0x00f0  UIADD3 UR4, UR4, 0x1, URZ  1  "
        "0x00f0  UIADD3 UR4, UR4, 0x1, URZ  1  rolled/kernels.cu:17"
    ),
    (
        "rolled/kernels.cu:8  0x0100  SHFL.IDX PT, R7, R7, R0, 0x1f  5 w1,2,5 r2 o1  "
        "0x0100  SHFL.IDX PT, R5, R5, R2, 0x1f  5 w1,2,5 r2 o1  rolled/kernels.cu:17"
    ),
    (
        "rolled/kernels.cu:8  0x0110  ISETP.LE.AND P0, PT, R4, UR4, PT  13  "
        "0x0110  ISETP.LE.AND P0, PT, R6, UR4, PT  13  rolled/kernels.cu:17"
    ),
    "rolled/kernels.cu:8  0x0120  @!P0 BRA 0xf0  5  ~  0x0120  @!P0 BRA 0xf0  5 w0  rolled/kernels.cu:17",
]


def sentences(text: str) -> list[str]:
    """Return what stands between the first table and the loops."""
    table, *_ = text.split("\n\n")
    return [line.strip() for line in table.splitlines() if not re.match(r"\S|  .*  ", line)]


def test_a_loop_whose_control_codes_moved_is_explained(inspect: Command) -> None:
    outcome = inspect("rolled", "--diff", "alone", "followed")
    assert (outcome.code, outcome.err) == (0, "")
    table, loops, legend = outcome.out.split("\n\n")
    assert table == TABLE
    assert [re.sub(r" {2,}", "  ", line.strip()) for line in loops.splitlines()] == LOOPS
    assert legend.splitlines()[-1] == (
        "The number before a scoreboard (SB) is the stall count; w: waits for, r: result releases, o: operands release."
    )


def test_variants_are_aligned_by_their_instructions(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--diff", "smem", "shfl")
    assert sentences(outcome.out) == [
        "smem executes 4.19 instructions per iteration, shfl 1.19",
        "more in smem, per iteration: 2 BAR, 1 LDS, 1 STS",
        "more in shfl, per iteration: 1 SHFL",
        "one warp alone needs at least 36.0 cycles per iteration of smem, and 24.0 of shfl",
    ]


@pytest.mark.archs
def test_architectures_are_compiled_and_compared(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--diff", "sm_90", "sm_120")
    title, header, *_ = outcome.out.splitlines()
    assert title == "neighbor  shfl  f32  mode=idx  1 block of 32 warps per SM"
    assert header.split() == ["sm_90", "sm_120"]
    assert sentences(outcome.out) == [
        "both execute 1.19 instructions per iteration, but not the same ones",
        "more in sm_90, per iteration: 0.0625 ISETP, 0.0625 VIADD",
        "more in sm_120, per iteration: 0.0625 UIADD3, 0.0625 UISETP",
    ]


def test_a_run_holds_the_code_of_its_compiler(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "smem", "--diff", str(RUN), "sm_90")
    assert outcome.code == 0
    assert re.search(r"^ +nvidia-h200 \(NVRTC 13\.5\)  sm_90 \(NVRTC [\d.]+\)$", outcome.out, re.MULTILINE)
    assert "same 67 instructions in the same order, with the same control codes" in outcome.out
    assert re.search(r"neighbor/copy.cu:48 +0x01b0 +STS \[R2\], R5", outcome.out)


@pytest.mark.archs
def test_two_runs_with_one_compiler_have_the_same_code(inspect: Command) -> None:
    earlier = [str(RUN.parents[1] / suite / "nvidia-h200") for suite in ("launch-sweep", "quick")]
    outcome = inspect("own.yaml", "--variant", "smem", "--diff", *earlier)
    assert outcome.out.splitlines()[1].split("  ")[-1] == "quick/nvidia-h200 (NVRTC 13.5)"
    assert sentences(outcome.out) == ["same 67 instructions in the same order, with the same control codes"]


def test_kernels_without_a_timed_loop_are_compared_whole(inspect: Command) -> None:
    outcome = inspect("others.yaml", "--diff", "soa", "direct")
    assert outcome.code == 0
    assert "  more in direct: " in outcome.out
    assert re.search(r"registers +22", outcome.out)
    assert len(re.findall(r"LDG", outcome.out)) >= 5  # four of soa, and those of direct


def test_json_holds_both_kernels_and_the_alignment(inspect: Command) -> None:
    outcome = inspect("rolled", "--diff", "alone", "followed", "--format", "json")
    (pair,) = json.loads(outcome.out)["pairs"]
    assert (pair["left"], pair["right"]) == ("alone", "followed")
    assert [kernel["variant"] for kernel in pair["kernels"]] == ["alone", "followed"]
    assert [len(kernel["loop"]["instructions"]) for kernel in pair["kernels"]] == [4, 4]
    assert pair["differences"][1].startswith("BRA (0x120) waits only in followed")
    assert [(item["left"], item["waits_differ"]) for item in pair["aligned"]] == [
        (0xF0, False),
        (0x100, False),
        (0x110, False),
        (0x120, True),
    ]


def test_a_kernel_that_does_not_compile_exits_5_and_says_why(inspect: Command) -> None:
    outcome = inspect("pairs", "--dtype", "i32", "--diff", "right", "initialized")
    assert outcome.code == 5
    assert "initialized: pairs_initialized<int> for sm_90 does not compile" in outcome.out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("own.yaml", "--diff", "smem"), 2, "Option '--diff' requires 2 arguments"),
        (
            ("own.yaml", "--diff", "smem", "warp"),
            2,
            "`warp` is no variant of the targets, no architecture and no folder",
        ),
        (("own.yaml", "--diff", "smem", "sm_90"), 2, "--diff cannot compare `smem` with `sm_90`"),
        (("own.yaml", "--diff", "smem", "smem"), 2, "--diff compares `smem` with itself"),
        (("own.yaml", "--diff", "sm_90", "sm_9"), 2, "no figures are known for `sm_9`"),
        (("own.yaml", "--diff", "sm_90", "sm_75", "--arch", "sm_80"), 2, "--diff names the architectures already"),
        (("pairs", "--dtype", "i32", "--diff", str(RUN), "sm_90"), 2, "have no kernel of the targets in common"),
    ],
)
def test_wrong_sides_are_one_sentence(inspect: Command, words: Sequence[str], code: int, sentence: str) -> None:
    outcome = inspect(*words)
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err

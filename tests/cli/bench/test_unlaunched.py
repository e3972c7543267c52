"""`--kernel 'copy<4>'`, where the host code launches other instances of the template."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_host_variables import QUICK

COPIES = """
template <int ROWS> __global__ void copy(float* out, const float* in, int n) {
    int i = blockIdx.x * 32 * ROWS + threadIdx.y * 32 + threadIdx.x;
    if (i < n) out[i] = in[i];
}
int main(int argc, char** argv) {
    int n = 1024;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    LAUNCH
}
"""
BY_CONSTANT = "constexpr int ROWS = 8; copy<ROWS><<<n / (32 * ROWS), dim3(32, ROWS)>>>(out, in, n);"
BY_FUNCTION = "run<8>(out, in, n);"
FUNCTION = """
template <int ROWS> void run(float* out, const float* in, int n) {
    copy<ROWS><<<n / (32 * ROWS), dim3(32, ROWS)>>>(out, in, n);
}
int main"""
BY_NUMBER = "copy<8><<<4, dim3(32, 8)>>>(out, in, n);"
BOTH = ("--kernel", "copy<8>", "--kernel", "copy<4>")


@pytest.mark.parametrize("launch", [BY_CONSTANT, BY_FUNCTION])
def test_launch_is_what_the_host_code_computes_for_the_instance(bench: BenchCommand, launch: str) -> None:
    text = COPIES.replace("int main", FUNCTION if launch == BY_FUNCTION else "int main")
    outcome = bench(text.replace("LAUNCH", launch), *QUICK, *BOTH, "--format", "json")
    assert outcome.code == 0, outcome.err
    assert '"grid": [\n            8,\n' in outcome.out
    assert {row.variant for row in read_run(Path("run")).rows} == {"copy-8", "copy-4"}


@pytest.mark.parametrize("check", [(), ("--no-check",)])
def test_instance_that_no_launch_is_known_of_is_left_out(bench: BenchCommand, check: tuple[str, ...]) -> None:
    outcome = bench(COPIES.replace("LAUNCH", BY_NUMBER), "--device", "none", *BOTH, *check)
    assert outcome.code == 5
    sentence = "not launched by the host code; give --launch 'copy<4>=GRIDxBLOCK', its arguments are those of copy<8>\n"
    assert f"copy<4> is not timed: {sentence}" in outcome.err


def test_given_launch_takes_the_arguments_of_another_instance(bench: BenchCommand) -> None:
    given = ("--launch", "copy<4>=8x1:32x4")
    outcome = bench(COPIES.replace("LAUNCH", BY_NUMBER), *QUICK, *BOTH, *given)
    assert outcome.code == 0, outcome.err
    assert "out = f32[1024], in = f32[1024], n = 1024 (from the host code)" in outcome.err
    assert {row.variant for row in read_run(Path("run")).rows} == {"copy-8", "copy-4"}

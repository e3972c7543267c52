"""Commands as processes on a program whose launches go through a pointer that only another file knows."""

from pathlib import Path

import pytest

from tests.conftest import Command

# The kernel is right for blocks of one warp only, and the host code launches it so.
PROGRAM = """\
typedef void (*kernel_t)(const float *, float *);
kernel_t pick(kernel_t *, int);
__global__ void rotate(const float *x, float *y) {
    extern __shared__ float part[];
    part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncwarp();
    y[blockIdx.x * blockDim.x + threadIdx.x] = part[(threadIdx.x + 1) % blockDim.x];
}
int main(int argc, char **argv) {
    float *x, *y;
    cudaMalloc(&x, 4096 * 4);
    cudaMalloc(&y, 4096 * 4);
    kernel_t kernels[] = {rotate};
    pick(kernels, argc)<<<128, 32, 128>>>(x, y);
}
"""
SENTENCE = "the launch in line 14 is not understood"


@pytest.mark.archs
def test_no_finding_comes_from_chosen_launches(process: Command) -> None:
    Path("program.cu").write_text(PROGRAM, encoding="utf-8")
    outcome = process("check", "program.cu", "--compiler", "nvrtc", "--host-args", "1 2")
    assert f"{SENTENCE}: its kernel may be `rotate`" in outcome.out
    assert outcome.code == 0, outcome.out
    assert "needs arguments" in outcome.out
    bench = process("bench", "program.cu", "--no-check")
    assert bench.code == 2
    assert f"rotate is not timed: {SENTENCE}; give --launch GRIDxBLOCK" in bench.err
    assert "the launch in line 14 was not understood" in process("advise", "program.cu").out


@pytest.mark.archs
def test_a_table_of_the_file_is_followed(process: Command) -> None:
    text = PROGRAM.replace("pick(kernels, argc)<<<", "kernels[0]<<<")
    Path("program.cu").write_text(text, encoding="utf-8")
    outcome = process("check", "program.cu", "--compiler", "nvrtc")
    assert outcome.code == 0, outcome.out
    assert "no hazard in 1 launch (128x32)" in outcome.out
    assert "not understood" not in outcome.out

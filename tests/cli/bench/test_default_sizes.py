"""Commands as processes on a program whose sizes begin with constants that the command line may replace."""

import re
from pathlib import Path

import pytest

from tests.conftest import Command

pytestmark = pytest.mark.expensive

# Blocks take several tiles only at the sizes of the program: one that overwrites its tile too early is right for fewer.
PROGRAM = """\
#include <cstdlib>
#define TILE 256
__global__ void window_max(const float *in, float *out, int n, int w) {
    extern __shared__ float tile[];
    const int windows = n - w + 1;
    for (int first = blockIdx.x * TILE; first < windows; first += gridDim.x * TILE) {
        for (int k = threadIdx.x; k < TILE + w - 1; k += blockDim.x) tile[k] = first + k < n ? in[first + k] : 0.0f;
        __syncthreads();
        float m = tile[threadIdx.x];
        for (int k = 1; k < w; ++k) m = fmaxf(m, tile[threadIdx.x + k]);
        if (first + threadIdx.x < windows) out[first + threadIdx.x] = m;
        __syncthreads();  // before the next tile
    }
}
int main(int argc, char **argv) {
    SIZES
    const int windows = n - w + 1, blocks = windows < 128 * TILE ? (windows + TILE - 1) / TILE : 128;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, windows * sizeof(float));
    window_max<<<blocks, TILE, (TILE + w - 1) * sizeof(float)>>>(in, out, n, w);
}
"""
RACE = re.sub(r"        __syncthreads\(\);  // before the next tile\n", "", PROGRAM)
CONDITIONAL = "const int n = argc > 1 ? atoi(argv[1]) : 1 << 20, w = argc > 2 ? atoi(argv[2]) : 9;"
ASSIGNED = "int n = 1 << 20, w = 9; if (argc > 1) n = atoi(argv[1]); if (argc > 2) w = atoi(argv[2]);"


@pytest.mark.archs
@pytest.mark.parametrize("sizes", [CONDITIONAL, ASSIGNED])
def test_check_runs_the_launch_of_the_program_without_a_command_line(process: Command, sizes: str) -> None:
    Path("program.cu").write_text(RACE.replace("SIZES", sizes), encoding="utf-8")
    outcome = process("check", "program.cu", "--compiler", "nvrtc")
    assert outcome.code == 1, outcome.out
    assert "1 finding: WAR (first in launch 128x256)" in outcome.out
    assert "n = 1048576, w = 9" in outcome.out


@pytest.mark.archs
def test_a_kernel_that_races_at_the_timed_size_only_is_not_clean(process: Command) -> None:
    Path("program.cu").write_text(RACE.replace("SIZES", CONDITIONAL), encoding="utf-8")
    outcome = process("bench", "program.cu", "--output", "run", "--device", "none")
    assert outcome.code == 1
    assert "Checked: clean" not in outcome.err
    assert "window_max is not timed: broken, WAR" in outcome.err


@pytest.mark.archs
def test_what_is_checked_is_what_is_timed(process: Command) -> None:
    Path("program.cu").write_text(PROGRAM.replace("SIZES", CONDITIONAL), encoding="utf-8")
    outcome = process("bench", "program.cu", "--output", "run", "--device", "none")
    assert outcome.code == 0, outcome.err
    assert "Checked: clean" in outcome.err
    assert "n = 1048576, w = 9 (from the host code)" in outcome.err
    assert "not checked" not in outcome.err


@pytest.mark.archs
def test_sizes_that_the_check_did_not_run_are_named(process: Command) -> None:
    Path("program.cu").write_text(PROGRAM.replace("SIZES", CONDITIONAL), encoding="utf-8")
    outcome = process("bench", "program.cu", "--arg", "n=1048576,2097152", "--output", "run", "--device", "none")
    assert outcome.code == 0, outcome.err
    assert "window_max: 128x256 (n = 2097152) is timed, and not checked" in outcome.err

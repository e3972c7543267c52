"""Numbers that stand for parameters of a function of the host code that nothing in the file calls."""

from pathlib import Path

import pytest

from tests.checker.inputs.test_derived_values import verdicts

FILE = """#include <cuda_runtime.h>
__global__ void paint(char *surface, int width, int height, int PITCH, int face) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    char *pixel = surface + y * PITCH + 4 * x;
    pixel[0] = pixel[1] = pixel[2] = 1;
    pixel[FACE] = 2 + x;
}
__global__ void reversed(float *out, int width) {
    __shared__ float s[256];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = x;
    if (x < width) out[x] = s[255 - threadIdx.x];
}
extern "C" void draw(char *surface, float *out, int width, int height, int PITCH, int face) {
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    paint<<<grid, block>>>(surface, width, height, PITCH, face);
    reversed<<<(width + 255) / 256, 256>>>(out, width);
}
"""


def painted(folder: Path, cache: Path, pitch: str, face: str = "face / 2") -> dict[str, str]:
    return verdicts(FILE.replace("PITCH", pitch).replace("FACE", face), folder, cache)


@pytest.mark.archs
def test_rows_of_a_pitch_do_not_overlap_and_numbers_that_are_no_size_have_other_values(
    tmp_path: Path, kernel_cache: Path
) -> None:
    assert painted(tmp_path, kernel_cache, "pitch") == {"paint": "clean", "reversed": "broken"}


@pytest.mark.parametrize("face", ["face / 2", "0"])
def test_a_race_that_numbers_decide_on_which_nobody_passes_needs_arguments(
    tmp_path: Path, kernel_cache: Path, face: str
) -> None:
    judged = painted(tmp_path, kernel_cache, "apart", face)
    assert judged["paint"] == "needs arguments"  # `apart` may be any number
    assert judged["reversed"] == "broken"  # whatever the width is

"""Numbers that stand for parameters of a function of the host code that nothing in the file calls."""

from pathlib import Path

import pytest

from tests.checker.inputs.test_chosen_values import verdicts

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
    # What lies `face / 2` behind a pixel is beyond a surface of chosen size: the caller's size decides.
    assert painted(tmp_path, kernel_cache, "pitch") == {"paint": "needs arguments", "reversed": "broken"}


@pytest.mark.archs
@pytest.mark.parametrize("face", ["face / 2", "0"])
def test_a_race_that_numbers_decide_on_which_nobody_passes_needs_arguments(
    tmp_path: Path, kernel_cache: Path, face: str
) -> None:
    judged = painted(tmp_path, kernel_cache, "apart", face)
    assert judged["paint"] == "needs arguments"  # `apart` may be any number
    assert judged["reversed"] == "broken"  # whatever the width is


REVERSED = """
__global__ void reversed(const float *x, float *y, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.f;
    __syncthreads();
    if (i < n) y[i] = s[blockDim.x - 1 - t];
}
"""
FUNCTION = """
void run(const float *x, float *y, int n, int blocks, int threads, int bytes) {
    reversed<<<blocks, threads, bytes>>>(x, y, n);
}
"""
MEMBER = """
class Reverser {
  public:
    void init(int n);
    void run() { reversed<<<blocks, threads, bytes>>>(x, y, n); }
  private:
    float *x = nullptr, *y = nullptr;
    int n = 0, blocks = 0, threads, bytes;
};
"""
TWICE_TOO_SMALL = """
void run(const float *x, float *y, int n) { reversed<<<1, n, n * sizeof(float) / 2>>>(x, y, n); }
"""


@pytest.mark.parametrize(
    ("code", "verdict"), [(FUNCTION, "needs arguments"), (MEMBER, "clean"), (TWICE_TOO_SMALL, "broken")]
)
def test_a_caller_or_another_member_gives_shared_memory_that_fits_the_block(
    tmp_path: Path, kernel_cache: Path, code: str, verdict: str
) -> None:
    assert verdicts(REVERSED + code, tmp_path, kernel_cache) == {"reversed": verdict}

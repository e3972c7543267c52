"""Indices that host code computes more of than it is followed for: kernels get the first ones, repeated."""

from pathlib import Path

import pytest

from tests.checker.inputs.test_chosen_values import verdicts

LETTERS = """#include <cstdlib>
__global__ void count(const char *text, int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[text[i] - 'a'], 1);
}
int main() {
    int n = 1 << 22, *bins;
    char *text = (char *)malloc(n), *d;
    for (int i = 0; i < n; i++) text[i] = 'a' + rand() % 26;
    cudaMalloc(&d, n);
    cudaMalloc(&bins, BINS * sizeof(int));
    cudaMemset(bins, 0, BINS * sizeof(int));
    cudaMemcpy(d, text, n, cudaMemcpyHostToDevice);
    count<<<n / 256, 256>>>(d, bins, n);
}
"""


@pytest.mark.parametrize(
    ("bins", "verdict"), [(26, "clean"), pytest.param(25, "needs arguments", marks=pytest.mark.archs)]
)
def test_letters_stay_within_as_many_counters_as_there_are_letters(
    tmp_path: Path, kernel_cache: Path, bins: int, verdict: str
) -> None:
    assert verdicts(LETTERS.replace("BINS", str(bins)), tmp_path, kernel_cache) == {"count": verdict}


PLAIN = """#include <cstdlib>
__global__ void count(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[BINS];
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) local[data[i] % BINS]++;
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
int main() {
    int n = SIZE;
    unsigned char *h = (unsigned char *)malloc(20000), *d;
    for (int i = 0; i < 20000; i++) h[i] = rand() % 256;
    unsigned *bins;
    cudaMalloc(&d, n);
    cudaMalloc(&bins, BINS * sizeof(unsigned));
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    count<<<4, 128>>>(d, n, bins);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(
    ("bins", "size", "verdict"), [(64, 10000, "broken"), (128, 10000, "needs arguments"), (64, 60, "needs arguments")]
)
def test_more_threads_than_counters_meet_in_the_first_iteration_of_a_loop(
    tmp_path: Path, kernel_cache: Path, bins: int, size: int, verdict: str
) -> None:
    text = PLAIN.replace("BINS", str(bins)).replace("SIZE", str(size))
    assert verdicts(text, tmp_path, kernel_cache) == {"count": verdict}


MOVED = """#include <cstdlib>
__global__ void moved(const int *order, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[order[i]] = in[i];
}
int main() {
    int n = 1 << 20, *order = new int[n], *d;
    float *in, *out;
    for (int i = 0; i < n; i++) order[i] = n - 1 - i;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(d, order, n * sizeof(int), cudaMemcpyHostToDevice);
    moved<<<n / 256, 256>>>(d, in, out);
}
"""


@pytest.mark.archs
def test_different_indices_are_not_repeated(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(MOVED, tmp_path, kernel_cache) == {"moved": "clean"}


CALLED = """#include <vector>
struct Size { int x = 0, y = 0; };
struct Image { Size size; int step = 2; std::vector<float> pixels; };
__global__ void twice(const float *in, float *out, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = step * in[i];
}
__global__ void shifted(float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) in[i] = in[i + 1];
}
void filter(const Image &image) {
    int n = image.size.x * image.size.y;
    float *in, *out;
    cudaMalloc(&in, image.pixels.size() * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    twice<<<(n + 127) / 128, 128>>>(in, out, n, image.step);
    shifted<<<(n + 127) / 128, 128>>>(in, n);
}
"""


@pytest.mark.archs
def test_sizes_that_begin_with_zero_in_a_parameter_are_those_of_a_caller(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(CALLED, tmp_path, kernel_cache) == {"twice": "clean", "shifted": "broken"}


LIMITED = """struct Model { int states = 0, steps = 0; };
__global__ void filtered(const float *in, float *out, int n, int states) {
    float state[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int s = 0; s < states; s++) state[PLACE] = in[i] + s;
    float sum = 0;
    for (int s = states; s > 0; s--) sum += sum * state[s - 1];
    out[i] = sum;
}
void filter(const Model &model, const float *in, float *out) {
    filtered<<<(model.steps + 31) / 32, 32>>>(in, out, model.steps, model.states);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(("place", "verdict"), [("s", "needs arguments"), ("s + 8", "broken")])
def test_a_field_may_have_a_limit_that_only_the_caller_knows(
    tmp_path: Path, kernel_cache: Path, place: str, verdict: str
) -> None:
    assert verdicts(LIMITED.replace("PLACE", place), tmp_path, kernel_cache) == {"filtered": verdict}

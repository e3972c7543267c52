"""Kernels that read what earlier launches of the host code wrote."""

from pathlib import Path

import pytest

from shflbench.checker.runs import earlier_launches
from tests.checker.inputs.test_chosen_values import verdicts

# Each row of `fill` writes the elements from its offset to the next one.
ROWS = """#include <cuda_runtime.h>
__global__ void count(const int *keys, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[i] = keys[i] % 4 + 1;
}
__global__ void sum(const int *counts, int *offsets, int n) {
    int total = 0;
    if (threadIdx.x == 0) for (int i = 0; i < n; i++) { offsets[i] = total; total += counts[i]; }
    if (threadIdx.x == 0) offsets[n] = total;
}
__global__ void fill(const int *offsets, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int j = offsets[i]; j < LAST; j++) out[j] = i;
}
int main(int argc, char **argv) {
    int n = 200, *keys, *counts, *offsets, *out, h[200];
    for (int i = 0; i < n; i++) h[i] = rand();
    cudaMalloc(&keys, n * sizeof(int)); cudaMalloc(&counts, n * sizeof(int));
    cudaMalloc(&offsets, (n + 1) * sizeof(int)); cudaMalloc(&out, 4 * n * sizeof(int));
    cudaMemcpy(keys, h, n * sizeof(int), cudaMemcpyHostToDevice);
    count<<<2, 128>>>(keys, counts, n);
    SUM sum<<<1, 32>>>(counts, offsets, n);
    fill<<<2, 128>>>(offsets, out, n);
}
"""


def rows(folder: Path, cache: Path, last: str, condition: str = "") -> str:
    return verdicts(ROWS.replace("LAST", last).replace("SUM", condition), folder, cache)["fill"]


def test_ranges_that_an_earlier_kernel_computed_do_not_overlap(tmp_path: Path, kernel_cache: Path) -> None:
    assert rows(tmp_path, kernel_cache, "offsets[i + 1]") == "clean"


def test_a_write_beyond_a_range_that_an_earlier_kernel_computed_is_a_race(tmp_path: Path, kernel_cache: Path) -> None:
    assert rows(tmp_path, kernel_cache, "offsets[i] + 3") == "broken"


def test_a_range_needs_arguments_where_the_earlier_launch_may_not_run(tmp_path: Path, kernel_cache: Path) -> None:
    assert rows(tmp_path, kernel_cache, "offsets[i] + 3", "if (elsewhere())") == "needs arguments"


def test_earlier_launches_that_take_too_long_leave_contents_chosen(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier_launches, "MOST_STEPS", 10)
    assert rows(tmp_path, kernel_cache, "offsets[i] + 3") == "needs arguments"


# Managed memory, and a loop of launches whose number the kernel reads.
LINKS = """#include <cuda_runtime.h>
__global__ void link(int *next, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = TARGET;
}
__global__ void follow(const int *next, int *rank, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rank[next[i]] = i;
}
int main() {
    int n = 100, *next, *copy, *rank;
    cudaMallocManaged(&next, n * sizeof(int)); cudaMalloc(&copy, n * sizeof(int)); cudaMalloc(&rank, n * sizeof(int));
    for (int turn = 0; turn < 3; turn++) link<<<2, 64>>>(next, n);
    cudaMemcpy(copy, next, n * sizeof(int), cudaMemcpyDeviceToDevice);
    follow<<<2, 64>>>(copy, rank, n);
}
"""


@pytest.mark.parametrize(("target", "expected"), [("(i + 1) % n", "clean"), ("(i + 1) % n / 2", "broken")])
def test_links_that_an_earlier_kernel_stored_are_followed(
    tmp_path: Path, kernel_cache: Path, target: str, expected: str
) -> None:
    assert verdicts(LINKS.replace("TARGET", target), tmp_path, kernel_cache)["follow"] == expected


# Each value of a key begins where the key before differs, if the keys are sorted.
KEYS = """#include <cuda_runtime.h>
__global__ void key_of(const int *values, int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = values[i] % 16;
}
__global__ void starts(const int *keys, int *start, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i == 0 || keys[i] != keys[i - 1])) start[keys[i]] = i;
}
int main() {
    int n = 256, h[256], *values, *keys, *start;
    for (int i = 0; i < n; i++) h[i] = rand();
    cudaMalloc(&values, sizeof(h)); cudaMalloc(&keys, sizeof(h)); cudaMalloc(&start, 16 * sizeof(int));
    cudaMemcpy(values, h, sizeof(h), cudaMemcpyHostToDevice);
    key_of<<<2, 128>>>(values, keys, n);
    SORT
    starts<<<2, 128>>>(keys, start, n);
}
"""


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("thrust::sort(thrust::device_ptr<int>(keys), thrust::device_ptr<int>(keys) + n);", "clean"),
        ("auto k = thrust::device_pointer_cast(keys); thrust::sort(thrust::device, k, k + n);", "clean"),
        ("", "broken"),
    ],
)
def test_keys_that_the_host_code_sorts_are_in_order(
    tmp_path: Path, kernel_cache: Path, sort: str, expected: str
) -> None:
    assert verdicts(KEYS.replace("SORT", sort), tmp_path, kernel_cache)["starts"] == expected


STATE = """#include <cuda_runtime.h>
__device__ int state;
__global__ void change(int value) { state = value; }
__global__ void store(int *index, int n) { index[threadIdx.x] = threadIdx.x * state % n; }
__global__ void scatter(const int *index, int *out, int n) { out[index[threadIdx.x]] = threadIdx.x; }
int main() {
    int n = 64, *index, *out;
    cudaMalloc(&index, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int));
    change<<<1, 1>>>(1);
    store<<<1, 64>>>(index, n);
    scatter<<<1, 64>>>(index, out, n);
}
"""


def test_a_kernel_that_reads_what_others_leave_in_variables_of_the_device_does_not_run_alone(
    tmp_path: Path, kernel_cache: Path
) -> None:
    assert verdicts(STATE, tmp_path, kernel_cache)["scatter"] != "broken"

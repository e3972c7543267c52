"""Assertions of a kernel on its launch, which launches that nobody gave need not satisfy, and on numbers.

Values of numbers that satisfy them are tried before a failure counts.
"""

from pathlib import Path

import pytest

from shflbench.checker.runs import alternative_runs
from tests.checker.inputs.test_chosen_values import verdicts

# As in kernels whose template constants limit the columns: chosen sizes, those of the launch, are larger.
LIMITED = """__global__ void limited(float *x, int columns) {
    assert(columns <= 8);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < columns) x[i] = i;
}
__global__ void negative(float *x, int columns) {
    assert(columns < 0);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
"""
OF_LAUNCH = """__global__ void of_launch(float *x) {
    assert(blockDim.x == 256);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void of_every_launch(float *x) {
    assert(blockDim.x % 2 == 1);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void of_a_thread(float *x) {
    assert(blockDim.x <= 128 || threadIdx.x < 200);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
"""


def test_an_assertion_about_the_launch_limits_which_are_judged(tmp_path: Path, kernel_cache: Path) -> None:
    expected = {"of_launch": "clean", "of_every_launch": "needs arguments", "of_a_thread": "clean"}
    assert verdicts(OF_LAUNCH, tmp_path, kernel_cache) == expected


def test_a_comparison_of_the_block_that_is_no_assertion_suggests_none(tmp_path: Path, kernel_cache: Path) -> None:
    source = """__global__ void reverse(int *out) {
    __shared__ int s[1024];
    if (blockDim.x == 32 || threadIdx.x > 0) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
"""
    assert verdicts(source, tmp_path, kernel_cache) == {"reverse": "needs arguments"}


def test_an_assertion_about_the_launch_counts_in_a_launch_of_the_host_code(tmp_path: Path, kernel_cache: Path) -> None:
    source = OF_LAUNCH + "int main() { float *x; cudaMalloc(&x, 512); of_launch<<<1, 128>>>(x); }\n"
    assert verdicts(source, tmp_path, kernel_cache)["of_launch"] == "broken"


def test_an_assertion_fails_only_if_it_fails_with_every_value(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(LIMITED, tmp_path, kernel_cache) == {"limited": "clean", "negative": "needs arguments"}


def test_values_of_numbers_are_tried_with_one_kind_of_contents_where_no_contents_decide(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alternative_runs, "ALTERNATIVES", ())  # all contents with each number, which takes long
    assert verdicts(LIMITED, tmp_path, kernel_cache)["limited"] == "clean"


OF_GRID = """__global__ void of_grid(int *x, int n) {
    assert(gridDim.x == 7);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[PLACE] = i;
}
CALLER
"""
CALLER = "void run(int *x, int n, int blocks) { of_grid<<<blocks, 128>>>(x, n); }"
PROGRAM = "int main() { int *x; cudaMalloc(&x, 4096); of_grid<<<8, 128>>>(x, 1024); }"


@pytest.mark.parametrize(
    ("place", "caller", "verdict"),
    [
        ("i", "", "clean"),
        ("i", CALLER, "clean"),
        ("i / 2", CALLER, "broken"),  # two threads of one block write a place, whatever the grid is
        ("i", PROGRAM, "broken"),
    ],
)
def test_a_kernel_is_judged_in_the_grid_that_it_asserts_unless_a_program_states_another(
    tmp_path: Path, kernel_cache: Path, place: str, caller: str, verdict: str
) -> None:
    text = OF_GRID.replace("PLACE", place).replace("CALLER", caller)
    assert verdicts(text, tmp_path, kernel_cache) == {"of_grid": verdict}


def test_an_assertion_that_holds_in_no_tried_grid_needs_a_launch(tmp_path: Path, kernel_cache: Path) -> None:
    text = OF_GRID.replace("gridDim.x == 7", "gridDim.x % 5 == 3 && gridDim.x > 30000").replace("PLACE", "i")
    assert verdicts(text.replace("CALLER", CALLER), tmp_path, kernel_cache) == {"of_grid": "needs arguments"}

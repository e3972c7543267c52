"""Cells of a sorted list: two buffers hold where the range of each cell begins and ends."""

from pathlib import Path

from shflbench.checker.inputs.contents import range_limits
from shflbench.checker.inputs.elements import ELEMENTS
from tests.checker.inputs.test_chosen_values import verdicts

# Without ranges that follow one another, `filled` has elements of several cells.
CELLS = """__global__ void filled(const int *first, const int *last, int *out, int cells) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells) for (int j = first[c]; j < last[c]; j++) out[j] = c;
}
__global__ void in_place(const int *first, const int *last, const int *members, float *x, int cells) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    float sum = 0;
    for (int j = first[c]; j < last[c]; j++) sum += x[members[j]];
    x[c] = sum;
}
"""


def test_the_ranges_of_cells_do_not_overlap(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(CELLS, tmp_path, kernel_cache) == {"filled": "clean", "in_place": "broken"}


def test_ranges_follow_one_another_and_repeat() -> None:
    begins, ends = (range_limits(ELEMENTS["i32"], 24, 8, "first", 1, first).view("i4") for first in (0, 1))
    assert (begins[1:8] == ends[:7]).all()
    assert (begins[8:] == begins[:16]).all()
    assert ends.max() < 8


# The launch before it computes ranges from keys that nobody gave: they overlap.
FOUND = (
    """__global__ void bounds(const int *key, int *first, int *last, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { first[i] = key[i] / 4; last[i] = key[i]; }
}
"""
    + CELLS.partition("__global__ void in_place")[0]
    + """
int main() {
    int n = 256, *key, *first, *last, *out;
    cudaMalloc(&key, n * 4); cudaMalloc(&first, n * 4); cudaMalloc(&last, n * 4); cudaMalloc(&out, n * 4);
    bounds<<<2, 128>>>(key, first, last, n);
    filled<<<2, 128>>>(first, last, out, n);
}
"""
)


def test_ranges_that_a_kernel_computes_from_chosen_contents_do_not_overlap(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(FOUND, tmp_path, kernel_cache)["filled"] == "clean"

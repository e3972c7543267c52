"""Blocks that end in a part of a warp, where the caller of a function says how many threads they have."""

import pytest

from shflbench.cuda_sources.kernel_file import PART_OF_WARP
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void f(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n"


def blocks(parse: Parse, parameters: str, launch: str) -> set[int]:
    text = f"{KERNEL} void run({parameters}, float *y) {{ f<<<{launch}>>>(y); }}"
    launches = [item.launch for item in parse(text).launches]
    return {launch.block[0] for launch in launches if launch.block is not None}


def test_a_block_with_a_thread_per_element_ends_in_a_part_of_a_warp(parse: Parse) -> None:
    assert PART_OF_WARP in blocks(parse, "int batch, int heads, int tokens", "dim3(batch, heads * tokens), tokens")


@pytest.mark.parametrize(
    ("parameters", "launch"),
    [
        ("int batch, int heads, int threads", "dim3(batch, heads * threads), threads"),
        ("int batch, int heads, int tokens", "dim3(batch, heads * tokens), 256"),
        ("int batch, int heads, int tokens", "dim3(batch, heads * tokens), (tokens + 31) / 32 * 32"),
    ],
    ids=["threads", "constant", "rounded-up"],
)
def test_a_block_that_is_no_size_of_data_has_whole_warps(parse: Parse, parameters: str, launch: str) -> None:
    assert PART_OF_WARP not in blocks(parse, parameters, launch)


def test_a_grid_that_no_device_accepts_is_no_launch_of_chosen_numbers(parse: Parse) -> None:
    text = f"{KERNEL} void run(int rows, int tokens, float *y) {{ f<<<dim3(1, rows * tokens), 64>>>(y); }}"
    grids = [item.launch.grid for item in parse(text).launches]
    assert grids
    assert all(grid is not None and grid[1] <= 65_535 for grid in grids)

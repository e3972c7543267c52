import pytest

from shflbench.core.dimensions import Dims, LaunchDims

BLOCK = (16, 16, 1)


@pytest.mark.parametrize(
    ("grid", "block", "text", "dimensions"),
    [
        ((26, 1, 1), (1024, 1, 1), "26x1024", 1),
        ((8, 4, 1), BLOCK, "8x4:16x16", 2),
        ((64, 1, 1), (32, 8, 1), "64:32x8", 2),
        ((8, 8, 1), (256, 1, 1), "8x8:256", 2),
        ((1, 1, 4), (8, 1, 4), "1x1x4:8x1x4", 3),
    ],
)
def test_a_launch_names_the_dimensions_that_it_uses(grid: Dims, block: Dims, text: str, dimensions: int) -> None:
    dims = LaunchDims(grid, block)
    assert (str(dims), dims.dimensions) == (text, dimensions)


@pytest.mark.parametrize(
    ("grid", "most", "smaller"),
    [
        ((8, 8, 1), 64, (8, 8, 1)),
        ((8, 8, 1), 63, (7, 7, 1)),
        ((8, 8, 1), 1, (1, 1, 1)),
        ((8, 4, 1), 31, (6, 3, 1)),
        ((64, 1, 1), 5, (5, 1, 1)),
        ((4, 4, 4), 8, (2, 2, 2)),
        ((9, 8, 1), 8, (9, 8, 1)),  # no smaller grid has this ratio
        ((2**31 - 1, 1, 1), 3, (3, 1, 1)),
    ],
)
def test_fewer_blocks_keep_the_ratio_of_the_sizes(grid: Dims, most: int, smaller: Dims) -> None:
    assert LaunchDims(grid, BLOCK).scaled_down(most) == LaunchDims(smaller, BLOCK)

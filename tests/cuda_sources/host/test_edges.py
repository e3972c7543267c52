"""Launches of functions that nothing calls with a number that ends in a part of a tile, where grids are rounded up."""

import pytest

from shflbench.cuda_sources.kernel_file import EDGE
from tests.cuda_sources.conftest import Parse

FILE = """
__global__ void kernel(float *out, int m, int n) {}
void solve(float *out, int m, int n) {
    dim3 grid(GRID);
    kernel<<<grid, 64>>>(out, m, n);
}
"""


def grids(parse: Parse, grid: str) -> list[tuple[int, int, int] | None]:
    launches = [site.launch for site in parse(FILE.replace("GRID", grid)).launches]
    return [item.grid for item in launches if ("m", EDGE) in item.assumed]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("(n + 63) / 64, (m + 63) / 64", [(2, 2, 1)]),
        ("n / 64, m / 64", []),
        ("n, m", []),
        ("(n + 63) / 64", []),
    ],
)
def test_only_a_grid_of_tiles_that_is_rounded_up_is_run_with_a_part_of_a_tile(
    parse: Parse, grid: str, expected: list[tuple[int, int, int]]
) -> None:
    assert grids(parse, grid) == expected

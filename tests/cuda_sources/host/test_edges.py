"""Launches of functions that nothing calls with a number that ends in a part of a tile, where grids are rounded up."""

import pytest

from shflbench.cuda_sources.kernel_file import EDGE, ODD
from tests.cuda_sources.conftest import Parse

FILE = """
__global__ void kernel(float *out, int m, int n) {}
void solve(float *out, int m, int n) {
    CHECK
    dim3 grid(GRID);
    kernel<<<grid, 64>>>(out, m, n);
}
"""


def grids(parse: Parse, grid: str, check: str = "") -> list[tuple[int, int, int] | None]:
    launches = [site.launch for site in parse(FILE.replace("GRID", grid).replace("CHECK", check)).launches]
    return [item.grid for item in launches if ("m", EDGE) in item.assumed]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("(n + 63) / 64, (m + 63) / 64", [(2, 2, 1)]),
        ("n / 64, m / 64", []),
        ("n, m", []),
        ("(n + 63) / 64", [(2, 1, 1)]),
        ("n / 64 + 1", [(2, 1, 1)]),
        ("n / 64", []),
        ("4, 4", []),
        ("(n + 15) / 16 < 4 ? (n + 15) / 16 : 4", []),
    ],
)
def test_only_a_grid_of_tiles_that_is_rounded_up_is_run_with_a_part_of_a_tile(
    parse: Parse, grid: str, expected: list[tuple[int, int, int]]
) -> None:
    assert grids(parse, grid) == expected


@pytest.mark.parametrize("name", ["max_thread_per_block", "threads", "nThreads", "blockSize"])
def test_a_number_of_threads_per_block_is_a_power_of_two_where_others_divide_nothing_evenly(
    parse: Parse, name: str
) -> None:
    text = "__global__ void kernel(float *out, int n) {}\nvoid solve(float *out, int n, int NAME) {"
    source = parse(f"{text} kernel<<<(n + NAME - 1) / NAME, NAME>>>(out, n); }}".replace("NAME", name))
    launches = {dict(site.launch.assumed)["n"]: site.launch for site in source.launches}
    assert launches[ODD].block == (1024, 1, 1)
    assert {item.block for item in launches.values() if item.block is not None} <= {
        (1 << power, 1, 1) for power in range(11)
    }


PROGRAM = """
#include <cstdlib>
__global__ void kernel(float *out, int n) {}
int main(int argc, char **argv) {
    int n = WORD;
    CHECK
    float *out;
    cudaMalloc(&out, n * sizeof(float));
    kernel<<<GRID, 64>>>(out, n);
}
"""


@pytest.mark.parametrize("word", ["atoi(argv[1])", "argc > 1 ? atoi(argv[1]) : 1024"])
@pytest.mark.parametrize(
    ("grid", "check", "expected"),
    [
        ("(n + 63) / 64", "", [(2, 1, 1)]),
        ("n / 64", "", []),
        ("(n + 63) / 64", "if (n % 64 != 0) return 1;", []),
        ("(n + 63) / 64", "if (n % 64) exit(1);", []),
        ("(n + 63) / 64", "assert(n % 64 == 0);", []),
        ("(n + 63) / 64", "n = (n + 63) / 64 * 64;", [(2, 1, 1)]),
    ],
)
def test_a_number_of_the_command_line_ends_in_a_part_of_a_tile_unless_the_program_refuses_it(
    parse: Parse, word: str, grid: str, check: str, expected: list[tuple[int, int, int]]
) -> None:
    file = PROGRAM.replace("WORD", word).replace("GRID", grid).replace("CHECK", check)
    launches = [site.launch for site in parse(file).launches]
    assert [item.grid for item in launches if ("argv[1]", EDGE) in item.assumed] == expected


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("", [(2, 1, 1)]),
        ("assert(n % 64 == 0);", []),
        ("TORCH_CHECK(n % 64 == 0);", []),
        ('TORCH_CHECK(n % 64 == 0, "n");', []),
        ("if (n % 64 != 0) return;", []),
        ("if (n % 64 != 0) throw 1;", []),
        ('if (n % 64 != 0) throw std::runtime_error("n");', []),
        ("AT_ASSERT(n % 64 == 0);", []),
    ],
)
def test_a_check_of_the_host_code_excludes_a_part_of_a_tile(
    parse: Parse, check: str, expected: list[tuple[int, int, int]]
) -> None:
    assert grids(parse, "(n + 63) / 64", check) == expected

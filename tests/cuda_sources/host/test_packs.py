"""Calls whose arguments a parameter pack stands for."""

import pytest

from tests.cuda_sources.conftest import Parse

FILE = """
__global__ void kernel(float *p, int n) { p[n] = 1; }
template <typename... Given> void launch(dim3 grid, Given... given) { BODY }
template <typename... Given> void twice(Given... given) { kernel<<<2, 64>>>(given...); }
void both(float *p, int n) { kernel<<<2, 64>>>(p, n); }
struct Runner { void run(float *p, int n) { kernel<<<2, 64>>>(p, n); } };
int main() { float *p; cudaMalloc(&p, 4096); launch(4, p, 20); }
"""


@pytest.mark.parametrize(
    ("body", "grid"),
    [
        ("kernel<<<grid, 64>>>(given...);", 4),
        ("kernel<<<grid, 64>>>(std::forward<Given>(given)...);", 4),
        ("kernel<<<grid, 64>>>((given)...);", 4),
        ("twice(given...);", 2),
        ("both(std::move(given)...);", 2),
        ("Runner runner; runner.run(given...);", 2),
    ],
)
def test_a_pack_is_passed_on(parse: Parse, body: str, grid: int) -> None:
    launches = [site.launch for site in parse(FILE.replace("BODY", body)).launches]
    (launch,) = [item for item in launches if [argument.value for argument in item.arguments] == [None, 20]]
    assert (launch.grid, launch.arguments[0].buffer is not None) == ((grid, 1, 1), True)

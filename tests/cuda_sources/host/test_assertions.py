"""Assertions of host code: a run with numbers that one of them refuses launches nothing behind it."""

import pytest

from shflbench.cuda_sources.origin import Origin
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void fill(float *p, int n) { p[threadIdx.x] = n; }\n"
ROWS = (
    "#include <cassert>\n"
    + KERNEL
    + """
int main(int argc, char **argv) {
  int rows = atoi(argv[1]), batch = atoi(argv[2]);
  assert(rows > batch * batch);
  float *p; cudaMalloc(&p, rows * 4096 * sizeof(float));
  fill<<<batch, 128>>>(p, rows);
}
"""
)


def test_smaller_numbers_of_the_usual_command_line_keep_an_assertion_true(parse: Parse) -> None:
    launches = [item.launch for item in parse(ROWS, usual=("100000", "256")).launches]
    assert launches
    for launch in launches:
        (batch, _, _), rows = launch.grid or (0, 0, 0), launch.arguments[1].value
        assert isinstance(rows, int)
        assert rows > batch * batch
    assert min(launch.arguments[0].buffer.size or 0 for launch in launches if launch.arguments[0].buffer) < 1 << 26


@pytest.mark.parametrize("check", ["assert(n % 64 == 0);", 'TORCH_CHECK(n % 64 == 0, "n");'])
def test_a_number_that_an_assertion_refuses_stands_for_no_parameter(parse: Parse, check: str) -> None:
    text = KERNEL + "void run(float *p, int n) { " + check + " fill<<<n / 64, 64>>>(p, n); }"
    numbers = [dict(item.launch.assumed)["n"] for item in parse(text).launches]
    assert 1024 in numbers
    assert all(number % 64 == 0 for number in numbers)


def test_a_launch_behind_an_assertion_that_never_holds_is_against_a_condition(parse: Parse) -> None:
    text = KERNEL + "int main() { float *p; cudaMalloc(&p, 4096); int n = 3; assert(n == 4); fill<<<1, 64>>>(p, n); }"
    assert [item.launch.origin for item in parse(text).launches] == [Origin.FORCED]


@pytest.mark.parametrize("define", [(), ("NDEBUG",)])
def test_an_assertion_on_what_is_not_known_or_that_is_disabled_ends_nothing(
    parse: Parse, define: tuple[str, ...]
) -> None:
    condition = "n == 4" if define else "p[0] == 4"
    code = f"int n = 3; assert({condition}); fill<<<1, 64>>>(p, n);"
    text = KERNEL + "int main() { float *p; cudaMalloc(&p, 4096); " + code + " }"
    assert [item.launch.origin for item in parse(text, define).launches] == [Origin.HOST]


def test_an_assertion_of_pytorch_holds_with_ndebug(parse: Parse) -> None:
    code = "int n = 3; TORCH_CHECK(n == 4); fill<<<1, 64>>>(p, n);"
    text = KERNEL + "int main() { float *p; cudaMalloc(&p, 4096); " + code + " }"
    assert [item.launch.origin for item in parse(text, ("NDEBUG",)).launches] == [Origin.FORCED]

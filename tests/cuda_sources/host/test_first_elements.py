"""The first elements of arrays that host code fills for longer than it is followed."""

from array import array

import pytest

from shflbench.cuda_sources.host.machine import MOST_ITERATIONS
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void kernel(int *p) { p[0] = 1; }\n"
MANY, LARGE = 3 * MOST_ITERATIONS, 1 << 22  # elements of an array that is kept, and of one that is too large for it


def first(parse: Parse, body: str) -> list[int]:
    (site,) = parse(f"{KERNEL}int main() {{\n{body}\n}}\n").launches
    buffer = site.launch.arguments[0].buffer
    assert buffer is not None
    assert buffer.contents is None
    return array("i", buffer.first).tolist()


@pytest.mark.parametrize("count", [MANY, LARGE])
@pytest.mark.parametrize(
    "body",
    [
        "int *h = new int[n]; for (int i = 0; i < n; i++) h[i] = i % 7;",
        """std::vector<int> v(n, 5); int *h = v.data(); for (int i = 0; i < n; i++) v[i] = 9;
        for (int r = 0; r < n / 100; r++) for (int c = 0; c < 100; c++) v[r * 100 + c] = (r * 100 + c) % 7;""",
        "std::vector<int> v(n); int *h = v.data(); int next = 0; for (auto &x : v) x = next++ % 7;",
        """std::vector<int> v(n); int *h = v.data();
        std::generate(std::begin(v), end(v), [n]() { static int next = 0; return next++ % 7; });""",
    ],
)
def test_the_first_elements_of_a_long_loop_are_kept_and_copied(parse: Parse, body: str, count: int) -> None:
    copied = f"int n = {count}, *p; {body} cudaMalloc(&p, 4 * n); cudaMemcpy(p, h, 4 * n, cudaMemcpyHostToDevice);"
    found = first(parse, f"{copied} kernel<<<n / 64, 64>>>(p);")
    assert len(found) > MOST_ITERATIONS / 2
    assert found == [index % 7 for index in range(len(found))]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) p[(3 * i) % n] = 1;",
        "for (int i = 0; i < n; i++) p[i] = 1; read_it(p);",
        "for (int i = 0; i < n; i++) p[i] = other();",
    ],
)
def test_other_stores_leave_nothing(parse: Parse, body: str) -> None:
    found = first(parse, f"int n = {MANY}; int *p = new int[n]; {body} kernel<<<n / 64, 64>>>(p);")
    assert len(found) <= 1

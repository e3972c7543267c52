"""Loops over the elements of arrays: sizes of a program, or data."""

import pytest

from tests.cuda_sources.conftest import Parse

TEXT = """
__global__ void f(float *o, int n) { o[0] = n; }
int main() {
    std::vector<float> h(64);
    float *o; cudaMalloc(&o, 4096);
    LOOP
    f<<<1, 32>>>(o, 64);
}
"""


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for (auto &v : h) v = 1.5f;", []),
        ("for (auto v : h) total += v;", []),
        ("for (auto &v : h) { v = 1.5f; cudaDeviceSynchronize(); }", []),
        ("for (int v : {64, 128}) f<<<1, v>>>(o, v);", ["v"]),
    ],
)
def test_a_loop_over_data_states_no_sizes(parse: Parse, loop: str, names: list[str]) -> None:
    assert [number.name for number in parse(TEXT.replace("LOOP", loop)).host_numbers if number.name == "v"] == names

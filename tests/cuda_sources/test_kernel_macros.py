"""Kernels that macros define are read with their names, parameters and launches."""

import pytest

from tests.cuda_sources.conftest import Parse

MACROS = """
#define BOUNDS(n) __launch_bounds__(n)
#define KERNEL(name, ...) __global__ void BOUNDS(64) name(__VA_ARGS__)
#define DEFINE(T, of) __global__ void twice_##of(T *x, \\
                                                int n) { x[threadIdx.x] *= 2; }
"""
LAUNCHES = """
int main() {
    float *x; cudaMalloc(&x, 256);
    NAME<<<1, 64>>>(x, 5);
}
"""


@pytest.mark.parametrize(
    ("definition", "name", "line"),
    [
        ("KERNEL(scale, float *x, int n) { x[threadIdx.x] = n; }", "scale", 6),
        ("DEFINE(float, f)", "twice_f", 6),
        ("DEFINE(double,\n d) DEFINE(float, f)", "twice_f", 7),
        ("namespace a { KERNEL(scale, float *x, int n) { x[threadIdx.x] = n; } }", "a::scale", 6),
    ],
)
def test_kernel_of_a_macro_has_its_launch(parse: Parse, definition: str, name: str, line: int) -> None:
    source = parse(f"{MACROS}{definition}{LAUNCHES.replace('NAME', name)}")
    (kernel,) = source.named(name)
    assert [item.name for item in kernel.parameters] == ["x", "n"]
    assert kernel.place.line == line
    (site,) = source.launches_of(kernel)
    assert site.launch.arguments[1].value == 5

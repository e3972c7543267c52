"""Launches behind conditions that constants of the program decide: sizes are those that fit to the branch."""

import pytest

from shflbench.cuda_sources.origin import Origin
from tests.cuda_sources.conftest import Parse

FILE = """
__global__ void line(float *p) { p[threadIdx.x] = 1; }
__global__ void ring(float *p) { p[threadIdx.x] = 2; }
int main() {
  BEGIN
  float *p; cudaMalloc(&p, 4096);
  unsigned bytes = 0;
  if (IS_LINE) bytes = 512; else bytes = 516;
  if (IS_LINE) line<<<32, 128, bytes>>>(p);
  else ring<<<32, 128, bytes>>>(p);
}
"""


@pytest.mark.parametrize(
    ("begin", "condition"),
    [
        ("bool open_ends = true;", "open_ends"),
        ("const bool closed = false;", "!closed"),
        ("int mode = 2, level = 1;", "mode != 3"),
        ("int mode = 2; bool closed = false;", "!(mode == 4) || !closed"),
    ],
)
def test_a_launch_that_never_runs_has_the_size_of_its_branch(parse: Parse, begin: str, condition: str) -> None:
    text = FILE.replace("BEGIN", begin).replace("IS_LINE", condition)
    launches = [(item.kernel, item.launch.shared_bytes, item.launch.origin) for item in parse(text).launches]
    assert launches == [("line", 512, Origin.HOST), ("ring", 516, Origin.FORCED)]


def test_a_case_of_a_constant_has_the_size_of_its_label(parse: Parse) -> None:
    text = """
template <int N> __global__ void fill(float *p) { p[threadIdx.x] = N; }
int main() {
  int threads = 64; float *p; cudaMalloc(&p, 4096);
  int blocks = 1024 / threads;
  switch (threads) {
    case 64: fill<64><<<blocks, threads>>>(p); break;
    case 128: fill<128><<<blocks, threads>>>(p); break;
  }
}
"""
    launches = [(item.launch.grid, item.launch.block, item.launch.origin) for item in parse(text).launches]
    assert launches == [((16, 1, 1), (64, 1, 1), Origin.HOST), ((8, 1, 1), (128, 1, 1), Origin.FORCED)]

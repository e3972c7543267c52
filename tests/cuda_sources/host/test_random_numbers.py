"""Random numbers that host code computes by arithmetic of 64 bits, and what it changes among them afterwards."""

import struct

import pytest

from tests.cuda_sources.conftest import Parse

TEXT = """
#include <climits>
#include <cstdint>
__global__ void kernel(const int *v, int n) { if (v[0] == n) __trap(); }
int main() {
  const int n = COUNT;
  int *host = new int[n], *device;
  std::uint64_t state = 0x9E3779B97F4A7C15ull;
  auto next = [&state]() { STEP return static_cast<std::uint32_t>(state >> 32); };
  for (int i = 0; i < n; ++i) host[i] = 5000 + int(next() % 1000);
  CHANGE
  cudaMalloc(&device, n * sizeof(int));
  cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice);
  kernel<<<1, 64>>>(device, n);
}
"""
XORSHIFT = "state ^= state << 13; state ^= state >> 7; state ^= state << 17;"
CONGRUENCE = "state = state * 6364136223846793005ull + 1442695040888963407ull;"
FEW, SOME, MANY = 8, 10_000, 1_000_000  # numbers, of which the host code is followed for all, for thousands, likewise


def numbers(step: str, count: int) -> list[int]:
    state, values = 0x9E3779B97F4A7C15, []
    for _ in range(count):
        if step is XORSHIFT:
            state ^= state << 13 & (1 << 64) - 1
            state ^= state >> 7
            state ^= state << 17 & (1 << 64) - 1
        else:
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        values.append(5000 + (state >> 32) % 1000)
    return values


def first_numbers(parse: Parse, step: str, count: int, change: str = "") -> list[int]:
    text = TEXT.replace("COUNT", str(count)).replace("STEP", step).replace("CHANGE", change)
    (site,) = parse(text).launches
    buffer = site.launch.arguments[0].buffer
    assert buffer is not None
    data = (buffer.contents or buffer.first)[: 4 * FEW]
    return list(struct.unpack(f"{FEW}i", data))


@pytest.mark.parametrize("count", [FEW, SOME, MANY])
@pytest.mark.parametrize("step", [XORSHIFT, CONGRUENCE], ids=["xorshift", "congruence"])
def test_numbers_of_64_bits_wrap_as_in_the_program(parse: Parse, step: str, count: int) -> None:
    assert first_numbers(parse, step, count) == numbers(step, FEW)


@pytest.mark.parametrize("count", [FEW, SOME, MANY])
def test_elements_that_are_set_afterwards_are_among_the_first(parse: Parse, count: int) -> None:
    expected = numbers(XORSHIFT, FEW)
    expected[3] = -(2**31)
    assert (
        first_numbers(parse, XORSHIFT, count, "for (int i = 3; i < n; i += n / 2) host[i] = INT_MIN;")[:5]
        == expected[:5]
    )

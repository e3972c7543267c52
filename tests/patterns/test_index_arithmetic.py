"""Variants differ in how they exchange, and not in how many instructions compute indices: read in the machine code."""

import pytest

from shflbench.core.model import WARP
from tests import kernels

EXCHANGES = frozenset({"SHFL", "LDS", "STS", "BAR", "WARPSYNC", "NOP"})  # `__syncwarp()` is a NOP on sm_90
SHARED = ("smem", "smem-syncwarp", "smem-unsafe")
WITH_ALL = [  # of exchanges within a warp: trees over a block differ in their steps
    name
    for name, pattern in kernels.patterns().items()
    if {*SHARED} <= {variant.name for variant in pattern.declaration.variants} and not name.startswith("block-")
]
ALMOST = 0.5  # instructions per iteration: the loop's own, shared by fewer or more iterations of an unrolled pass
DIFFERENT = {"bitonic-sort": 2.0}  # without barriers, the compiler need not repeat two comparisons of lane numbers
LENGTHS = kernels.patterns()["lane-array"].declaration.options["length"]


def others(name: str) -> float:
    """Return the instructions of an iteration that do not exchange values."""
    loop = kernels.compiled(name).loop
    assert loop
    return sum(number for opcode, number in loop.counts.items() if opcode not in EXCHANGES) / loop.unroll


def in_the_first_options(pattern: str, variant: str) -> str:
    return next(name for name in kernels.with_one_dtype() if name.startswith(f"{pattern}/{variant}/"))


@pytest.mark.parametrize("pattern", WITH_ALL)
def test_variants_with_shared_memory_have_equal_arithmetic(pattern: str) -> None:
    numbers = {variant: others(in_the_first_options(pattern, variant)) for variant in SHARED}
    assert max(numbers.values()) - min(numbers.values()) <= DIFFERENT.get(pattern, ALMOST), numbers


@pytest.mark.archs
def test_the_index_of_an_array_per_warp_takes_as_many_instructions_at_all_lengths() -> None:
    numbers = {length: others(f"lane-array/smem/f32/length={length}/index=random") for length in LENGTHS}
    assert max(numbers.values()) - min(numbers.values()) < ALMOST, numbers


@pytest.mark.archs
def test_a_shuffle_computes_no_index_until_the_array_needs_two_registers_per_lane() -> None:
    numbers = {int(length): others(f"lane-array/shfl/f32/length={length}/index=random") for length in LENGTHS}
    assert {length for length, number in numbers.items() if number > min(numbers.values()) + ALMOST} == {2 * WARP}

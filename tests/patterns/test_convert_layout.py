from collections import Counter
from collections.abc import Collection
from itertools import combinations

import numpy as np
import pytest

from shflbench.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload
from shflbench.model import DTYPES, WARP
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

CONVERT = load(builtin()["convert-layout"])
BITS = CONVERT.declaration.options["bits"]
REGISTERS = BANKS = 32


def workload(bits: str) -> Workload:
    return cases.workload(CONVERT, "i32", launch="1x64", options={"bits": bits})


def source(lane: int, register: int, bits: int) -> tuple[int, int]:
    """Return the lane and the register from which a register of a lane comes."""
    mask = 2**bits - 1
    return lane & ~mask | register & mask, register & ~mask | lane & mask


def advanced(word: int, lane: int, register: int) -> int:
    """Return what an iteration makes of the word that an exchange has left in a register of a lane."""
    return (word * (0x9E3779B1 + 2 * register) + lane) % 2**32


def converted_in(chosen: Collection[int], iterations: int, values: Array, bits: str) -> Array:
    """Return the result of a kernel that exchanges in the chosen iterations only."""
    warps = values.view("u4").reshape(-1, REGISTERS, WARP)
    lanes, registers = np.meshgrid(np.arange(WARP), np.arange(REGISTERS))
    others, sources = np.vectorize(source)(lanes, registers, int(bits))
    for iteration in range(iterations):
        moved = warps[:, sources, others] if iteration in chosen else warps
        warps = moved * (0x9E3779B1 + 2 * registers).astype("u4") + lanes.astype("u4")
    result: Array = warps.view("i4").reshape(-1)
    return result


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_reference_exchanges_the_bits_word_by_word(bits: str, iterations: int) -> None:
    data = workload(bits)
    (values,) = data.inputs(0)
    warps = values.view("u4").reshape(-1, REGISTERS, WARP).tolist()
    for _ in range(iterations):
        converted = []
        for warp in warps:
            places = [[source(lane, register, int(bits)) for lane in range(WARP)] for register in range(REGISTERS)]
            converted.append(
                [
                    [advanced(warp[other][lane], at, register) for at, (lane, other) in enumerate(row)]
                    for register, row in enumerate(places)
                ]
            )
        warps = converted
    assert after(data, iterations, values).view("u4").reshape(-1, REGISTERS, WARP).tolist() == warps


@pytest.mark.parametrize("bits", BITS)
def test_a_word_that_does_not_move_in_any_iteration_is_visible_at_the_end(bits: str) -> None:
    def keep(before: Array, values: Array) -> None:
        last = WARP - 2  # this lane of the last warp kept its last register
        values.view("u4")[-2] = advanced(int(before.view("u4")[-2]), last, REGISTERS - 1)

    assert hidden(workload(bits), keep) == []


@pytest.mark.parametrize("bits", BITS)
def test_exchanges_that_are_left_out_are_visible_at_the_end(bits: str) -> None:
    """Whichever are left out of the last 2·U iterations, and if only the first iteration exchanges."""
    data = workload(bits)
    (values,) = data.inputs(0)
    last = 2 * CONVERT.declaration.unroll
    for iterations in data.verify_iterations:
        every, late = set(range(iterations)), range(max(0, iterations - last), iterations)
        result = after(data, iterations, values)
        assert converted_in(every, iterations, values, bits).tolist() == result.tolist()
        left_out = [set(few) for count in range(1, len(late) + 1) for few in combinations(late, count)]
        if iterations > 1:
            left_out.append(every - {0})
        for few in left_out:
            assert difference(data, [converted_in(every - few, iterations, values, bits)], 0, iterations), few


def place(lane: int, register: int, bits: int, width: int) -> int:
    """Return the word in shared memory where a register lies, as in kernels.cu: `width` words stay together."""
    if width == 1:
        return lane * REGISTERS + (register ^ lane)
    four = register // 4 ^ lane & 7 ^ (lane // 8) << (bits > 2)
    return lane * REGISTERS + 4 * four + register % 4


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("bits", BITS)
def test_lanes_that_access_shared_memory_together_use_different_banks(bits: str, width: int) -> None:
    """Those that load share a bank, two at a time, only where four words stay together and one bit is exchanged."""
    worst = 0
    for register in range(REGISTERS):
        stored = [place(lane, register, int(bits), width) % BANKS // width for lane in range(WARP)]
        for first in range(0, WARP, WARP // width):  # lanes that store at once
            assert len(set(stored[first : first + WARP // width])) == WARP // width
        words = [place(*source(lane, register, int(bits)), int(bits), width) for lane in range(WARP)]
        worst = max(worst, *Counter(word % BANKS for word in words).values())
    assert worst == (2 if (bits, width) == ("1", 4) else 1)


def test_expected_counts_follow_the_bits() -> None:
    def shuffles(variant: str) -> list[int]:
        counts = [
            CONVERT.declaration.variant(variant).expected_counts(DTYPES["i32"], {"bits": bits}) for bits in "12345"
        ]
        return [count["SHFL"] for count in counts if count]

    assert shuffles("shfl-bits") == [16, 32, 48, 64, 80]
    assert shuffles("shfl-rounds") == [16, 24, 28, 30, 31]

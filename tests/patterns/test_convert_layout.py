from collections import Counter
from collections.abc import Collection
from itertools import combinations

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

CONVERT = load(builtin()["convert-layout"])
BITS = CONVERT.declaration.options["bits"]
ELEMENTS = BANKS = 32
PARTS = {"i32": 1, "i16": 2, "i8": 4}  # elements per register


def workload(bits: str, dtype: str = "i32") -> Workload:
    return cases.workload(CONVERT, dtype, launch="1x64", options={"bits": bits})


def source(lane: int, element: int, bits: int) -> tuple[int, int]:
    """Return the lane and the element from which an element of a lane comes."""
    mask = 2**bits - 1
    return lane & ~mask | element & mask, element & ~mask | lane & mask


def advanced(word: int, lane: int, register: int) -> int:
    """Return what an iteration makes of the word that an exchange has left in a register of a lane."""
    return (word * (0x9E3779B1 + 2 * register) + lane) % 2**32


def converted(warp: list[list[int]], bits: int, parts: int) -> list[list[int]]:
    """Return the registers of a warp, by lane, after an exchange of elements of which a register has `parts`."""
    width = 32 // parts
    result = [[0] * WARP for _ in warp]
    for lane in range(WARP):
        for element in range(ELEMENTS):
            other, at = source(lane, element, bits)
            value = warp[at // parts][other] >> at % parts * width & 2**width - 1
            result[element // parts][lane] |= value << element % parts * width
    return result


def converted_in(chosen: Collection[int], iterations: int, values: Array, bits: str) -> Array:
    """Return the result of a kernel that exchanges in the chosen iterations only."""
    parts = 4 // values.itemsize
    registers = ELEMENTS // parts
    warps = values.view("u4").reshape(-1, registers, WARP)
    lanes, elements = np.meshgrid(np.arange(WARP), np.arange(ELEMENTS))
    others, sources = np.vectorize(source)(lanes, elements, int(bits))
    factors = (0x9E3779B1 + 2 * np.arange(registers)).astype("u4")[:, None]
    for iteration in range(iterations):
        if iteration in chosen:
            by_byte = warps.view(f"u{values.itemsize}").reshape(-1, registers, WARP, parts).swapaxes(2, 3)
            moved = by_byte.reshape(-1, ELEMENTS, WARP)[:, sources, others].reshape(-1, registers, parts, WARP)
            warps = np.ascontiguousarray(moved.swapaxes(2, 3)).reshape(-1, registers, WARP * parts).view("u4")
        warps = warps * factors + np.arange(WARP, dtype="u4")
    result: Array = warps.reshape(-1).view(values.dtype)
    return result


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_reference_exchanges_the_bits_element_by_element(bits: str, iterations: int, dtype: str) -> None:
    data, registers = workload(bits, dtype), ELEMENTS // PARTS[dtype]
    (values,) = data.inputs(0)
    warps = values.view("u4").reshape(-1, registers, WARP).tolist()
    for _ in range(iterations):
        warps = [
            [
                [advanced(word, lane, number) for lane, word in enumerate(words)]
                for number, words in enumerate(converted(warp, int(bits), PARTS[dtype]))
            ]
            for warp in warps
        ]
    assert after(data, iterations, values).view("u4").reshape(-1, registers, WARP).tolist() == warps


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("bits", BITS)
def test_a_word_that_does_not_move_in_any_iteration_is_visible_at_the_end(bits: str, dtype: str) -> None:
    def keep(before: Array, values: Array) -> None:
        last = WARP - 2  # this lane of the last warp kept its last register
        values.view("u4")[-2] = advanced(int(before.view("u4")[-2]), last, ELEMENTS // PARTS[dtype] - 1)

    assert hidden(workload(bits, dtype), keep) == []


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("bits", BITS)
def test_exchanges_that_are_left_out_are_visible_at_the_end(bits: str, dtype: str) -> None:
    """Whichever are left out of the last 2·U iterations, and if only the first iteration exchanges."""
    data = workload(bits, dtype)
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
        return lane * ELEMENTS + (register ^ lane)
    four = register // 4 ^ lane & 7 ^ (lane // 8) << (bits > 2)
    return lane * ELEMENTS + 4 * four + register % 4


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("bits", BITS)
def test_lanes_that_access_shared_memory_together_use_different_banks(bits: str, width: int) -> None:
    """Those that load share a bank, two at a time, only where four words stay together and one bit is exchanged."""
    worst = 0
    for register in range(ELEMENTS):
        stored = [place(lane, register, int(bits), width) % BANKS // width for lane in range(WARP)]
        for first in range(0, WARP, WARP // width):  # lanes that store at once
            assert len(set(stored[first : first + WARP // width])) == WARP // width
        words = [place(*source(lane, register, int(bits)), int(bits), width) for lane in range(WARP)]
        worst = max(worst, *Counter(word % BANKS for word in words).values())
    assert worst == (2 if (bits, width) == ("1", 4) else 1)


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize("bits", BITS)
def test_lanes_that_access_small_elements_together_use_different_banks(bits: str, parts: int) -> None:
    words = ELEMENTS // parts

    def place_of(lane: int, element: int) -> int:
        """Return the word in shared memory where an element lies, as in kernels.cu."""
        return lane * words + (element // parts ^ lane // parts)

    for register in range(words):
        assert len({place_of(lane, register * parts) % BANKS for lane in range(WARP)}) == WARP
    for element in range(ELEMENTS):
        loaded = {place_of(*source(lane, element, int(bits))) for lane in range(WARP)}
        assert len({word % BANKS for word in loaded}) == len(loaded)


def test_expected_counts_follow_the_bits() -> None:
    def shuffles(variant: str) -> list[int]:
        counts = [
            CONVERT.declaration.variant(variant).expected_counts(DTYPES["i32"], {"bits": bits}) for bits in "12345"
        ]
        return [count["SHFL"] for count in counts if count]

    assert shuffles("shfl-bits") == [16, 32, 48, 64, 80]
    assert shuffles("shfl-rounds") == [16, 24, 28, 30, 31]


@pytest.mark.parametrize(("dtype", "permutations"), [("i16", [24, 24, 24, 24, 24]), ("i8", [12, 24, 24, 24, 24])])
def test_bits_within_a_register_take_byte_permutations(dtype: str, permutations: list[int]) -> None:
    variant = CONVERT.declaration.variant("shfl-bits")
    counts = [variant.expected_counts(DTYPES[dtype], {"bits": bits}) for bits in "12345"]
    assert [count["PRMT"] for count in counts if count] == permutations
    assert [count["SHFL"] for count in counts if count] == [
        ELEMENTS // PARTS[dtype] // 2 * bits for bits in range(1, 6)
    ]

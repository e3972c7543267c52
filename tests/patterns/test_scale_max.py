from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

SCALE = load(builtin()["scale-max"])
SETTINGS = list(product(("f32", "bf16"), ("32", "16"), ("1", "4")))  # type, values per group, words per lane
IN_A_WORD = {"f32": 1, "bf16": 2}
EACH_SETTING = pytest.mark.parametrize(("dtype", "group", "words"), SETTINGS)


def options_of(group: str, words: str) -> Mapping[str, str]:
    return {"group": group, "words": words}


def workload(dtype: str, group: str, words: str) -> Workload:
    return cases.workload(SCALE, dtype, options=options_of(group, words))


def values_of(word: int, dtype: str) -> list[int]:
    """Return the bits of the numbers in a word, the lower half first."""
    word %= 2**32
    return [word] if dtype == "f32" else [word % 2**16, word >> 16]


def number(bits: int, dtype: str) -> float:
    """Return the number with these bits; a bf16 is the upper half of an f32."""
    return float(np.uint32(bits << (32 - 32 // IN_A_WORD[dtype])).view(np.float32))


def bits_of(magnitude: float, dtype: str) -> int:
    return int(np.float32(magnitude).view(np.uint32)) >> (32 - 32 // IN_A_WORD[dtype])


def largest(group: Sequence[int], dtype: str) -> int:
    """Return the bits of the largest magnitude in the words of a group, found by comparing numbers."""
    return bits_of(max(abs(number(bits, dtype)) for word in group for bits in values_of(word, dtype)), dtype)


def advanced(group: Sequence[int], dtype: str) -> list[int]:
    added, finite = largest(group, dtype), {"f32": 0xBFFFFFFF, "bf16": 0xBFFFBFFF}[dtype]
    return [(word * 0x9E3779B1 + added) % 2**32 & finite for word in group]


def groups_of(states: Array, dtype: str, group: str) -> list[list[int]]:
    """Return the words of each group of consecutive values."""
    rows: list[list[int]] = states.reshape(-1, int(group) // IN_A_WORD[dtype]).tolist()
    return rows


@EACH_SETTING
def test_reference_is_the_recurrence_group_by_group(dtype: str, group: str, words: str) -> None:
    data = workload(dtype, group, words)
    (states,) = data.inputs(0)
    for iterations in (0, 1, 5):
        expected = groups_of(states, dtype, group)
        for _ in range(iterations):
            expected = [advanced(row, dtype) for row in expected]
        result = groups_of(after(data, iterations, states).view(np.uint32), dtype, group)
        assert result == [[word % 2**32 for word in row] for row in expected]


@EACH_SETTING
def test_all_values_are_finite_and_have_both_signs(dtype: str, group: str, words: str) -> None:
    data = workload(dtype, group, words)
    for iteration in (0, 1, 100):
        states = after(data, iteration, *data.inputs(0)).reshape(-1).tolist()
        numbers = [number(bits, dtype) for word in states for bits in values_of(word, dtype)]
        assert max(map(abs, numbers)) < 2
        assert min(numbers) < 0 < max(numbers)


@EACH_SETTING
def test_each_value_of_a_group_has_the_largest_magnitude_at_times(dtype: str, group: str, words: str) -> None:
    data = workload(dtype, group, words)
    (states,) = data.inputs(0)
    deciding = set()
    for _ in range(40):
        for row in groups_of(states, dtype, group):
            magnitudes = [abs(number(bits, dtype)) for word in row for bits in values_of(word, dtype)]
            deciding.add(magnitudes.index(max(magnitudes)))
        states = after(data, 1, states)
    assert deciding == set(range(int(group)))


@EACH_SETTING
def test_a_maximum_that_one_lane_has_wrong_in_any_iteration_is_visible_at_the_end(
    dtype: str, group: str, words: str
) -> None:
    def confuse(_: Array, states: Array) -> None:
        states.view(np.uint32).reshape(-1, WARP, int(words))[-1, 5] += np.uint32(1)

    assert hidden(workload(dtype, group, words), confuse) == []


@EACH_SETTING
def test_the_second_largest_magnitude_in_any_iteration_is_visible_at_the_end(
    dtype: str, group: str, words: str
) -> None:
    def take_the_second(before: Array, states: Array) -> None:
        """Let the last group miss its largest magnitude."""
        row = groups_of(before, dtype, group)[-1]
        sign = 1 << (32 // IN_A_WORD[dtype] - 1)
        magnitudes = sorted(bits & ~sign for word in row for bits in values_of(word, dtype))
        after_it = states.view(np.uint32).reshape(-1, len(row))
        after_it[-1] -= np.uint32(magnitudes[-1] - magnitudes[-2])

    assert hidden(workload(dtype, group, words), take_the_second) == []


@EACH_SETTING
def test_words_stay_different_over_many_iterations(dtype: str, group: str, words: str) -> None:
    data = workload(dtype, group, words)
    rows = groups_of(after(data, 4096, *data.inputs(0)), dtype, group)
    assert all(len(set(row)) == len(row) for row in rows)


@pytest.mark.parametrize(
    ("dtype", "group", "words", "shuffles", "loads"),
    [("f32", "32", "1", 5, 8), ("f32", "32", "4", 3, 2), ("bf16", "32", "1", 4, 4), ("bf16", "16", "4", 1, 1)],
)
def test_a_group_has_as_many_lanes_as_its_values_need(
    dtype: str, group: str, words: str, shuffles: int, loads: int
) -> None:
    options = options_of(group, words)
    counts = [SCALE.declaration.variant(name).expected_counts(DTYPES[dtype], options) for name in ("shfl", "smem-wide")]
    assert counts == [{"SHFL": shuffles}, {"STS": 1, "LDS": loads}]


@pytest.mark.parametrize(
    ("dtype", "group", "instructions"), [("f32", "32", 1), ("f32", "16", 2), ("bf16", "32", 2), ("bf16", "16", 4)]
)
def test_a_warp_needs_an_instruction_per_group(dtype: str, group: str, instructions: int) -> None:
    options = options_of(group, "1")
    for name in ("redux", "redux-products"):
        assert SCALE.declaration.variant(name).expected_counts(DTYPES[dtype], options) == {"REDUX": instructions}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("dtype", "group"), [("f32", "16"), ("bf16", "32"), ("bf16", "16")])
def test_products_take_the_place_of_selections(dtype: str, group: str) -> None:
    selections = []
    for variant in ("redux", "redux-products"):
        kernel = kernels.compiled(f"scale-max/{variant}/{dtype}/group={group}/words=1")
        assert kernel.loop
        loop = [item for item in kernel.sass or () if kernel.loop.start <= item.address <= kernel.loop.end]
        selections.append(sum(item.base == "SEL" for item in loop))
    assert selections[0] > 0
    assert selections[1] == 0


@pytest.mark.parametrize(
    ("name", "maximum"), [("shfl/f32", "FMNMX"), ("shfl-bits/f32", "VIMNMX"), ("shfl-pairs/bf16", "HMNMX2")]
)
def test_maxima_are_those_of_floats_integers_or_pairs(name: str, maximum: str) -> None:
    variant, dtype = name.split("/")
    kernel = kernels.compiled(f"scale-max/{variant}/{dtype}/group=32/words=1")
    assert kernel.sass is not None
    maxima = {item.base for item in kernel.sass if "MNMX" in item.base}
    assert maximum in maxima


def test_a_member_supports_settings_in_which_it_loads_whole_lanes() -> None:
    """A member that loads a quarter of each group has no groups of four lanes: those have one lane per part."""
    members = SCALE.declaration.members
    supported = {
        name: [setting for setting in SETTINGS if members[name].variant.has(setting[0], options_of(*setting[1:]))]
        for name in ("parts4-bits128", "parts8-bits64", "parts16-bits64")
    }
    one_word = [setting for setting in SETTINGS if setting[2] == "1"]
    assert supported == {
        "parts4-bits128": one_word,
        "parts8-bits64": [setting for setting in one_word if setting[1] == "32"],
        "parts16-bits64": [("f32", "32", "1")],
    }


def test_a_member_loads_at_most_its_part() -> None:
    """A quarter of 8 lanes is two words, for which a load of 16 bytes would be too wide."""
    member = SCALE.declaration.members["parts4-bits128-apart"].variant
    counts = [
        member.expected_counts(DTYPES[dtype], options_of(group, "1"))
        for dtype, group in (("f32", "32"), ("f32", "16"), ("bf16", "16"))
    ]
    assert counts == [{"STS": 1, "LDS": loads, "SHFL": 3} for loads in (2, 1, 1)]

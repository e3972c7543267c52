import numpy as np
import pytest

from shflbench.checker.inputs.contents import (
    LONGEST,
    PART,
    fill,
    long_ranges,
    permutations,
    random_values,
    sorted_offsets,
)
from shflbench.checker.inputs.elements import ELEMENTS, element_of
from shflbench.checker.inputs.grammar import BufferValue


@pytest.mark.parametrize("name", ELEMENTS)
def test_every_type_has_random_contents_of_its_size(name: str) -> None:
    element = ELEMENTS[name]
    contents = random_values(element, 100, 256, "in", 0)
    assert contents.size == 100 * element.size
    assert contents.any()


@pytest.mark.parametrize(("name", "most"), [("f32", 0), ("f16", 0), ("u8", 200), ("i64", 1 << 40), ("bool", 2)])
def test_a_large_buffer_goes_on_from_the_contents_of_a_small_one(name: str, most: int) -> None:
    element, small, large = ELEMENTS[name], PART - 1, 2 * PART + 3
    contents = random_values(element, large, most, "in", 0)
    assert contents.size == large * element.size
    first, rest = contents[: small * element.size], contents[PART * element.size :]
    assert first.tolist() == random_values(element, small, most, "in", 0).tolist()
    assert rest.tolist() != contents[: rest.size].tolist()


def test_bfloat16_is_the_upper_half_of_a_float_rounded_to_nearest_even() -> None:
    bits = ELEMENTS["bf16"].encode([1.0, -2.0, 1.00390625, 1.01171875]).view("u2")
    assert [f"{value:#06x}" for value in bits] == ["0x3f80", "0xc000", "0x3f80", "0x3f82"]


def test_the_index_of_an_element_fills_a_buffer() -> None:
    assert fill(BufferValue(ELEMENTS["i32"], 5, "index"), 0, "in", 0).view("i4").tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("name", "dtype"), [("i64", "i8"), ("u64", "u8")])
def test_the_index_fills_a_buffer_of_long_integers(name: str, dtype: str) -> None:
    assert fill(BufferValue(ELEMENTS[name], 3, "index"), 0, "in", 0).view(dtype).tolist() == [0, 1, 2]


def test_an_index_wraps_where_a_type_has_few_bits() -> None:
    assert fill(BufferValue(ELEMENTS["i8"], 130, "index"), 0, "in", 0).view("i1")[[127, 128, 129]].tolist() == [
        127,
        0,
        1,
    ]


def test_a_list_repeats_up_to_the_size_of_the_buffer() -> None:
    assert fill(BufferValue(ELEMENTS["u16"], 5, (7, 9)), 0, "in", 0).view("u2").tolist() == [7, 9, 7, 9, 7]


def test_buffers_of_one_seed_differ_by_name() -> None:
    one, other = (random_values(ELEMENTS["i32"], 64, 64, name, 0) for name in ("a", "b"))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("numpy", "name"), [("f4", "f32"), ("u1", "u8"), ("?", "bool"), ("bfloat16", "bf16"), ("i8", "i64")]
)
def test_names_of_numpy_lead_to_types(numpy: str, name: str) -> None:
    assert element_of(numpy) == ELEMENTS[name]


@pytest.mark.parametrize("numpy", [None, "S3", "c8", "no type"])
def test_other_names_lead_to_none(numpy: str | None) -> None:
    assert element_of(numpy) is None


def test_offsets_never_decrease_and_begin_with_zero() -> None:
    offsets = sorted_offsets(ELEMENTS["i32"], 100, 64, "start", seed=1).view("i4")
    assert offsets[0] == 0
    assert (np.diff(offsets) >= 0).all()
    assert offsets.max() < 64


def test_the_first_of_long_ranges_has_several_elements() -> None:
    offsets = long_ranges(ELEMENTS["i64"], 100, 64, "start", seed=1).view("i8")
    assert offsets[:2].tolist() == [0, LONGEST]
    assert set(np.diff(offsets[:12]).tolist()) <= set(range(LONGEST + 1))
    assert (np.diff(offsets) >= 0).all()
    assert offsets.max() == 63
    assert long_ranges(ELEMENTS["i64"], 1, 64, "start", seed=1).view("i8").tolist() == [0]


def test_permutations_repeat_only_where_there_are_more_elements_than_numbers() -> None:
    assert sorted(permutations(ELEMENTS["i32"], 100, 256, "to", seed=1).view("i4")) == list(range(100))
    assert sorted(permutations(ELEMENTS["i32"], 96, 32, "to", seed=1).view("i4")) == sorted(list(range(32)) * 3)


def test_integers_of_8_bits_have_every_value() -> None:
    contents = random_values(ELEMENTS["u8"], 10_000, 10_000, "in", 0)
    assert set(contents.tolist()) == set(range(256))
    assert set(permutations(ELEMENTS["u8"], 512, 512, "in", 0).tolist()) == set(range(256))

"""Ranges that do not overlap, in records of a begin and a length or in buffers of their own."""

import numpy as np
import pytest

from shflbench.checker.inputs.alternatives import Alternative, ContentLayout, Contents, of_ranges
from shflbench.checker.inputs.elements import ELEMENTS

RAYS = ContentLayout(record=3)


def filled(contents: Contents, length: int, layout: ContentLayout) -> list[int]:
    data = Alternative(contents, length=length).filled(ELEMENTS["i32"], 9, 2, layout)
    return [int(value) for value in data.view("i4")]


@pytest.mark.parametrize(
    ("contents", "length", "layout", "values"),
    [
        (Contents.RANGES, 0, RAYS, [0, 0, 5, 5, 5, 5, 10, 10, 5]),
        (Contents.RANGES, 2, RAYS, [5, 0, 0, 5, 5, 5, 5, 10, 10]),
        (Contents.SHORT_RANGES, 1, RAYS, [0, 1, 0, 1, 1, 1, 0, 1, 0]),
        (Contents.RANGES, 0, ContentLayout(), [5 * number for number in range(9)]),
        (Contents.RANGES, 0, ContentLayout(is_count=True), [5] * 9),
        (Contents.SHORT_RANGES, 0, ContentLayout(is_count=True), [1] * 9),
    ],
)
def test_ranges_begin_where_none_before_has_elements(
    contents: Contents, length: int, layout: ContentLayout, values: list[int]
) -> None:
    assert filled(contents, length, layout) == values


def test_floats_are_as_usual() -> None:
    data = Alternative(Contents.RANGES).filled(ELEMENTS["f32"], 4, 4, RAYS)
    assert data.view(np.float32).tolist() == [0, 1, 2, 3]


def test_each_element_of_a_record_may_be_the_length() -> None:
    assert [item.length for item in of_ranges([RAYS]) if item.contents is Contents.RANGES] == [0, 1, 2]
    assert [item.length for item in of_ranges([ContentLayout(is_count=True)])] == [0, 0]


@pytest.mark.parametrize("layouts", [[], [ContentLayout()]])
def test_indices_alone_have_no_ranges(layouts: list[ContentLayout]) -> None:
    assert list(of_ranges(layouts)) == []

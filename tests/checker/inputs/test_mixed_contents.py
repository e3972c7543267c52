"""Contents of several buffers that fit one another."""

import numpy as np
import pytest

from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.inputs.mixed_contents import PER_RANGE, MixedContents

MIXED = MixedContents({"state": (-2.0, -1.0)}, {"to": PER_RANGE, "chosen": 1}, frozenset({"row"}))
COUNT = 128


def filled(name: str, most: int = COUNT) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    contents = MIXED.filled(name, ELEMENTS["i64"], COUNT, most, seed=0)
    assert contents is not None
    return contents.view("i8")


def test_elements_of_ranges_lead_to_the_nodes_before_and_after() -> None:
    row, to = filled("row"), filled("to")
    assert [to[row[u] : row[u + 1]].tolist() for u in (1, 2, 50)] == [[0, 2], [1, 3], [49, 51]]


def test_indices_lead_back_to_neighbors() -> None:
    assert set((filled("chosen") - np.arange(COUNT))[1:-1].tolist()) == {-1, 1}


def test_marks_are_mixed() -> None:
    assert set(filled("state").tolist()) == {-2, -1}


@pytest.mark.parametrize("name", ["row", "to", "chosen"])
def test_indices_stay_below_the_size(name: str) -> None:
    assert set(filled(name, most=20).tolist()) <= set(range(20))


@pytest.mark.parametrize(("name", "type_", "value"), [("min", "i32", 0), ("max", "i32", 19), ("max", "f32", 8)])
def test_everything_is_within_limits(name: str, type_: str, value: int) -> None:
    limits = MixedContents({}, {}, lowest=frozenset({"min"}), highest=frozenset({"max"}))
    contents = limits.filled(name, ELEMENTS[type_], 4, 20, seed=0)
    assert contents is not None
    assert set(contents.view(ELEMENTS[type_].numpy).tolist()) == {value}
    assert limits.text == "the smallest values in min; the largest values in max"


def test_other_buffers_keep_their_contents() -> None:
    assert MIXED.filled("weight", ELEMENTS["f32"], COUNT, COUNT, seed=0) is None


def test_the_contents_are_reported_in_words() -> None:
    assert MIXED.text == (
        "-2, -1 mixed in state; neighboring indices in to; neighboring indices in chosen; ranges of 2 elements in row"
    )

"""Whether two counted launches left the same results."""

import numpy as np
import pytest

from shflbench.kernel_facts.launch_results import (
    ComparedBlocks,
    LaunchResults,
    ResultRelation,
    WrittenElements,
    relation_of,
)

ALL = ComparedBlocks(are_all=True, are_same=True, add_up=False)
SOME = ComparedBlocks(are_all=False, are_same=False, add_up=False)
BEFORE = np.zeros(8, np.float32)


def results(after: list[float], inputs: bytes = b"x") -> LaunchResults:
    return LaunchResults({"in": inputs}, {"out": WrittenElements.of(BEFORE, np.array(after, np.float32))})


ONES, HALF = [1.0] * 8, [1.0] * 4 + [0.0] * 4
NAMES = {"in": "in", "out": "out"}


@pytest.mark.parametrize(
    ("other", "blocks", "relation"),
    [
        (ONES, ALL, ResultRelation.EQUAL),
        ([1.0001] * 8, ALL, ResultRelation.EQUAL),
        ([1.1] * 8, ALL, ResultRelation.DIFFERENT),
        (HALF, ALL, ResultRelation.DIFFERENT),
        (HALF, SOME, ResultRelation.EQUAL_WHERE_COUNTED),
        ([2.0] * 8, SOME, ResultRelation.DIFFERENT),
        ([0.0] * 8, SOME, ResultRelation.UNKNOWN),
    ],
)
def test_results_are_compared_where_both_launches_wrote(
    other: list[float], blocks: ComparedBlocks, relation: ResultRelation
) -> None:
    assert relation_of(results(ONES), results(other), NAMES, blocks) is relation


def test_results_of_other_inputs_are_not_compared() -> None:
    assert relation_of(results(ONES), results(ONES, b"y"), NAMES, ALL) is ResultRelation.UNKNOWN


@pytest.mark.parametrize(
    ("are_same", "other", "relation"),
    [
        (True, ONES, ResultRelation.EQUAL_WHERE_COUNTED),
        (True, [2.0] * 8, ResultRelation.UNKNOWN),
        (False, ONES, ResultRelation.UNKNOWN),
    ],
)
def test_parts_of_sums_are_not_known_to_differ(*, are_same: bool, other: list[float], relation: ResultRelation) -> None:
    blocks = ComparedBlocks(are_all=False, are_same=are_same, add_up=True)
    assert relation_of(results(ONES), results(other), NAMES, blocks) is relation


def test_elements_of_an_arbitrary_output_are_those_that_were_written() -> None:
    after = np.full(4, 0xA5, np.uint8).repeat(4).view(np.uint32)
    after[2] = 7
    elements = WrittenElements.of((4, "u4"), after)
    assert elements.places.tolist() == [2]
    assert elements.values.tolist() == [7]
    assert elements.is_whole


def test_one_large_result_does_not_hide_that_the_others_differ() -> None:
    one, other = ([value] * 7 + [1e9] for value in (1.0, 1000.0))
    assert relation_of(results(one), results(other), NAMES, ALL) is ResultRelation.DIFFERENT

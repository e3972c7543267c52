import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

TRANSPOSE = load(builtin()["transpose"])
UNROLL = TRANSPOSE.declaration.unroll
WORDS = TRANSPOSE.declaration.options["words"]
PERIODS = {"2": 6, "3": 36, "4": 7, "8": 8, "16": 9, "32": 2}


def workload(words: str) -> Workload:
    return cases.workload(TRANSPOSE, launch="1x64", options={"words": words})


def one_iteration(tile: list[float], words: int) -> list[float]:
    """Let register i of lane l, which lies at 32 * i + l, take word `words * l + i` of the tile."""
    return [tile[words * lane + register] for register in range(words) for lane in range(WARP)]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 19])
def test_reference_gives_each_lane_consecutive_words(words: str, iterations: int) -> None:
    data = workload(words)
    (values,) = data.inputs(0)
    size = WARP * int(words)
    expected: list[float] = []
    for start in range(0, values.size, size):
        tile = values[start : start + size].tolist()
        for _ in range(iterations):
            tile = one_iteration(tile, int(words))
        expected += tile
    assert after(data, iterations, values).tolist() == expected


@pytest.mark.parametrize("words", WORDS)
def test_word_that_does_not_move_in_any_iteration_is_visible_at_the_end(words: str) -> None:
    def keep(before: Array, values: Array) -> None:
        values[-2] = before[-2]  # lane 30 of the last warp kept its last word

    assert hidden(workload(words), keep) == []


@pytest.mark.parametrize(("words", "period"), PERIODS.items())
def test_tile_returns_after_the_period_in_the_notes_and_not_before(words: str, period: int) -> None:
    data = workload(words)
    (values,) = data.inputs(0)
    same = [count for count in range(1, period + 1) if (after(data, count, values) == values).all()]
    assert same == [period]
    assert UNROLL % period
    assert 3 * UNROLL % period


def test_every_number_of_words_has_a_period() -> None:
    assert set(PERIODS) == set(WORDS)

from __future__ import annotations

from random import Random

import pytest

from shflbench.measure.episodes import Episodes, slow_rounds


def rounds(excess: dict[int, float], *, count: int = 20, size: int = 5, noise: float = 0.0003) -> list[list[float]]:
    """Return samples as fractions above the typical time; the rounds named in `excess` are so much slower."""
    source = Random(1)  # noqa: S311
    return [[excess.get(number, 0.0) + source.gauss(0, noise) for _ in range(size)] for number in range(count)]


def test_rounds_that_stand_out_are_counted_with_their_excess() -> None:
    found = slow_rounds(rounds({3: 0.003, 4: 0.003, 11: 0.004}), 0.01)
    assert found is not None
    assert found.rounds == 3
    assert found.excess == pytest.approx(0.003, rel=0.15)


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(rounds({}), id="none"),
        pytest.param(rounds({3: 0.05}), id="one alone"),
        pytest.param(rounds({3: 0.001, 4: 0.001}, noise=0.0001), id="two, but by too little to matter"),
        pytest.param(rounds({3: 0.003, 4: 0.003}, noise=0.01), id="two, but not more than the launches scatter"),
        pytest.param(rounds({3: 0.003, 1: 0.003}, count=4), id="two of four are half"),
        pytest.param([], id="no rounds"),
    ],
)
def test_otherwise_there_are_none(samples: list[list[float]]) -> None:
    assert slow_rounds(samples, 0.01) is None


def test_rounds_of_different_sizes_are_compared_by_as_many_samples() -> None:
    samples = rounds({3: 0.003, 4: 0.003})
    ragged = [values[: 3 + 2 * (number % 2)] for number, values in enumerate(samples)]
    assert slow_rounds(ragged, 0.01) == slow_rounds([values[:3] for values in samples], 0.01)


def test_same_samples_give_the_same_answer() -> None:
    samples = rounds({3: 0.003, 4: 0.0025})
    answers = {slow_rounds(samples, 0.01) for _ in range(5)}
    assert len(answers) == 1
    assert isinstance(answers.pop(), Episodes)

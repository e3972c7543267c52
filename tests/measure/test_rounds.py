from random import Random

import pytest

from shflbench.measure.rounds import Episodes, rounds_of, slow_rounds, step_us
from tests.measure.samples import burst


def test_rounds_are_ordered_by_process_with_the_time_of_their_first_burst() -> None:
    samples = [
        *burst([5.0], process=1, seconds=0.1),
        *burst([3.0, 1.0, 2.0], round_=1, seconds=0.9),
        *burst([9.0], round_=1, seconds=0.8, iterations=50),
        *burst([4.0], round_=0, seconds=0.2),
    ]
    rounds = rounds_of(samples)
    assert [(this.process, this.number, this.seconds) for this in rounds] == [(0, 0, 0.2), (0, 1, 0.8), (1, 0, 0.1)]
    assert rounds[1].times_us == {100: (3.0, 1.0, 2.0), 50: (9.0,)}
    assert rounds[1].median_us(100) == 2.0


def test_dropped_samples_make_no_round() -> None:
    assert rounds_of([*burst([5.0], dropped=True), *burst([6.0], round_=1)]) == rounds_of(burst([6.0], round_=1))


def test_old_samples_have_no_seconds() -> None:
    assert rounds_of(burst([5.0], seconds=None))[0].seconds is None


@pytest.mark.parametrize(
    ("samples", "step"),
    [
        pytest.param([*burst([70.0, 70.5, 72.0]), *burst([35.1], iterations=50)], 0.5, id="among times of one count"),
        pytest.param([*burst([70.0, 70.0]), *burst([35.9], iterations=50)], 0.032, id="none to be seen"),
        pytest.param(burst([70.0, 80.0]), 0.032, id="too wide to be one"),
        pytest.param(burst([4.0, 4.1], launches=8), 0.1, id="as it shows in the time of one launch"),
        pytest.param(burst([4.0, 4.2], launches=8), 0.004, id="too wide for eight launches"),
        pytest.param([], 0.032, id="no samples"),
    ],
)
def test_step_of_the_timer_is_the_smallest_difference(samples: list[object], step: float) -> None:
    assert step_us(samples) == pytest.approx(step)  # type: ignore[arg-type]


def excesses(excess: dict[int, float], *, count: int = 20, size: int = 5, noise: float = 0.0003) -> list[list[float]]:
    """Return samples as fractions above the typical time; the rounds in `excess` are slower by these fractions."""
    source = Random(1)  # noqa: S311
    return [[excess.get(number, 0.0) + source.gauss(0, noise) for _ in range(size)] for number in range(count)]


def test_slow_rounds_are_counted_with_their_excess() -> None:
    found = slow_rounds(excesses({3: 0.003, 4: 0.003, 11: 0.004}), 0.01)
    assert found is not None
    assert found.rounds == 3
    assert found.excess == pytest.approx(0.003, rel=0.15)


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(excesses({}), id="none"),
        pytest.param(excesses({3: 0.05}), id="one alone"),
        pytest.param(excesses({3: 0.001, 4: 0.001}, noise=0.0001), id="two, but by too little to matter"),
        pytest.param(excesses({3: 0.003, 4: 0.003}, noise=0.01), id="two, but not more than the launches scatter"),
        pytest.param(excesses({3: 0.003, 1: 0.003}, count=4), id="two of four are half"),
        pytest.param([], id="no rounds"),
    ],
)
def test_otherwise_no_round_is_slow(samples: list[list[float]]) -> None:
    assert slow_rounds(samples, 0.01) is None


def test_rounds_of_different_sizes_are_compared_by_the_same_number_of_samples() -> None:
    samples = excesses({3: 0.003, 4: 0.003})
    ragged = [values[: 3 + 2 * (number % 2)] for number, values in enumerate(samples)]
    assert slow_rounds(ragged, 0.01) == slow_rounds([values[:3] for values in samples], 0.01)


def test_same_samples_give_the_same_result() -> None:
    samples = excesses({3: 0.003, 4: 0.0025})
    answers = {slow_rounds(samples, 0.01) for _ in range(5)}
    assert len(answers) == 1
    assert isinstance(answers.pop(), Episodes)

from __future__ import annotations

import pytest

from shflbench.measure.rounds import rounds_of, step_us
from tests.measure.samples import burst


def test_rounds_come_process_by_process_with_the_time_of_their_first_burst() -> None:
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


def test_old_samples_do_not_know_their_time() -> None:
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

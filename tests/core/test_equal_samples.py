import numpy as np
import pytest

from shflbench.core.equal_samples import find_equal

TIMES = np.array([50.02, 50.08, 50.05, 50.11])


@pytest.mark.parametrize(
    ("processes", "places"),
    [
        ([{"a": TIMES}, {"a": TIMES + 0.01}, {"a": TIMES, "b": TIMES}], (0, 2)),
        ([{"a": TIMES}, {"a": TIMES * (1 + 1e-7)}], (0, 1)),  # rounded, as a run folder stores it
        ([{"a": TIMES}, {"a": TIMES[::-1]}], None),
        ([{"a": TIMES, "b": TIMES}, {"a": TIMES, "b": TIMES + 0.01}], None),
        ([{"a": TIMES}, {"b": TIMES}], None),
        ([{"a": TIMES.round()}] * 2, None),  # a coarse timer
        ([{"a": TIMES.round(1)}] * 2, None),
        ([{"a": np.tile(TIMES.round(1), 4)}] * 2, (0, 1)),
    ],
)
def test_equal_samples_are_found_unless_a_coarse_timer_explains_them(
    processes: list[dict[str, np.ndarray]], places: tuple[int, int] | None
) -> None:
    assert find_equal(processes) == places

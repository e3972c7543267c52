import pytest

from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.offset import machine_change, offsets
from tests.fakes.estimated import estimated

SHORT_US = {"short-1": 12.0, "short-2": 17.0, "short-3": 21.0, "short-4": 30.0}
LONG_US = {"long-1": 400.0, "long-2": 410.0}


def timed(
    times_us: dict[str, float], *offsets_us: float, factor: float = 1.0, **further: float
) -> dict[str, Estimates]:
    """Return sentinels in a process for each offset, all slower by `factor`, and some by µs of their own."""
    return {
        name: estimated(*(time_us * factor + further.get(name.replace("-", "_"), 0.0) + each for each in offsets_us))
        for name, time_us in times_us.items()
    }


def test_the_offset_of_each_process_is_found() -> None:
    found = offsets(timed(SHORT_US, 0.0, 0.2), timed(SHORT_US, 0.5))
    assert found is not None
    assert found.difference == pytest.approx(0.4)
    assert found.base[0, 1] - found.base[0, 0] == pytest.approx(0.2)
    assert found.new[0, 0] - found.base[0, 0] == pytest.approx(0.5)


def test_swapping_the_sides_changes_the_sign_of_the_difference() -> None:
    base, new = timed(SHORT_US, 0.0, 0.2, short_1=0.3), timed(SHORT_US, 0.5)
    there, back = offsets(base, new), offsets(new, base)
    assert there is not None
    assert back is not None
    assert there.difference == pytest.approx(-back.difference)
    assert there.base == back.new


def test_one_changed_sentinel_does_not_affect_the_offset() -> None:
    found = offsets(timed(SHORT_US, 0.0), timed(SHORT_US, 0.1, short_2=5.0))
    assert found is not None
    assert found.difference == pytest.approx(0.1)


def test_long_sentinels_do_not_affect_the_offset() -> None:
    found = offsets(timed(SHORT_US | LONG_US, 0.0), timed(SHORT_US | LONG_US, 0.1, long_1=9.0, long_2=9.0))
    assert found is not None
    assert found.difference == pytest.approx(0.1)


def test_fewer_than_three_common_short_sentinels_give_no_offset() -> None:
    three = dict(list(SHORT_US.items())[:3])
    assert offsets(timed(three, 0.0), timed(SHORT_US, 0.0)) is not None
    two = dict(list(SHORT_US.items())[1:3])
    assert offsets(timed(two, 0.0), timed(SHORT_US | LONG_US, 0.0)) is None
    assert offsets(timed(SHORT_US | LONG_US, 0.0), timed(two | LONG_US, 0.0)) is None
    assert offsets({}, {}) is None


@pytest.mark.parametrize("factor", [1.005, 0.995])
def test_a_machine_that_slowed_all_long_sentinels_has_changed(factor: float) -> None:
    assert machine_change(timed(LONG_US, 0.0), timed(LONG_US, 0.0, factor=factor), 0.0) == pytest.approx(factor - 1)


def test_the_smallest_change_of_a_long_sentinel_counts() -> None:
    assert machine_change(timed(LONG_US, 0.0), timed(LONG_US, 0.0, long_1=2.0, long_2=8.2), 0.0) == pytest.approx(0.005)
    assert machine_change(timed(LONG_US, 0.0), timed(LONG_US, 0.0, long_1=-2.0, long_2=-8.2), 0.0) == pytest.approx(
        -0.005
    )


@pytest.mark.parametrize(("long_1", "long_2"), [(4.0, 0.0), (4.0, -4.0), (0.5, 0.5)])
def test_a_change_needs_all_long_sentinels_in_the_same_direction(long_1: float, long_2: float) -> None:
    assert machine_change(timed(LONG_US, 0.0), timed(LONG_US, 0.0, long_1=long_1, long_2=long_2), 0.0) == 0.0


def test_an_offset_is_no_change_of_the_machine() -> None:
    new = timed(LONG_US, 1.0)
    assert machine_change(timed(LONG_US, 0.0), new, 0.0) > 0.002
    assert machine_change(timed(LONG_US, 0.0), new, 1.0) == 0.0


def test_short_sentinels_do_not_detect_a_change_of_the_machine() -> None:
    assert machine_change(timed(SHORT_US, 0.0), timed(SHORT_US, 0.0, factor=1.1), 0.0) == 0.0
    assert machine_change(timed(LONG_US, 0.0), {}, 0.0) == 0.0


def test_few_processes_need_a_larger_change() -> None:
    barely = {"long": 101.0}
    one, nine = ([0.0] * count for count in (1, 9))
    assert machine_change(timed(barely, *one), timed(barely, *one, factor=1.0025), 0.0) == 0.0
    assert machine_change(timed(barely, *nine), timed(barely, *nine, factor=1.0025), 0.0) == pytest.approx(0.0025)

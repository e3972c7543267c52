"""The candidates that are measured, by predictions and by times."""

from shflbench.model import Interval
from shflbench.tuner.rules import MOST_MEASURED, RUNGS, best_of_kinds, count_iterations, drop, leave_out

KINDS = {"a": "shfl", "b": "shfl", "c": "shfl", "d": "shfl", "e": "smem"}
LAST = RUNGS[-1]


def exactly(time_us: float) -> Interval:
    return Interval(time_us, time_us, time_us)


def test_candidates_far_from_the_best_prediction_are_left_out_but_for_the_best_three_of_their_kind() -> None:
    reasons = leave_out({"a": 100.0, "b": 114.0, "c": 130.0, "d": 131.0, "e": 400.0}, KINDS)
    assert reasons == {"a": "", "b": "", "c": "", "d": "predicted to take 1.31× the cycles of a", "e": ""}


def test_candidates_without_a_prediction_are_measured() -> None:
    assert not any(leave_out({"a": 100.0, "b": 101.0, "c": 102.0, "d": None, "e": None}, KINDS).values())


def test_where_nothing_is_predicted_all_are_measured() -> None:
    assert not any(leave_out(dict.fromkeys(KINDS), KINDS).values())


def test_of_many_equal_predictions_the_most_that_fit_are_measured() -> None:
    names = [f"v{number:02}" for number in range(40)]
    reasons = leave_out(dict.fromkeys(names, 100.0), dict.fromkeys(names, "shfl"))
    assert [name for name in names if not reasons[name]] == names[:MOST_MEASURED]


def test_the_slower_half_is_dropped_even_where_it_is_not_surely_slower() -> None:
    times = {name: Interval(10.0 + index / 100, 9.0, 11.0) for index, name in enumerate("abcd")}
    reasons = drop(times, KINDS, LAST)
    assert [name for name, reason in reasons.items() if not reason] == ["a", "b"]
    assert reasons["d"] == "took 1.003× (0.818× to 1.222×) the time of a"


def test_of_the_faster_half_what_is_surely_slower_is_dropped() -> None:
    times = {"a": exactly(10), "b": exactly(10.3), "c": exactly(20), "d": exactly(21)}
    assert [name for name, reason in drop(times, KINDS, LAST).items() if not reason] == ["a"]


def test_the_best_of_each_kind_stays() -> None:
    times = {"a": exactly(10), "b": exactly(10), "c": exactly(11), "e": exactly(90)}
    assert not drop(times, KINDS, LAST)["e"]


def test_the_best_of_kinds_are_the_first_in_the_given_order() -> None:
    assert best_of_kinds("edcba", KINDS, 2) == {"e", "d", "c"}


def test_launches_take_as_many_iterations_as_fit_into_a_tenth_of_a_millisecond() -> None:
    assert [count_iterations(cycles, 4) for cycles in (100.0, 369.0, 2600.0, 60_000.0)] == [1024, 512, 64, 16]

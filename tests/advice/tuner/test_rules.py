"""The candidates that are measured, by predictions and by times."""

from shflbench.advice.tuner.rules import (
    MOST_MEASURED,
    Rung,
    best_of_kinds,
    count_iterations,
    drop,
    is_decided,
    leave_out,
    rank_time,
)
from shflbench.core.model import Interval

KINDS = {"a": "shfl", "b": "shfl", "c": "shfl", "d": "shfl", "e": "smem"}
THREE = Rung(0.01, 1.0, 1, most=3)
MEMBERS = {"a", "b", "c", "d"}


def exactly(time_us: float) -> Interval:
    return Interval(time_us, time_us, time_us)


def test_candidates_far_from_the_best_prediction_are_left_out_but_for_the_best_two_of_their_kind() -> None:
    reasons = leave_out({"a": 100.0, "b": 114.0, "c": 130.0, "d": 131.0, "e": 400.0}, KINDS)
    far = {"c": "predicted to take 1.30× the cycles of a", "d": "predicted to take 1.31× the cycles of a"}
    assert reasons == {"a": "", "b": "", **far, "e": ""}


def test_candidates_without_a_prediction_are_measured() -> None:
    assert not any(leave_out({"a": 100.0, "b": 101.0, "c": 102.0, "d": None, "e": None}, KINDS).values())


def test_where_nothing_is_predicted_all_are_measured() -> None:
    assert not any(leave_out(dict.fromkeys(KINDS), KINDS).values())


def test_of_many_equal_predictions_the_most_that_fit_are_measured() -> None:
    names = [f"v{number:02}" for number in range(40)]
    reasons = leave_out(dict.fromkeys(names, 100.0), dict.fromkeys(names, "shfl"))
    assert [name for name in names if not reasons[name]] == names[:MOST_MEASURED]


def test_the_fastest_stay_up_to_the_most_that_a_rung_measures() -> None:
    times = {name: Interval(10.0 + index / 100, 9.0, 11.0) for index, name in enumerate("abcd")}
    reasons = drop(times, MEMBERS, THREE)
    assert [name for name, reason in reasons.items() if not reason] == ["a", "b", "c"]
    assert reasons["d"] == "took 1.003× (0.818× to 1.222×) the time of a"


def test_what_is_surely_slower_is_dropped_even_where_few_are_left() -> None:
    times = {"a": exactly(10), "b": exactly(10.3), "c": exactly(20)}
    assert [name for name, reason in drop(times, MEMBERS, THREE).items() if not reason] == ["a"]


def test_the_fastest_member_and_the_fastest_variant_stay() -> None:
    times = {"a": exactly(10), "b": exactly(11), "e": exactly(90), "f": exactly(91)}
    assert [name for name, reason in drop(times, MEMBERS, THREE).items() if not reason] == ["a", "e"]
    assert [name for name, reason in drop(times, {"e", "f"}, THREE).items() if not reason] == ["a", "e"]


def test_a_time_without_an_interval_is_not_surely_slower() -> None:
    times = {"a": exactly(10), "b": Interval.unknown(12), "c": exactly(13)}
    reasons = drop(times, MEMBERS, THREE)
    assert [name for name, reason in reasons.items() if not reason] == ["a", "b"]
    assert not any(drop({"b": Interval.unknown(12), "c": exactly(13)}, MEMBERS, THREE).values())


def test_the_reason_of_a_time_without_an_interval_has_no_ends() -> None:
    reasons = drop({"a": exactly(10), "b": Interval.unknown(12)}, MEMBERS, Rung(0.01, 1.0, 1, most=1))
    assert reasons["b"] == "took 1.200× the time of a"


def test_a_choice_is_decided_where_no_other_may_be_faster_by_what_matters() -> None:
    assert is_decided({"a": exactly(10), "b": exactly(10.3)})
    assert is_decided({"a": Interval(10, 9.99, 10.01), "b": Interval(10.01, 9.98, 10.04), "c": exactly(11)})
    assert is_decided({"a": exactly(10)})


def test_a_choice_is_open_where_another_may_be_faster() -> None:
    assert not is_decided({"a": Interval(10, 9.9, 10.1), "b": Interval(10, 9.9, 10.1)})
    assert not is_decided({"a": exactly(10), "b": Interval(10.1, 9.9, 10.3)})
    assert not is_decided({"a": exactly(10), "b": Interval.unknown(20)})
    assert not is_decided({"a": Interval.unknown(10), "b": exactly(20)})


def test_the_best_of_kinds_are_the_first_in_the_given_order() -> None:
    assert best_of_kinds("edcba", KINDS, 2) == {"e", "d", "c"}


def test_launches_take_as_many_iterations_as_fit_into_a_tenth_of_a_millisecond() -> None:
    assert [count_iterations(cycles, 4) for cycles in (100.0, 369.0, 2600.0, 60_000.0)] == [1024, 512, 64, 16]


def test_times_of_earlier_rungs_count_more_by_what_processes_differ() -> None:
    assert rank_time(10.0, 3) < rank_time(9.95, 2)
    assert rank_time(10.0, 3) > rank_time(9.8, 2)
    assert rank_time(24.5, 2) > rank_time(20.0, 1)

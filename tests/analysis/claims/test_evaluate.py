import math
from collections.abc import Mapping

import pytest

from shflbench.analysis.claims.evaluate import Unknown, Value, evaluate, exactly, truth
from shflbench.core.claims.expression import Arithmetic, Call, Constant, Relation
from shflbench.core.claims.parse import parse_expression
from shflbench.core.model import Interval

VALUES: Mapping[str, Value] = {
    "one": Interval(1.0, 0.9, 1.1),
    "two": Interval(2.0, 1.9, 2.1),
    "near": Interval(1.05, 0.95, 1.15),
    "minus": Interval(-1.0, -1.1, -0.9),
    "zero": Interval(0.0, -0.1, 0.1),
    "four": exactly(4.0),
    "open": Unknown("it is not known"),
    "gone": Unknown("it is missing", is_missing=True),
}
LIMITS = {"shfl": "exchange", "smem": "barrier"}


def lookup(call: Call) -> Value:
    if call.function == "limit_by":
        return LIMITS[call.arguments[0]]
    if call.function == "verified":
        return call.arguments[0] != "wrong"
    return VALUES[call.arguments[0]]


def decide(text: str) -> bool | None:
    result = truth(parse_expression(text), lookup)
    return None if isinstance(result, Unknown) else result


def number(text: str) -> Interval:
    value = evaluate(parse_expression(text), lookup)
    assert isinstance(value, Interval)
    return value


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("time(one) + time(two)", 2.8, 3.2),
        ("time(one) - time(two)", -1.2, -0.8),
        ("time(one) * time(minus)", -1.21, -0.81),
        ("time(two) / time(one)", 1.9 / 1.1, 2.1 / 0.9),
        ("time(two) / time(minus)", -2.1 / 0.9, -1.9 / 1.1),
        ("-time(one) * 2", -2.2, -1.8),
        ("time(zero) * time(zero)", -0.01, 0.01),
        ("(time(one) + 1) / 2", 0.95, 1.05),
    ],
)
def test_arithmetic_contains_the_result_of_all_values(text: str, low: float, high: float) -> None:
    assert number(text).low == pytest.approx(low)
    assert number(text).high == pytest.approx(high)
    assert low <= number(text).value <= high


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time(one) < time(two)", True),
        ("time(two) < time(one)", False),
        ("time(one) < time(near)", None),
        ("time(one) >= time(two)", False),
        ("time(two) >= 1.9", True),
        ("time(two) > 1.9", None),  # the end of the interval may be the value
        ("time(two) <= 1.9", None),
        ("time(two) < 1.9", False),
        ("time(four) == 4", True),
        ("time(four) * 3 == 12.0000000001", True),  # rounding of numbers with few digits
        ("time(four) != 4", False),
        ("time(one) == 1", None),
        ("time(one) == time(two)", False),
        ("time(one) == 1 within 20%", True),
        ("time(one) == 1 within 5%", None),
        ("time(one) == 2 within 20%", False),
        ("time(one) != 2 within 20%", True),
        ("time(minus) == -1 within 20%", True),
        ("time(zero) == 1 within 50%", False),
        ("time(one) == time(near) within 40%", True),
        ("limit_by(shfl) == 'exchange'", True),
        ("limit_by(shfl) == limit_by(smem)", False),
        ("limit_by(shfl) != limit_by(smem)", True),
        ("verified(shfl)", True),
        ("not verified(wrong)", True),
    ],
)
def test_a_comparison_is_decided_if_all_values_agree(text: str, *, expected: bool | None) -> None:
    assert decide(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("verified(shfl) and time(open) > 1", None),
        ("verified(wrong) and time(open) > 1", False),
        ("time(open) > 1 and verified(wrong)", False),
        ("verified(shfl) or time(open) > 1", True),
        ("verified(wrong) or time(open) > 1", None),
        ("not time(open) > 1", None),
        ("time(one) < 1 or time(one) >= 1", None),  # a value that occurs twice is not known to be the same
    ],
)
def test_logic_has_three_values(text: str, *, expected: bool | None) -> None:
    assert decide(text) is expected


def test_a_missing_value_explains_an_unknown_result_before_an_open_one() -> None:
    result = truth(parse_expression("time(open) > 1 and time(gone) > 1"), lookup)
    assert result == Unknown("it is missing", is_missing=True)
    assert evaluate(parse_expression("time(open) + time(gone)"), lookup) == Unknown("it is missing", is_missing=True)


def test_a_divisor_that_may_be_0_gives_an_unknown_value() -> None:
    assert evaluate(parse_expression("1 / time(zero)"), lookup) == Unknown("a divisor may be 0")


def test_an_undecided_comparison_names_the_quantity_and_both_sides() -> None:
    result = truth(parse_expression("time(one) < time(near)"), lookup)
    assert result == Unknown("time(one) is 0.9 to 1.1 µs, not clearly below time(near), 0.95 to 1.15 µs")
    result = truth(parse_expression("time(one) == 1 within 5%"), lookup)
    assert result == Unknown("time(one) is 0.9 to 1.1 µs, not clearly within 5% of 1 µs")


@pytest.mark.parametrize("huge", [1e308, -1e308, math.inf, math.nan])
def test_numbers_beyond_all_bounds_are_unknown(huge: float) -> None:
    product = Arithmetic("*", Constant(huge), Constant(1e308))
    assert truth(Relation(">", product, Constant(1.0)), lookup) == Unknown("a number is too large")


def test_values_of_different_kinds_are_not_compared() -> None:
    comparison = Relation("==", Constant("32"), Constant(32.0))
    assert truth(comparison, lookup) == Unknown("the expression compares values of different kinds")
    assert isinstance(truth(Constant(3.0), lookup), Unknown)
    assert isinstance(evaluate(Arithmetic("+", Constant("a"), Constant(1.0)), lookup), Unknown)

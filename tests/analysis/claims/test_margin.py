import pytest

from shflbench.analysis.claims.evaluate import Unknown, Value, exactly
from shflbench.analysis.claims.margin import margin
from shflbench.core.claims.expression import Call
from shflbench.core.claims.parse import parse_expression


def lookup(call: Call) -> Value:
    if call.function == "verified":
        return call.arguments[0] == "good"
    if call.function == "limit_by":
        return "exchange"
    return {"two": exactly(2.0), "four": exactly(4.0)}.get(call.arguments[0], Unknown("it is not known"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time(four) > time(two)", 1.0),
        ("time(four) < time(two)", -1.0),
        ("time(two) == time(four) within 60%", 0.1),
        ("time(two) != time(four) within 60%", -0.1),
        ("time(four) > time(two) and time(two) > 1.5", 1 / 3),
        ("time(four) < time(two) or time(two) > 1.5", 1 / 3),
        ("not time(four) > time(two)", -1.0),
        ("time(four) > time(two) and time(unknown) > 1", 1.0),
        ("time(four) > 0", 4.0),
        ("time(unknown) > 1", None),
        ("verified(good)", 1.0),
        ("not verified(good)", -1.0),
        ("limit_by(two) == 'barrier'", -1.0),
    ],
)
def test_a_margin_says_by_which_fraction_a_claim_holds(text: str, expected: float | None) -> None:
    assert margin(parse_expression(text), lookup) == (None if expected is None else pytest.approx(expected))

import pytest

from shflbench.analysis.claims.words import interval_words, measured_expression, measured_words, quantity_words, unit_of
from shflbench.claims.claim import Claim
from shflbench.claims.parse import parse_expression
from shflbench.claims.walk import expression_text
from shflbench.model import Interval
from tests.analysis.claims.conftest import claim


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([4.7132], "×", "4.7×"),
        ([5.31, 1.79, 2.0], "×", "1.8× to 5.3×"),
        ([0.9991], "×", "0.999×"),
        ([27.31, 31.02], "µs", "27.3 to 31.0 µs"),
        ([1234.5, 2.5], "µs", "2 to 1,234 µs"),
        ([0.012345], "ns", "0.0123 ns"),
        ([32.0], "cycles", "32 cycles"),
        ([0.5, 0.994], "%", "50 to 99%"),
        ([15.0, 15.0], "", "15"),
        ([4160.9], "GB/s", "4,161 GB/s"),
        ([1e300], "µs", "1e+300 µs"),
        ([1e300], "×", "1e+300×"),
    ],
)
def test_quantities_have_their_unit_and_three_digits(values: list[float], unit: str, expected: str) -> None:
    assert quantity_words(values, unit) == expected


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("time(shfl)", "µs"),
        ("time(shfl) / time(smem)", "×"),
        ("time(shfl) / 2", "µs"),
        ("2 * time(shfl) + time(smem)", "µs"),
        ("-ns_per_iteration(shfl)", "ns"),
        ("sass(smem, STS) / sass(shfl, SHFL)", "×"),
        ("registers(shfl)", ""),
        ("occupancy(shfl)", "%"),
        ("time(shfl) / registers(shfl)", ""),
    ],
)
def test_the_unit_follows_from_the_expression(text: str, unit: str) -> None:
    assert unit_of(parse_expression(text)) == unit


@pytest.mark.parametrize(
    ("tested", "expected"),
    [
        (claim("speedup(a, b) > 1 and time(a) < 5"), "speedup(a, b)"),
        (claim("3 < speedup(a, b)"), "speedup(a, b)"),
        (claim("not verified(a)"), "verified(a)"),
        (claim("speedup(a, b) > 1", measure="time(a)"), "time(a)"),
    ],
)
def test_the_measured_quantity_is_the_declared_one_or_the_first_that_is_compared(tested: Claim, expected: str) -> None:
    expression = measured_expression(tested)
    assert expression
    assert expression_text(expression) == expected


def test_texts_are_listed_and_intervals_stand_in_parentheses() -> None:
    tested = claim("limit_by(shfl) == 'exchange'")
    assert measured_words(tested, ["exchange", "barrier", "exchange", None]) == "exchange, barrier"
    assert measured_words(tested, [None]) == ""
    assert measured_words(Claim(id="A11", says="", untestable="taste"), []) == ""
    ratio = claim("speedup(a, b) > 1")
    assert interval_words(ratio, Interval(1.91, 1.84, 1.99)) == "1.9× (1.8× to 2.0×)"
    assert interval_words(ratio, Interval(2.0, 2.0, 2.0)) == "2.0×"
    assert interval_words(ratio, None) == ""

import pytest

from shflbench.analysis.claims.quantity_words import interval_words, measured_words, quantity_words, unit_of
from shflbench.core.claims.claim import Claim
from shflbench.core.claims.parse import parse_expression
from shflbench.core.model import Interval
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
        ([0.125], "%", "12.5%"),
        ([15.0, 15.0], "SHFL per iteration", "15 SHFL per iteration"),
        ([1.0], "hazards", "1 hazard"),
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
        ("registers(shfl)", "registers"),
        ("sass(shfl, SHFL)", "SHFL per iteration"),
        ("sass(a, STS) + sass(a, BAR) + sass(b, LDS)", "of STS, BAR and LDS together per iteration"),
        ("sass(a, LDL) + sass(b, LDL)", "LDL per iteration"),
        ("hazards(shfl)", "hazards"),
        ("device(l2_bytes)", "B"),
        ("2 / time(shfl)", "1/(µs)"),
        ("occupancy(shfl)", "%"),
        ("time(shfl) / registers(shfl)", "µs / registers"),
    ],
)
def test_the_unit_follows_from_the_expression(text: str, unit: str) -> None:
    assert unit_of(parse_expression(text)) == unit


def test_texts_are_listed_and_intervals_stand_in_parentheses() -> None:
    tested = claim("limit_by(shfl) == 'exchange'")
    assert measured_words(tested, ["exchange", "barrier", "exchange", None]) == "exchange, barrier"
    assert measured_words(tested, [None]) == ""
    assert measured_words(Claim(id="A11", says="", untestable="taste"), []) == ""
    ratio = claim("speedup(a, b) > 1")
    assert interval_words(ratio, Interval(1.91, 1.84, 1.99)) == "1.9× (1.8× to 2.0×)"
    assert interval_words(ratio, Interval(2.0, 2.0, 2.0)) == "2.0×"
    assert interval_words(ratio, None) == ""

import pytest

from shflbench.analysis.claims.measured import measured_quantity
from shflbench.analysis.claims.quantity_words import condition_words
from shflbench.core.claims.claim import Claim
from shflbench.core.claims.walk import expression_text
from tests.analysis.claims.conftest import claim


@pytest.mark.parametrize(
    ("tested", "expected", "condition"),
    [
        (claim("speedup(a, b) > 1 and time(a) < 5"), "speedup(a, b)", "> 1"),
        (claim("3 < speedup(a, b)"), "speedup(a, b)", "> 3"),
        (claim("not verified(a)"), "verified(a)", ""),
        (claim("limit_by(a) == 'exchange'"), "limit_by(a)", ""),
        (claim("speedup(a, b) > 1", measure="time(a)"), "time(a)", ""),
        (claim("time(a) <= 1.05 * time(b)"), "time(a) / time(b)", "<= 1.05"),
        (claim("time(a) <= 1.05 * time(b)", measure="speedup(a, b)"), "time(a) / time(b)", "<= 1.05"),
        (claim("time(a) <= 1.05 * time(b)", measure="speedup(b, a)"), "speedup(b, a)", "<= 1.05"),
        (claim("2 * time(a) == time(b) within 5%"), "time(a) / time(b)", "== 0.5 within 5%"),
        (claim("time(a) < time(b) / 4"), "time(a) / time(b)", "< 0.25"),
        (claim("time(a) / time(b) < p90(a) / p90(b)", measure="p90(a) / p90(b)"), None, "< 1"),
        (claim("shared_bytes(a) < shared_bytes(b)"), "shared_bytes(a)", ""),
        (
            claim("shared_bytes(a) < shared_bytes(b)", measure="shared_bytes(b) - shared_bytes(a)"),
            "shared_bytes(b) - shared_bytes(a)",
            "> 0",
        ),
        (claim("time(a) > 1", measure="sass(a, STS) + sass(a, LDS)"), "sass(a, STS) + sass(a, LDS)", ""),
    ],
)
def test_the_measured_quantity_has_the_direction_of_the_condition(
    tested: Claim, expected: str | None, condition: str
) -> None:
    quantity = measured_quantity(tested)
    assert quantity
    assert condition_words(quantity) == condition
    assert expression_text(quantity.expression) == (expected or "time(a) / time(b) / (p90(a) / p90(b))")


def test_a_quantity_is_named_unless_the_condition_contains_it() -> None:
    names = [
        quantity.name
        for tested in (
            claim("time(a) <= 1.05 * time(b)"),
            claim("speedup(a, b) > 1"),
            claim("time(a) > 1", measure="sass(a, STS) + sass(a, LDS)"),
        )
        if (quantity := measured_quantity(tested))
    ]
    assert names == ["time(a) / time(b)", "", "sass(a, STS) + sass(a, LDS)"]

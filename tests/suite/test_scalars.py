from __future__ import annotations

import math

import pytest

from shflbench.suite.scalars import MAX_DIGITS, meaning


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, None) for word in ("", "~", "null", "NULL")),
        *(("true", True), ("FALSE", False)),
        *(("0", 0), ("-1", -1), ("+7", 7), ("007", 7), ("0o17", 15), ("0x1F", 31)),
        *(("0.5", 0.5), (".5", 0.5), ("1.", 1.0), ("2e-2", 0.02), ("-1E3", -1000.0), ("1e999", math.inf)),
        *((".inf", math.inf), ("-.INF", -math.inf)),
    ],
)
def test_plain_words_mean_what_the_core_schema_says(word: str, value: object) -> None:
    assert meaning(word) == value
    assert type(meaning(word)) is type(value)


@pytest.mark.parametrize(
    "word",
    [
        *("no", "on", "y", "tRue", "12:30:45", "1_000", "0b11", "2026-99-99", "2026-01-01T00:00:00Z", "0o8", "0x"),
        *(".", "-", "e5", "1e", "--1", "\u0663", "inf", "nan", "<<", "="),
    ],
)
def test_other_words_are_text(word: str) -> None:
    assert meaning(word) == word


def test_not_a_number_is_one() -> None:
    assert math.isnan(float(meaning(".nan") or 0))


@pytest.mark.parametrize("word", ["1" * MAX_DIGITS, "0." + "1" * (MAX_DIGITS - 2)])
def test_numbers_may_have_so_many_digits_and_no_more(word: str) -> None:
    assert meaning(word) == pytest.approx(float(word))
    with pytest.raises(ValueError, match="a number of 101 characters; allowed: at most 100"):
        meaning(word + "1")

"""Words that all sentences share."""

import pytest

from shflbench.core.words import (
    MINUS,
    all_of,
    count_noun,
    did_you_mean,
    join_words,
    percent_of_one,
    signed_percent_of_one,
)


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "case", "0 cases"),
        (1, "case", "1 case"),
        (2, "process", "2 processes"),
        (3, "launch", "3 launches"),
        (1200, "kernel template", "1,200 kernel templates"),
    ],
)
def test_a_noun_is_counted(number: int, noun: str, text: str) -> None:
    assert count_noun(number, noun) == text


def test_words_are_listed_as_in_a_sentence() -> None:
    assert [join_words(list(names)) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert (all_of(2, "cases"), all_of(1234, "cases")) == ("both cases", "all 1,234 cases")


def test_a_near_name_is_suggested_but_no_number() -> None:
    assert did_you_mean("shlf", ["shfl", "smem"]) == "; did you mean `shfl`?"
    assert did_you_mean("banana", ["shfl", "smem"]) == ""
    assert did_you_mean("33", ["32"]) == ""
    assert did_you_mean("x" * 81, ["x" * 80]) == ""


def test_a_share_has_two_digits_and_a_change_its_sign() -> None:
    assert [percent_of_one(share) for share in (0.0031, 0.12, 2.5)] == ["0.31%", "12%", "250%"]
    assert [signed_percent_of_one(change) for change in (0.031, -0.0001, -0.05)] == ["+3.1%", "+0.0%", "-5.0%"]
    assert signed_percent_of_one(-0.05, MINUS) == f"{MINUS}5.0%"

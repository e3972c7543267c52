import pytest

from shflbench.printable import escape
from shflbench.suite.quotes import MAX_SHOWN, quote, show


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a b"),
        ("größer \u26a1", "größer \u26a1"),
        ("\x1b[2J", r"\x1b[2J"),
        ("a\nb", r"a\nb"),
        ("\u202eabc", r"\u202eabc"),
        ("\ud800", r"\ud800"),
        ("\x9b31m\x7f\x00", r"\x9b31m\x7f\x00"),
        ("\u00a0", r"\xa0"),
    ],
)
def test_control_characters_are_shown_as_escapes(text: str, shown: str) -> None:
    assert escape(text) == shown
    assert escape(text).isprintable()


def test_long_words_are_cut() -> None:
    assert quote("a" * MAX_SHOWN) == f"`{'a' * MAX_SHOWN}`"
    assert quote("a" * 30_000) == f"`{'a' * MAX_SHOWN}…`"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "nothing"),
        (True, "`true`"),
        (1.5, "`1.5`"),
        ({}, "a mapping"),
        ([], "an empty list"),
        ([1], "a list"),
        ("32", "the text `32`"),
        ("word", "`word`"),
        ("", "empty text"),
        ("  ", "empty text"),
        ("\t", r"the text `\t`"),
    ],
)
def test_values_are_named_in_plain_words(value: object, shown: str) -> None:
    assert show(value) == shown

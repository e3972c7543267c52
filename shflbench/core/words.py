"""Words that all sentences of the program share: counts, verbs, shares in percent, lists, and near names."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MINUS = "\N{MINUS SIGN}"
_LONGEST_COMPARED = 80  # characters: a longer word is no misspelled name, and takes long to compare

# Line breaks, control characters (ANSI colors first) and code points that are no characters: a reason may be the output
# of a compiler, and a folder may have any name. XML 1.0 cannot represent most of them, not even escaped.
_UNPRINTABLE = re.compile(r"(?:\x1b\[[0-9;]*m|[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff])+")
_WITH_ES = ("s", "x", "ch", "sh")  # endings of nouns whose plural needs another vowel


def flat(text: str) -> str:
    """Return `text` on one line, with a space for each sequence of unprintable characters."""
    return _UNPRINTABLE.sub(" ", text).strip()


def one_or_many(number: int, one: str, many: str) -> str:
    """Return the word for one thing or that for several: `is` or `are`."""
    return one if number == 1 else many


def count_noun(number: int, noun: str) -> str:
    """Return `1 case`, `3 cases` or `1,200 processes`."""
    return f"{number:,} {one_or_many(number, noun, noun + ('es' if noun.endswith(_WITH_ES) else 's'))}"


def all_of(number: int, nouns: str) -> str:
    """Return `both settings` or `all 1,234 settings`, for two or more."""
    return f"both {nouns}" if number == 2 else f"all {number:,} {nouns}"  # noqa: PLR2004  (a pair)


def join_words(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?`, or nothing where no known word is near; no number is near another one."""
    if any(character.isdigit() for character in word) and not any(character.isalpha() for character in word):
        return ""
    near = get_close_matches(word, list(known), n=1) if len(word) <= _LONGEST_COMPARED else []
    return f"; did you mean `{near[0]}`?" if near else ""


def percent_of_one(fraction: float) -> str:
    """Return a fraction of 1 in percent, with two digits: `0.31%`, `12%`, `250%`."""
    return f"{100 * fraction:.2g}%" if fraction < 1 else f"{100 * fraction:.0f}%"


def signed_percent_of_one(change: float, minus: str = "-") -> str:
    """Return a change, as a fraction of 1, in percent with its sign and one decimal: `+3.1%`."""
    return f"{round(100 * change, 1) + 0.0:+.1f}%".replace("-", minus)  # + 0.0 turns -0.0 into 0.0

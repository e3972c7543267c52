"""What a plain YAML word means: nothing, a truth value, a number, or text.

Source: YAML 1.2.2, section 10.3.2 "Tag Resolution" of the core schema. Unlike YAML 1.1, `no` is text, `12:30` is no
number of minutes, and a date is text.
"""

from __future__ import annotations

import re

MAX_DIGITS = 100  # no suite needs 20; Python refuses to print numbers of 4300 digits, and is slow from 10^5 on

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def meaning(word: str) -> bool | float | str | None:
    """Return what a plain word stands for; ValueError says that it is a number of too many digits."""
    if word in _WORDS:
        return _WORDS[word]
    if not any(form.fullmatch(word) for form in (_DECIMAL, _OCTAL, _HEXADECIMAL, _FLOAT)):
        return word
    if len(word) > MAX_DIGITS:
        raise ValueError(f"a number of {len(word)} characters; allowed: at most {MAX_DIGITS}")
    if _DECIMAL.fullmatch(word):
        return int(word)
    if _OCTAL.fullmatch(word):
        return int(word, 8)
    if _HEXADECIMAL.fullmatch(word):
        return int(word, 16)
    return float(word)

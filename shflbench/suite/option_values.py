"""The values of an option in a suite file, as text."""

from __future__ import annotations


def option_values(value: object) -> list[object]:
    """Return the values of an option as the text that patterns declare, with `true` and `false` in lower case.

    A value that is neither text, number nor boolean is returned unchanged, and matches no declared text.
    """
    values = value if isinstance(value, list) else [value]
    return [_word(item) for item in values]


def _word(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int, float)) else value

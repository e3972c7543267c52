"""Remove comments from a source, where it is certain what a comment is."""

from __future__ import annotations

import re

# What could hide where a comment, a string or a line begins or ends: raw strings, `??/`, which once was a backslash,
# and ends of lines that not every compiler takes for one.
_UNCLEAR = re.compile(r'R"|\?\?/|\r(?!\n)|\0')
_TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
    | "(?:[^"\\\n]|\\.)*"  # a string
    | '(?:[^'\\\n]|\\.)+'  # a character
    | \.?[0-9](?:'[0-9A-Za-z_]|[eEpP][+-]|[0-9A-Za-z_.])*  # a number, whose digits the same mark may separate
    | [A-Za-z_]\w*
    | (?P<open> ["'] | /\* )  # without an end
    """,
    re.VERBOSE | re.DOTALL,
)


def without_comments(text: str) -> str:
    """Return a text whose lines are joined, with a space per comment and as many ends of lines as before.

    Where a string or a comment does not end, or could be hidden, it is returned as it is.
    """
    if _UNCLEAR.search(text) or any(match["open"] for match in _TOKEN.finditer(text)):
        return text
    return _TOKEN.sub(_without, text)


def _without(match: re.Match[str]) -> str:
    return match[0] if match["comment"] is None else " " + "\n" * match[0].count("\n")

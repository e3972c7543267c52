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
    | (?P<open> ["'\\$] | /\* | [^\x00-\x7f] )  # without an end, or of a word or number that compilers read otherwise
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
LINE = "\v"  # stands for an end of line within a comment


def without_comments(text: str) -> str | None:
    """Return a text whose lines are joined, with a space and a `LINE` per end of line for each comment.

    None where a string or a comment does not end, or could be hidden.
    """
    if _UNCLEAR.search(text) or any(match["open"] for match in _TOKEN.finditer(text)):
        return None
    return _TOKEN.sub(_without, text)


def _without(match: re.Match[str]) -> str:
    return match[0] if match["comment"] is None else " " + LINE * match[0].count("\n")

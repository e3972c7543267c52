"""The names of kernels and variables in messages."""

import re


def plain_name(symbol: str) -> str:
    """Return the name in C++ of a mangled symbol, without template arguments: `scan` for `_Z4scanIfEvPKT_`.

    Source: Itanium C++ ABI, section 5.1: each name follows its length. Other symbols are returned unchanged.
    """
    start = re.match(r"_Z(N?)K?(?=\d)", symbol)
    if start is None:
        return symbol
    names: list[str] = []
    rest = symbol[start.end() :]
    while (length := re.match(r"\d+", rest)) and (start[1] or not names):
        end = length.end() + int(length[0])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(names)


def variable_name(symbol: str) -> str:
    """Return the name in C++, without namespaces, of a variable of the device."""
    return plain_name(symbol).rpartition("::")[2]

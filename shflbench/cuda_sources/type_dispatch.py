"""Dispatches on types, which run code of host functions once per type: one type stands for all of them.

`AT_DISPATCH_FLOATING_TYPES` of PyTorch calls a lambda expression per type, with the type's name in it. Macros of files
have a `switch` whose cases name the type, each with the code of the macro's arguments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.lexer import TextSpan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.macros import Macro

DISPATCH = re.compile(r"\w*DISPATCH_\w+")
LAMBDA = re.compile(
    rb"\[(?:[&=][^\[\]]*)?\]\s*(?:\(\s*\)\s*)?(?:mutable\b\s*)?(?:->\s*[\w:]+\s*)?(?=\{)"  # without parameters
)
# The types of C++ of `at::ScalarType`; those that come first stand for the others of a dispatch.
_TYPES = {
    "Float": "float", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Double": "double", "Int": "int",
    "Long": "int64_t", "Short": "int16_t", "Byte": "uint8_t", "Char": "int8_t", "Bool": "bool",
    "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>",
}  # fmt: skip
_PREFERRED = ("float", *_TYPES.values())
_SCALAR_TYPE = re.compile(rf"(?:\bScalarType::|\bk)({'|'.join(sorted(_TYPES, key=len, reverse=True))})\b")
_OF_NAMES = (
    (re.compile(r"REDUCED_FLOATING"), "c10::Half"),
    (re.compile(r"FLOATING|ALL_TYPES"), "float"),
    (re.compile(r"INTEGRAL|INDEX"), "int"),
    (re.compile(r"COMPLEX_TYPES"), "c10::complex<float>"),
)
_CASE_LIST = re.compile(r"\b(\w*DISPATCH\w*|\w*CASE\w*)\s*\(")
_SWITCH = re.compile(r"\bswitch\s*\(")
_CASE = re.compile(r"\b(?:case\b(?:[^:{}]|::)+|default\s*):(?!:)\s*")
_ALIAS = re.compile(r"\{\s*(?:using\s+(\w+)\s*=\s*([^;{}]+?)|typedef\s+([^;{}]+?)\s+(\w+))\s*;")
_MOST_SWITCHES = 8  # one in the other


def lambdas(text: bytes, span: TextSpan, closing: Callable[[int], int | None]) -> Iterator[TextSpan]:
    """Yield the outermost lambda expressions without parameters in the arguments of a dispatch."""
    start = span.start
    while (match := LAMBDA.search(text, start, span.end)) is not None:
        end = closing(match.end())
        if end is None or end >= span.end:
            return
        yield TextSpan(match.start(), end + 1)
        start = end + 1


def names_of_types(header: str, macros: Mapping[str, Macro]) -> dict[str, str]:
    """Return the names of types in a lambda expression, each with one type, by the text before the expression.

    That is the name of the dispatch or of one of its cases, with the arguments before the expression.
    """
    named = list(_CASE_LIST.finditer(header))
    name = named[-1][1] if named else ""
    known = macros.get(name)
    given = _SCALAR_TYPE.findall(header[named[-1].end() :]) if named and "TYPES" not in name else []
    listed = given or (_SCALAR_TYPE.findall(known.body) if known is not None else [])
    of_name = next((type_ for pattern, type_ in _OF_NAMES if pattern.search(name)), "float")
    return {"index_t" if "INDEX" in name else "scalar_t": _first([_TYPES[item] for item in listed] or [of_name])}


def with_types(body: bytes, types: Mapping[str, str]) -> bytes:
    """Return a text with types in place of their names."""
    for name, type_ in types.items():
        body = re.sub(rf"\b{name}\b".encode(), type_.encode(), body)
    return body


def with_one_case(text: str) -> tuple[str, dict[str, str]]:
    """Return the text of a macro with one case of each `switch` whose cases name a type, and these names with the type.

    Other switches, such as one over sizes, stay.
    """
    types: dict[str, str] = {}
    start = 0
    for _ in range(_MOST_SWITCHES):
        match = _SWITCH.search(text, start)
        if match is None:
            break
        start = match.start()
        condition = _closing(text, match.end() - 1)
        opening = text.find("{", condition)
        end = _closing(text, opening) if opening >= 0 else len(text)
        cases = list(_cases(text[opening + 1 : end]))
        aliases = [alias for alias in map(_alias, cases) if alias is not None]
        if not aliases or len(aliases) < len(cases) or len({name for name, _ in aliases}) > 1:
            start = match.end()
            continue
        chosen = _first([type_ for _, type_ in aliases])
        place = next(place for place, (_, type_) in enumerate(aliases) if type_ == chosen)
        types[aliases[place][0]] = chosen
        text = text[:start] + cases[place].replace("break;", "") + text[end + 1 :]
    return text, types


def _first(types: Sequence[str]) -> str:
    """Return the type that stands for several: the one whose name is the first of the preferred ones."""
    return next((known for known in _PREFERRED for type_ in types if type_ == known), types[0])


def _cases(block: str) -> Iterator[str]:
    """Yield the code of each case of a switch that has a block of its own; an empty text for another one."""
    start = 0
    while (match := _CASE.search(block, start)) is not None:
        has_block = block[match.end() : match.end() + 1] == "{"
        start = _closing(block, match.end()) + 1 if has_block else match.end()
        if has_block:
            yield block[match.end() : start]
        elif not match[0].startswith("default"):
            yield ""


def _alias(case: str) -> tuple[str, str] | None:
    """Return the name that a case begins with, and its type as C++ writes it without PyTorch's other namespaces."""
    match = _ALIAS.match(case)
    if match is None:
        return None
    type_ = (match[2] or match[3]).strip()
    return match[1] or match[4], re.sub(r"^(?:at|torch)::(?=Half|BFloat16|complex)", "c10::", type_)


def _closing(text: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`; the end of the text if there is none."""
    pair = {"(": "()", "{": "{}"}.get(text[start : start + 1], "()")
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == pair[0]) - (text[place] == pair[1])
        if not depth:
            return place
    return len(text)

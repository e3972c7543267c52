"""The types of arguments as their text says them, by which a call chooses one of several functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.arithmetic import COMPARISONS
from shflbench.cuda_sources.host.contents import called_name, items
from shflbench.cuda_sources.host.types import CHAR, INT, UNKNOWN_TYPE, HostType, pointer_to
from shflbench.cuda_sources.host.values import CellAddress, Pointer, Structure, Text
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

BOOL = HostType("bool", 1)
INTEGER, FLOATING = HostType("integer"), HostType("floating")  # numbers of a type that is not known
_FLOAT, _DOUBLE = HostType("float", 4, "f"), HostType("double", 8, "d")
_INTEGERS = {
    "": INT,
    "u": HostType("unsigned", 4, "I"),
    "l": HostType("long", 8, "q"),
    "ul": HostType("unsigned long", 8, "Q"),
}
_LITERAL = re.compile(
    r"(?:0x[0-9a-f']+|[0-9][0-9']*|(?=\.))(?P<fraction>\.[0-9']*(?:e[+-]?[0-9]+)?|e[+-]?[0-9]+)?(?P<suffix>[ulf]*)"
)
_WIDEST = "dfQqIi"  # the formats of arithmetic: the first one that an operand has is that of the result
_BY_FORMAT = {item.format: item for item in (_DOUBLE, _FLOAT, *_INTEGERS.values())}
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast"})


def type_of(run: HostRun, node: Node | None, place: Reference, frame: HostFrame) -> HostType:
    """Return the type of an argument that is written as `node`; `UNKNOWN_TYPE` if text and value do not say it."""
    specified = _of_text(run, node, frame) if node is not None else UNKNOWN_TYPE
    if specified is not UNKNOWN_TYPE:
        return specified
    known = place.type
    return known if known.name and known.name != "auto" else _of_value(place.load())


def _of_value(value: object) -> HostType:  # noqa: PLR0911  (a return per kind)
    match value:
        case Structure():
            return value.type
        case Pointer():
            return pointer_to(value.target)
        case CellAddress():
            return pointer_to(value.cell.type)
        case Text():
            return pointer_to(CHAR)
        case int():
            return INTEGER
        case float():
            return FLOATING
    return UNKNOWN_TYPE


def _of_text(run: HostRun, node: Node, frame: HostFrame) -> HostType:  # noqa: PLR0911  (a return per kind)
    text = text_of(node)
    match node.type:
        case "number_literal":
            return _of_literal(text)
        case "char_literal":
            return CHAR
        case "true" | "false":
            return BOOL
        case "sizeof_expression":
            return _INTEGERS["ul"]
        case "cast_expression":
            return run.type(text_of(node.child_by_field_name("type")), frame)
        case "parenthesized_expression" if len(items(node)) == 1:
            return _of_text(run, items(node)[0], frame)
        case "call_expression":
            return _of_call(run, node, frame)
        case "identifier":
            place = frame.variables.get(text)
            return place.type if place is not None else UNKNOWN_TYPE
        case "unary_expression" | "binary_expression":
            return _of_operator(run, node, frame)
    return UNKNOWN_TYPE


def _of_literal(text: str) -> HostType:
    match = _LITERAL.fullmatch(text.lower())
    if match is None:
        return UNKNOWN_TYPE
    if match["fraction"]:
        return _FLOAT if match["suffix"] == "f" else _DOUBLE
    return _INTEGERS.get("".join(sorted(set(match["suffix"]), reverse=True)), UNKNOWN_TYPE)


def _of_call(run: HostRun, node: Node, frame: HostFrame) -> HostType:
    function = node.child_by_field_name("function")
    name = called_name(function)
    if name in _CASTS:
        return run.type(text_of(function).partition("<")[2].rpartition(">")[0], frame)
    is_type = function is not None and function.type in {"primitive_type", "sized_type_specifier"}
    return run.type(text_of(function), frame) if is_type or name == "size_t" else UNKNOWN_TYPE


def _of_operator(run: HostRun, node: Node, frame: HostFrame) -> HostType:
    sign = text_of(node.child_by_field_name("operator"))
    if sign in COMPARISONS or sign == "!":
        return BOOL
    sides = (node.child_by_field_name(name) for name in ("argument", "left", "right"))
    types = [_of_text(run, side, frame) for side in sides if side is not None]
    if sign in {"<<", ">>"}:
        types = types[:1]
    formats = {item.format if item.format in _BY_FORMAT else "i" * bool(item.format or item == BOOL) for item in types}
    if "" in formats:
        return UNKNOWN_TYPE
    return _BY_FORMAT[next(item for item in _WIDEST if item in formats)]

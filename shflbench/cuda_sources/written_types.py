"""The types of expressions that write them: casts, and pointers and accessors of tensors of PyTorch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import type_without
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_DROPPED = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|typename)\b|&")
_CASTS = frozenset({"reinterpret_cast", "static_cast", "const_cast"})
_POINTERS = frozenset({"data_ptr", "mutable_data_ptr", "const_data_ptr", "data"})
_LITERALS = {"true": "bool", "false": "bool", "char_literal": "char"}
_ACCESSORS = {
    "packed_accessor": "PackedTensorAccessor", "packed_accessor32": "PackedTensorAccessor32",
    "packed_accessor64": "PackedTensorAccessor64", "generic_packed_accessor": "GenericPackedTensorAccessor",
}  # fmt: skip


def bare_type(type_: str) -> str:
    """Return a type without qualifiers and references."""
    return type_without(_DROPPED.sub(" ", type_), "").strip()


def written_type(node: Node) -> str | None:
    """Return the type of an expression that writes it: `(T *)p`, `static_cast<T>(n)`, `x.data_ptr<T>()` or `2.0f`."""
    if node.type in {"cast_expression", "compound_literal_expression"}:
        return bare_type(text_of(node.child_by_field_name("type")))
    if node.type == "call_expression":
        return _type_of_call(node)
    operand = node.child_by_field_name("argument") if node.type == "unary_expression" else node
    if operand is not None and operand.type == "number_literal":
        return _type_of_number(text_of(operand).replace("'", "").lstrip("+-").lower())
    return _LITERALS.get(node.type)


def _type_of_call(node: Node) -> str | None:
    function = node.child_by_field_name("function")
    member = function.child_by_field_name("field") if function is not None else None
    named = member if function is not None and function.type == "field_expression" else function
    if named is None or named.type not in {"template_function", "template_method"}:
        return None
    name = text_of(named.child_by_field_name("name"))
    listed = " ".join(text_of(named.child_by_field_name("arguments")).strip()[1:-1].split())
    if name in _CASTS and named is function:
        return bare_type(listed)
    if name in _POINTERS and named is member:
        return bare_type(f"{listed} *")
    return f"{_ACCESSORS[name]}<{listed}>" if name in _ACCESSORS and named is member else None


def _type_of_number(text: str) -> str | None:
    """Return the type of a number as C++ writes it in lower case; None for integers that may not be `int`."""
    if re.fullmatch(r"(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?|\d+e[+-]?\d+", text):
        return "double"
    if re.fullmatch(r"(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?f|\d+e[+-]?\d+f", text):
        return "float"
    match = re.fullmatch(r"\d{1,9}(u?l{0,2}|l{1,2}u?)", text)
    if match is None:
        return None
    size = " ".join(["long"] * match[1].count("l")) or "int"
    return f"unsigned {size}" if "u" in match[1] else size

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
_ACCESSORS = {
    "packed_accessor": "PackedTensorAccessor", "packed_accessor32": "PackedTensorAccessor32",
    "packed_accessor64": "PackedTensorAccessor64", "generic_packed_accessor": "GenericPackedTensorAccessor",
}  # fmt: skip


def bare_type(type_: str) -> str:
    """Return a type without qualifiers and references."""
    return type_without(_DROPPED.sub(" ", type_), "").strip()


def written_type(node: Node) -> str | None:
    """Return the type of an expression that writes it: `(T *)p`, `static_cast<T>(n)` or `x.data_ptr<T>()`."""
    if node.type == "cast_expression":
        return bare_type(text_of(node.child_by_field_name("type")))
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
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

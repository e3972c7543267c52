"""The sizes of host vectors that host code passes to kernels: `thrust::device_vector<float> d(n);`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker.sources.syntax import text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from shflbench.checker.sources.constants import Evaluator

_ELEMENTS = re.compile(
    r"(?:thrust::)?raw_pointer_cast\(\s*&?\s*(?P<cast>\w+)\s*(?:\.\s*data\(\)|\[\s*0\s*\]|\.\s*begin\(\)\[0\])\s*\)"
    r"|(?P<get>\w+)\.data\(\)\.get\(\)"
)
_VECTOR = re.compile(r"(?:\w+::)*(?:device_vector|universal_vector|host_vector|vector)<(?P<element>.*)>", re.DOTALL)
_RESIZES = r"\b{name}\s*\.\s*(?:resize|push_back|emplace_back|assign|swap|clear|insert|erase|pop_back)\b"
_MOST_COPIES = 4  # of one vector by the next


def vector_bytes(node: Node, evaluator: Evaluator) -> int | None:
    """Return the bytes of the vector to whose elements `node` points; None if its size is not constant."""
    text = "".join(text_of(node).split())
    if node.type == "identifier":  # float *p = thrust::raw_pointer_cast(d.data());
        declarator = evaluator.names.declaration(node, text)
        value = declarator.child_by_field_name("value") if declarator is not None else None
        if declarator is None or value is None or evaluator.names.changes(declarator, text):
            return None
        node, text = value, "".join(text_of(value).split())
    match = _ELEMENTS.fullmatch(text)
    if match is None or evaluator.types is None:
        return None
    declarator = evaluator.names.declaration(node, match["cast"] or match["get"])
    vector = _VECTOR.fullmatch(_type_of(declarator)) if declarator is not None else None
    layout = evaluator.types.value(vector["element"].strip()) if vector is not None else None
    count = _count(declarator, evaluator) if declarator is not None and layout is not None else None
    return count * layout[0] if count and layout is not None else None


def _type_of(declarator: Node) -> str:
    declaration = declarator.parent
    return text_of(declaration.child_by_field_name("type")) if declaration is not None else ""


def _count(declarator: Node, evaluator: Evaluator, copies: int = 0) -> int | None:
    """Return the number of elements with which a vector is declared, if nothing changes it."""
    inside = declarator.child_by_field_name("declarator")
    name = text_of(inside)
    changes = (node for node in evaluator.names.changes(declarator, name) if node.type != "pointer_expression")
    if copies > _MOST_COPIES or any(changes) or _is_resized(declarator, name):  # `&d[0]` changes no size
        return None
    if declarator.type == "function_declarator":  # `d(n)` may parse as a function with a parameter of the type `n`
        items = [item.child_by_field_name("type") for item in _items(declarator.child_by_field_name("parameters"))]
    else:
        value = declarator.child_by_field_name("value")
        if value is None or value.type == "initializer_list":
            return None  # its elements, or its size
        items = list(_items(value)) if value.type == "argument_list" else [value]
    if not 1 <= len(items) <= 2 or items[0] is None:  # noqa: PLR2004  (size, and value)
        return None
    source = evaluator.names.declaration(declarator, text_of(items[0]))
    if source is not None and _VECTOR.fullmatch(_type_of(source)):
        return _count(source, evaluator, copies + 1) if len(items) == 1 else None
    count = evaluator.value(items[0])
    return count if isinstance(count, int) and count > 0 else None


def _is_resized(declarator: Node, name: str) -> bool:
    root = declarator
    while root.parent is not None:
        root = root.parent
    calls = (node for node in walk(root) if node.type == "call_expression")
    pattern = re.compile(_RESIZES.format(name=re.escape(name)))
    return any(pattern.match(text_of(node.child_by_field_name("function"))) for node in calls)


def _items(node: Node | None) -> list[Node]:
    return [item for item in node.named_children if item.type != "comment"] if node is not None else []

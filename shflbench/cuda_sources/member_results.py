"""The types that member functions of the user's classes return, as code outside of the class names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.naming import last_part
from shflbench.cuda_sources.syntax_trees import function_declarator, nodes_of, text_of
from shflbench.cuda_sources.written_types import bare_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile

_CLASSES = frozenset({"class_specifier", "struct_specifier"})
_ALIASES = frozenset({"alias_declaration"})
_LANGUAGE = frozenset({"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "size_t"})
_WORD = re.compile(r"[A-Za-z_]\w*")
MOST_ALIASES = 8  # of aliases


def member_result(files: Sequence[UserFile], class_: str, member: str) -> str | None:
    """Return the type that a member function without template parameters returns; None if it is not certain.

    `class_` is the type of the object, an instance of a template or an alias. The result is a type of the language, or
    one that the class defines.
    """
    body = _body(files, class_)
    if body is None:
        return None
    results = {_result(item) for item in body.named_children if _member_name(item) == member}
    text = results.pop() if len(results) == 1 else None
    if text is None:
        return None
    plain = text.removesuffix(" *")
    if set(_WORD.findall(plain)) <= _LANGUAGE:
        return text
    return f"{class_}::{text}" if plain in _nested(body) else None


def _body(files: Sequence[UserFile], class_: str) -> Node | None:
    """Return the body of the only class of a name, or of the one for which an alias stands."""
    for _ in range(MOST_ALIASES):
        name = last_part(class_.partition("<")[0].strip())
        named = list(_named(files, name, _CLASSES))
        bodies = [body for item in named if (body := item.child_by_field_name("body")) is not None]
        if bodies:
            return bodies[0] if len(bodies) == 1 else None
        targets = {text_of(item.child_by_field_name("type")) for item in _named(files, name, _ALIASES)}
        if len(targets) != 1:
            return None
        class_ = targets.pop()
    return None


def _named(files: Sequence[UserFile], name: str, types: frozenset[str]) -> Iterator[Node]:
    for file in files:
        if name.encode() in file.type_words:
            nodes = nodes_of(file.tree.root_node, types)
            yield from (node for node in nodes if text_of(node.child_by_field_name("name")) == name)


def _member_name(node: Node) -> str:
    declarator = function_declarator(node) if node.type in {"function_definition", "field_declaration"} else None
    return text_of(declarator.child_by_field_name("declarator")) if declarator is not None else ""


def _result(member: Node) -> str | None:
    """Return the type that a member function returns, with the stars of a pointer."""
    declarator = member.child_by_field_name("declarator")
    stars = 0
    while declarator is not None and declarator.type == "pointer_declarator":
        declarator, stars = declarator.child_by_field_name("declarator"), stars + 1
    if declarator is None or declarator.type not in {"function_declarator", "reference_declarator"} or stars > 1:
        return None
    return bare_type(text_of(member.child_by_field_name("type"))) + " *" * stars


def _nested(body: Node) -> set[str]:
    """Return the classes that a class defines."""
    types = (item.child_by_field_name("type") for item in body.named_children)
    return {text_of(item.child_by_field_name("name")) for item in types if item is not None and item.type in _CLASSES}

"""Find the scopes of names, and the types that namespaces have, so that code outside of a namespace can name them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.cuda_sources.name_places import may_define_type
from shflbench.cuda_sources.named_items import NamedItems
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile

_DEFINED_BY = {
    "alias_declaration": "name",
    "type_definition": "declarator",
    "struct_specifier": "name",
    "class_specifier": "name",
    "union_specifier": "name",
    "enum_specifier": "name",
}
_SCOPES = frozenset({"class_specifier", "struct_specifier", "namespace_definition"})
_INNER = frozenset({"compound_statement", "field_declaration_list"})


class NamespacedTypes:
    """The types of files, by the name without namespaces."""

    def __init__(self, files: Sequence[UserFile]) -> None:
        """Keep the files; each is read when its text may define a type that is asked for."""
        self._types = NamedItems(files, _types, may_define_type)

    def has(self, name: str) -> bool:
        """Whether the files define a type of a name, in any namespace."""
        return bool(self._types.get(name))

    def qualified(self, name: str) -> str:
        """Return a type's name with its namespaces; the plain name if it has none, or if it is open which it is."""
        known = set(self._types.get(name))
        return known.pop() if len(known) == 1 else name


def _types(file: UserFile) -> Mapping[str, list[str]]:
    result: dict[str, list[str]] = defaultdict(list)
    for node in walk(file.tree.root_node, lambda item: item.type not in _INNER):
        name = node.child_by_field_name(_DEFINED_BY[node.type]) if node.type in _DEFINED_BY else None
        if name is not None and name.type == "type_identifier":
            result[text_of(name)].append("::".join((*scopes_around(node), text_of(name))))
    return result


def scopes_around(node: Node) -> list[str]:
    """Return the names of the classes and namespaces around a place, the outermost first."""
    scopes: list[str] = []
    outer = node.parent
    while outer is not None:
        if outer.type in _SCOPES and (name := outer.child_by_field_name("name")) is not None:
            scopes.insert(0, text_of(name))
        outer = outer.parent
    return scopes

"""The definitions of types in a file by name: typedefs, structures and templates of classes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shflbench.cuda_sources.host_code import inner
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile

_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})


class KnownAliases(Protocol):
    """The types that names of types stand for."""

    def get(self, name: str, /) -> str | None:
        """Return the type of a name, None if it has none or several."""


@dataclass(frozen=True, slots=True)
class Aliases:
    """The aliases that files define, which are looked for when they are asked for."""

    find: Callable[[str], str | None]

    def get(self, name: str, /) -> str | None:
        """Return the type that a name stands for."""
        return self.find(name)


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """One definition of a name: an alias, a structure, or a template of one."""

    alias: str | None = None
    structure: Node | None = None
    template: Node | None = None
    alias_template: Node | None = None
    is_plain: bool = True  # of a template: neither a specialization nor in another template


class TypeName:
    """What all definitions of one name say together."""

    def __init__(self, name: str, definitions: Sequence[TypeDefinition]) -> None:
        """Join them."""
        self.alias: str | None = None
        self.structure: Node | None = None
        self.template: Node | None = None
        self.alias_template: Node | None = None
        self.is_ambiguous = False
        self._name = name
        for item in definitions:
            self._add(item)

    def _add(self, item: TypeDefinition) -> None:
        if item.structure is not None:
            differs = self.structure is not None and text_of(self.structure) != text_of(item.structure)
            self.is_ambiguous = self.is_ambiguous or differs
            self.structure = item.structure
        elif item.template is not None:
            self.is_ambiguous = self.is_ambiguous or not item.is_plain or self.template is not None
            self.template = item.template
        elif item.alias_template is not None:
            other = self.alias_template
            differs = other is not None and text_of(other) != text_of(item.alias_template)
            self.is_ambiguous = self.is_ambiguous or differs
            self.alias_template = item.alias_template
        elif item.alias != self._name and not self.is_ambiguous:
            self.is_ambiguous = self.alias not in {None, item.alias}
            self.alias = None if self.is_ambiguous else item.alias


def type_definitions(file: UserFile) -> Mapping[str, list[TypeDefinition]]:
    """Return the definitions of a file by name."""
    result: dict[str, list[TypeDefinition]] = defaultdict(list)
    for node in walk(file.tree.root_node, lambda item: item.type != "compound_statement"):
        for name, item in _defined(node):
            result[name].append(item)
    return result


def _defined(node: Node) -> Iterator[tuple[str, TypeDefinition]]:
    if node.type == "type_definition":
        yield from _of_typedef(node)
    elif node.type == "alias_declaration":
        yield from _of_alias(node)
    elif node.type in _CLASSES:
        name = text_of(node.child_by_field_name("name"))
        if node.child_by_field_name("body") is None or not name:
            return
        if not in_template(node):
            yield name, TypeDefinition(structure=node)
            return
        outer = node.parent
        is_plain = outer is not None and outer.type == "template_declaration" and not in_template(outer)
        yield name.partition("<")[0], TypeDefinition(template=node, is_plain=is_plain and "<" not in name)
    elif node.type == "enum_specifier" and (name := text_of(node.child_by_field_name("name"))):
        base = node.child_by_field_name("base")
        yield name, TypeDefinition(text_of(base) if base is not None else "int")


def _of_alias(node: Node) -> Iterator[tuple[str, TypeDefinition]]:
    """Yield `using name = type`, also of an alias template, but not of a member of a class template."""
    name = text_of(node.child_by_field_name("name"))
    outer = node.parent
    if outer is not None and outer.type == "template_declaration":
        if not in_template(outer):
            yield name, TypeDefinition(alias_template=node)
    elif not in_template(node):
        yield name, TypeDefinition(" ".join(text_of(node.child_by_field_name("type")).split()))


def _of_typedef(node: Node) -> Iterator[tuple[str, TypeDefinition]]:
    type_ = node.child_by_field_name("type")
    if type_ is None:
        return
    shown = " ".join(text_of(type_).split())
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "type_identifier":
            if type_.child_by_field_name("body") is not None and type_.type != "enum_specifier":
                item = TypeDefinition(structure=type_)
            else:
                item = TypeDefinition("int" if type_.type == "enum_specifier" else shown)
            yield text_of(declarator), item
        elif declarator.type == "pointer_declarator":
            inside = declarator.child_by_field_name("declarator")
            if inside is not None and inside.type == "type_identifier":
                yield text_of(inside), TypeDefinition(f"{shown} *")


def member_aliases(body: Node) -> Iterator[tuple[str, str]]:
    """Yield the names of types that the body of a class defines by `using` and `typedef`, and the types."""
    for node in body.named_children:
        if node.type == "alias_declaration":
            yield text_of(node.child_by_field_name("name")), text_of(node.child_by_field_name("type"))
        elif node.type == "type_definition":
            yield from ((name, item.alias) for name, item in _of_typedef(node) if item.alias is not None)


def in_template(node: Node) -> bool:
    """Whether a node stands in the declaration of a template."""
    outer = node.parent
    while outer is not None:
        if outer.type == "template_declaration":
            return inner(outer) is not None
        outer = outer.parent
    return False

"""Lay out the structures that parameters have, as the C++ ABI does.

Only structures without several bases, virtual functions and bit fields have a layout here; for others the bytes are
all that is known. `#pragma pack` and `__attribute__((packed))` limit the alignment of members. `alignas` changes the
alignment of a structure or a member, and `__align__` is read as `alignas`. The size of a parameter by value must agree
with the PTX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda_sources.argument_types import item_bytes, meaning
from shflbench.cuda_sources.instance_texts import instance_text
from shflbench.cuda_sources.kernel_file import Field, common_element
from shflbench.cuda_sources.name_places import may_define_type
from shflbench.cuda_sources.named_items import NamedItems
from shflbench.cuda_sources.naming import last_part
from shflbench.cuda_sources.packing import PACKED, packing
from shflbench.cuda_sources.syntax_trees import function_declarator, parse, text_of, walk
from shflbench.cuda_sources.torch_types import torch_type
from shflbench.cuda_sources.type_names import Aliases, TypeDefinition, TypeName, type_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node, Tree

    from shflbench.cuda_sources.host_code import UserFile

_POINTER = 8
_ADDRESS = Field("", "", None, pointer=True, offset=0, size=_POINTER)
# Pointers to structures that only the libraries of the host know (driver_types.h and cuda.h of CUDA 13).
_HANDLES = frozenset({"cudaStream_t", "CUstream", "cudaEvent_t", "CUevent", "cudaGraph_t", "cudaGraphExec_t"})
MAXIMUM_FIELDS = 256  # of one structure; larger ones are arrays in effect
_MAXIMUM_DEPTH = 32  # structures in structures
_UNCERTAIN = re.compile(r"\b(virtual|__align__|__attribute__|__declspec)\b|#\s*pragma")
_NO_MEMBERS = frozenset(
    {"comment", "access_specifier", "function_definition", "template_declaration", "type_definition", "declaration",
     "alias_declaration", "friend_declaration", "using_declaration", "static_assert_declaration"}
)  # fmt: skip
# CUDA aligns vectors of 2 and 4 elements to their size (vector_types.h), up to 16 bytes.
_ALIGNED_LANES = (2, 4)


@dataclass(frozen=True, slots=True)
class StructureLayout:
    """Size, alignment and fields of a structure."""

    size: int
    align: int
    fields: tuple[Field, ...]
    padded: bool  # at its end


_Value: TypeAlias = tuple[int, int, tuple[Field, ...]]  # size, alignment, fields
_Member: TypeAlias = tuple[str, str, _Value, int | None]  # name, type, value, number of elements of an array


class _Builder:
    """Places members one after another, or all at the start of a union."""

    def __init__(self, *, union: bool, most: int) -> None:
        self._union = union
        self._most = most  # alignment of a member
        self._fields: list[Field] = []
        self._offset, self._end, self._align = 0, 0, 1
        self._many = False  # too many to list: only the size is of use

    def add(self, name: str, type_: str, value: _Value, count: int | None) -> None:
        """Place a member; `count` is None if it is no array."""
        size, alignment, inside = value
        alignment = min(alignment, self._most)
        start = 0 if self._union else -(-self._offset // alignment) * alignment
        number = 1 if count is None else count
        self._many = self._many or number * max(1, len(inside)) + len(self._fields) > MAXIMUM_FIELDS
        for index in range(0 if self._many else number):
            shown = name if count is None else f"{name}[{index}]"
            self._fields.extend(_moved(field, shown, type_, start + index * size) for field in inside)
        self._offset = start + number * size
        self._end = max(self._end, self._offset)
        self._align = max(self._align, alignment)

    def layout(self, least: int) -> StructureLayout:
        """Return the layout of the members in a structure that has this alignment at least."""
        align = max(self._align, least)
        size = max(1, -(-self._end // align) * align)
        return StructureLayout(size, align, () if self._many else tuple(self._fields), padded=size != self._end)


class Types:
    """The typedefs and structures of the user's files, of which those that may have a name are parsed."""

    def __init__(self, files: Sequence[UserFile], constant: Callable[[str], int | None]) -> None:
        """Keep the files; `constant` evaluates bounds of arrays."""
        read: dict[int, Mapping[str, list[TypeDefinition]]] = {}  # by the id of a file

        def definitions(file: UserFile) -> Mapping[str, list[TypeDefinition]]:
            if id(file) not in read:
                read[id(file)] = type_definitions(file)
            return read[id(file)]

        self._definitions = NamedItems(files, definitions, may_define_type)
        self._names: dict[str, TypeName] = {}
        self._aliases: dict[str, str | None] = {}  # of instances of alias templates
        self.aliases = Aliases(lambda name: self._alias_of_instance(name) if "<" in name else self._named(name).alias)
        self._trees: list[Tree] = []  # of instances of class templates
        self._constant = constant
        self._layouts: dict[str, StructureLayout | None] = {}

    def _named(self, name: str) -> TypeName:
        """Return what the files say of a name."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = TypeName(name, self._definitions.get(name))
        return known

    def _alias_of_instance(self, name: str) -> str | None:
        """Return the type that an instance of an alias template stands for, or a type in a class template."""
        if name not in self._aliases:
            text = self._alias_of_member(name) or self._alias_of_template(name) or torch_type(name)
            self._aliases[name] = " ".join(text.split()) if text is not None else None
        return self._aliases[name]

    def _alias_of_template(self, name: str) -> str | None:
        """Return the type that `Array<float>` stands for."""
        plain, _, listed = name.partition("<")
        known = self._named(plain.rpartition("::")[2].strip())
        node = None if known.is_ambiguous or not listed.rstrip().endswith(">") else known.alias_template
        type_ = node.child_by_field_name("type") if node is not None else None
        return instance_text(node, listed, type_) if node is not None and type_ is not None else None

    def _alias_of_member(self, name: str) -> str | None:
        """Return the type that `Plus<float>::value_type` stands for."""
        member = last_part(name)
        plain, bracket, listed = name.removesuffix(f"::{member}").partition("<")
        known = self._named(plain.rpartition("::")[2].strip())
        if member == name or not bracket or known.template is None or known.is_ambiguous:
            return None
        body = known.template.child_by_field_name("body")
        for node in body.named_children if body is not None else ():
            if node.type == "alias_declaration" and text_of(node.child_by_field_name("name")) == member:
                return instance_text(known.template, listed, node.child_by_field_name("type"))
        return None

    def _instance(self, name: str, depth: int) -> StructureLayout | None:
        """Return the layout of an instance of a class template, in whose text arguments stand for parameters."""
        plain, _, listed = name.partition("<")
        known = self._named(plain.rpartition("::")[2].strip())
        node = known.template
        if node is None or known.is_ambiguous or depth > _MAXIMUM_DEPTH:
            return None
        text = instance_text(node, listed)
        if text is None:
            return None
        tree = parse(f"{text};".encode())
        self._trees.append(tree)
        made = next((item for item in walk(tree.root_node) if item.type == node.type), None)
        return self._lay_out(made, depth + 1, packing(node)) if made is not None else None

    def layout(self, name: str, depth: int = 0) -> StructureLayout | None:
        """Return the layout of the structure `name`, also with its namespaces; None if it is unknown."""
        if "<" not in name and self._named(name).structure is None:
            name = name.rpartition("::")[2]
        if name not in self._layouts:
            known = self._named(name)
            self._layouts[name] = None  # while it is laid out: a structure cannot contain itself
            if known.structure is not None and not known.is_ambiguous:
                self._layouts[name] = self._lay_out(known.structure, depth)
            elif "<" in name:
                self._layouts[name] = self._instance(name, depth)
        return self._layouts[name]

    def _lay_out(self, node: Node, depth: int, most: int | None = None) -> StructureLayout | None:
        body = node.child_by_field_name("body")
        is_uncertain = _UNCERTAIN.search(PACKED.sub("", text_of(node)))
        if body is None or node.has_error or is_uncertain or depth > _MAXIMUM_DEPTH:
            return None
        builder = _Builder(union=node.type == "union_specifier", most=packing(node) if most is None else most)
        least = self._alignment(node)
        if least is None or not self._add_bases(builder, node, depth):
            return None
        for item in body.named_children:
            if item.type in _NO_MEMBERS or (item.type == "field_declaration" and _no_data(item)):
                continue
            members = self._members(item, depth) if item.type == "field_declaration" else None
            if members is None:
                return None
            for name, type_, value, count in members:
                builder.add(name, type_, value, count)
        return builder.layout(least)

    def _alignment(self, node: Node) -> int | None:
        """Return what `alignas` of a structure or a member says, 1 without it; None if that is not known."""
        listed = [item for child in node.children for item in (child, *child.children)]
        specified = [item.named_children for item in listed if item.type == "alignas_qualifier"]
        values = [self._constant(text_of(items[0])) if len(items) == 1 else None for items in specified]
        known = [value for value in values if value is not None and value > 0]
        return max(known, default=1) if len(known) == len(values) else None

    def _add_bases(self, builder: _Builder, node: Node, depth: int) -> bool:
        """Add the members of a base class; False if the layout is not certain."""
        for clause in (child for child in node.children if child.type == "base_class_clause"):
            names = [child for child in clause.named_children if child.type == "type_identifier"]
            base = self.layout(text_of(names[0]), depth + 1) if len(names) == 1 else None
            # A derived class may use the padding at the end of its base.
            if base is None or not base.fields or base.padded:
                return False
            builder.add("", "", (base.size, base.align, base.fields), None)
        return True

    def _members(self, item: Node, depth: int) -> list[_Member] | None:
        """Return the members that one line declares; None if one has no certain layout."""
        type_node = item.child_by_field_name("type")
        if type_node is None or any(child.type == "bitfield_clause" for child in item.named_children):
            return None
        inside: _Value | None = None
        if type_node.child_by_field_name("body") is not None and type_node.type != "enum_specifier":
            layout = self._lay_out(type_node, depth + 1)
            if layout is None:
                return None
            inside = (layout.size, layout.align, layout.fields)
        declarators = item.children_by_field_name("declarator")
        if not declarators:
            return [("", "", inside, None)] if inside is not None else None
        words = [text_of(child) for child in item.named_children if child.type == "type_qualifier"]
        qualifiers = " ".join(word for word in words if not word.startswith("alignas"))
        members: list[_Member] = []
        least = self._alignment(item)
        for declarator in declarators:
            shape = self._shape(declarator)
            if shape is None:
                return None
            name, stars, count = shape
            named = "void" if inside is not None else text_of(type_node)
            type_ = f"{qualifiers} {named} {stars}".strip()
            value = inside if inside is not None and not stars else self.value(type_, depth + 1)
            if value is None or least is None:
                return None
            value = (value[0], max(value[1], least), value[2])
            members.append((name, "" if inside is not None and not stars else type_, value, count))
        return members

    def _shape(self, declarator: Node) -> tuple[str, str, int | None] | None:
        """Return name, asterisks and number of elements, which is None for no array; None if it is anything else."""
        count: int | None = None
        stars = ""
        node: Node | None = declarator
        while node is not None and node.type != "field_identifier":
            if node.type == "array_declarator":
                bound = self._constant(text_of(node.child_by_field_name("size")))
                if bound is None or bound < 1:
                    return None
                count = (count or 1) * bound
            elif node.type == "pointer_declarator":
                stars += "*"
            else:
                return None
            node = node.child_by_field_name("declarator")
        return (text_of(node), stars, count) if node is not None else None

    def value(self, type_: str, depth: int = 0) -> _Value | None:
        """Return size, alignment and fields of a value of a type; None if it is unknown."""
        what = meaning(type_, self.aliases)
        if what.pointer:
            common = self._common(what.base, depth) if what.element is None else None
            return _POINTER, _POINTER, (replace(_ADDRESS, type=type_, element=what.element, common=common),)
        if what.base in _HANDLES and self._named(what.base).structure is None:
            return _POINTER, _POINTER, (Field("", what.base, "u8", pointer=False, offset=0, size=_POINTER),)
        if what.element is None or what.element_bytes is None:
            layout = self.layout(what.base, depth)
            return (layout.size, layout.align, layout.fields) if layout is not None else None
        item = item_bytes(what.element)
        size = item * what.lanes
        align = min(size, 16) if what.lanes in _ALIGNED_LANES else item
        names = ("x", "y", "z", "w") if what.lanes > 1 else ("",)
        fields = tuple(
            Field(name, what.base, what.element, pointer=False, offset=item * index, size=item)
            for index, name in enumerate(names[: what.lanes])
        )
        return size, align, fields

    def _common(self, base: str, depth: int) -> str | None:
        """Return the NumPy type that all fields of the structure `base` have; None if there is none."""
        layout = self.layout(base, depth + 1)
        return common_element(layout.fields, layout.size) if layout is not None else None


def _moved(field: Field, name: str, type_: str, offset: int) -> Field:
    joined = f"{name}.{field.name}" if name and field.name else name or field.name
    return replace(field, name=joined, type=field.type or type_, offset=field.offset + offset)


def _no_data(item: Node) -> bool:
    """Whether a member declaration is a function or a static member."""
    specifiers = {text_of(child) for child in item.children if child.type == "storage_class_specifier"}
    return "static" in specifiers or function_declarator(item) is not None

"""Pairs, maps and structured bindings of host code: the tables by which programs name their kernels.

A pair is a structure with the fields `first` and `second`, and a map is a vector of pairs in the order of insertion.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import is_vector
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, HostElement, Structure, Text, as_type
from shflbench.cuda_sources.naming import split_arguments
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

_PAIR = re.compile(r"(?:\w+::)*pair\s*<(?P<types>.*)>$")
_MAP = re.compile(r"(?:\w+::)*(?:unordered_)?map\s*<(?P<types>.*)>$")
_FIELDS = ("first", "second")


def entry_of_map(name: str) -> str:
    """Return the type of the elements of a map, as text; empty for another type."""
    match = _MAP.match(name)
    return f"pair<{','.join(split_arguments(match['types'])[:2])}>" if match is not None else ""


def is_record(run: HostRun, type_: HostType) -> bool:
    """Whether values of a type have fields that are known: a class of the files, a vector such as `int2`, or a pair."""
    is_class = type_.name.partition("<")[0] in run.program.classes
    return is_class or is_vector(type_.name) or _PAIR.match(type_.name) is not None


def fields_of_pair(run: HostRun, type_: HostType, values: Sequence[object], frame: HostFrame) -> dict[str, Cell]:
    """Return the fields of a pair with their first values; none for another type."""
    match = _PAIR.match(type_.name)
    if match is None:
        return {}
    types = [run.type(text.strip(), frame) for text in split_arguments(match["types"])]
    given = [*values, UNKNOWN, UNKNOWN]
    return {name: Cell(as_type(value, kind), kind) for name, kind, value in zip(_FIELDS, types, given, strict=False)}


def pair_of(values: Sequence[object]) -> Structure:
    """Return the pair of two values whose types are not written."""
    return Structure(HostType("pair"), {name: Cell(value) for name, value in zip(_FIELDS, values, strict=False)})


def entry_with_key(run: HostRun, map_: Structure, key: object, frame: HostFrame) -> Cell | None:
    """Return the value that a map has for a key, which is inserted if it is new; None if keys are not known."""
    memory, end = map_.memory, map_.memory.size if map_.memory is not None else None
    if memory is None or end is None or not isinstance(key, int | Text) or not entry_of_map(map_.type.name):
        return None
    for entry in memory.objects.values():
        if not isinstance(entry, Structure) or not isinstance(known := entry.field("first").value, int | Text):
            return None
        if known == key:
            return entry.field("second")
    made = Structure(map_.element, fields_of_pair(run, map_.element, [key], frame))
    memory.store(end, map_.element, made)
    memory.size = end + map_.element.stride
    return made.field("second")


def bound_names(declarator: Node | None) -> list[str]:
    """Return the names of a structured binding: `auto &[name, kernel]`."""
    inside = walk(declarator) if declarator is not None else ()
    bindings = (item for item in inside if item.type == "structured_binding_declarator")
    return [text_of(item) for binding in bindings for item in binding.named_children]


def bind(names: Sequence[str], place: Reference) -> dict[str, Cell | HostElement]:
    """Return the variables of a structured binding, which are the fields of a structure or the elements of an array."""
    value = place.load()
    fields = list(value.fields.values()) if isinstance(value, Structure) else []
    return {
        name: fields[index] if index < len(fields) else Cell(UNKNOWN, UNKNOWN_TYPE) for index, name in enumerate(names)
    }

"""Default values of parameters that only the declaration of a function has, before its definition or in its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import called_name, items, scope_of
from shflbench.cuda_sources.syntax_trees import function_declarator, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from shflbench.cuda_sources.host.program import HostProgram

_PARAMETERS = frozenset({"parameter_declaration", "optional_parameter_declaration"})
_DECLARATIONS = frozenset({"declaration", "field_declaration"})


def default_of(program: HostProgram, parameter: Node) -> Node | None:
    """Return the default value of a parameter of a function, which may stand in another declaration of the function."""
    value = parameter.child_by_field_name("default_value")
    listed = parameter.parent
    declarator = listed.parent if listed is not None else None
    if value is not None or listed is None or declarator is None or declarator.type != "function_declarator":
        return value
    parameters = _parameters(listed)
    place = parameters.index(parameter)
    for other in _declarators(program, declarator):
        declared = _parameters(other.child_by_field_name("parameters"))
        default = declared[place].child_by_field_name("default_value") if len(declared) == len(parameters) else None
        if default is not None and _types(declared) == _types(parameters):
            return default
    return None


def _parameters(listed: Node | None) -> list[Node]:
    return [item for item in items(listed) if item.type in _PARAMETERS]


def _types(parameters: list[Node]) -> list[str]:
    return [text_of(item.child_by_field_name("type")) for item in parameters]


def _declarators(program: HostProgram, definition: Node) -> Iterator[Node]:
    """Yield the declarators of the functions of the same name, of the files or of the class that a name writes."""
    named = definition.child_by_field_name("declarator")
    name, owner = called_name(named), scope_of(named).partition("<")[0] if named is not None else ""
    known = program.class_of(owner) if owner else None
    if known is None:
        yield from (
            declarator for node in program.declarations(name) if (declarator := function_declarator(node)) is not None
        )
        return
    for item in items(known.body):
        inside = items(item)[-1] if item.type == "template_declaration" else item
        declarator = function_declarator(inside) if inside.type in _DECLARATIONS else None
        if declarator is not None and called_name(declarator.child_by_field_name("declarator")) == name:
            yield declarator

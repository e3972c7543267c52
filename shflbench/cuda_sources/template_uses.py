"""Find where host code names instances of templates: calls, and explicit instances of functions and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.launch_texts import kernel_name
from shflbench.cuda_sources.syntax_trees import function_declarator, nodes_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_USES = frozenset({"call_expression", "template_instantiation"})


class TemplateUses:
    """The calls and explicit instances of host templates in one file."""

    def __init__(self, root: Node) -> None:
        """Index the uses below a node."""
        self.calls: dict[str, list[Node]] = {}  # by the name without its scope
        self.classes: dict[str, list[tuple[str, ...]]] = {}  # arguments of `template class Name<…>;`, also of members
        for node in nodes_of(root, _USES):
            if node.type == "template_instantiation" and (instance := _class_instance(node)) is not None:
                self.classes.setdefault(instance[0], []).append(instance[1])
            elif node.type == "template_instantiation" and (member := _member_instance(node)) is not None:
                self.classes.setdefault(member[0], []).append(member[1])
            elif name := called_name(node):
                self.calls.setdefault(name.rpartition("::")[2], []).append(node)


def _class_instance(node: Node) -> tuple[str, tuple[str, ...]] | None:
    """Return the plain name and the arguments of an explicit instance of a class; None for one of a function."""
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type in {"class_specifier", "struct_specifier"} else None
        if name is not None:
            text, arguments = kernel_name(name)
            return (text.rpartition("::")[2], arguments) if arguments is not None else None
    return None


def _member_instance(node: Node) -> tuple[str, tuple[str, ...]] | None:
    """Return `Name::member` and the arguments of the class of an explicit instance of a member; None for another."""
    declarator = function_declarator(node)
    inside = declarator.child_by_field_name("declarator") if declarator is not None else None
    while inside is not None and inside.type == "qualified_identifier":
        scope, name = inside.child_by_field_name("scope"), inside.child_by_field_name("name")
        if scope is not None and scope.type == "template_type" and name is not None and name.type == "identifier":
            class_, arguments = kernel_name(scope)
            return (f"{class_.rpartition('::')[2]}::{text_of(name)}", arguments) if arguments is not None else None
        inside = name
    return None


def called_name(node: Node) -> str:
    """Return the name of the function that a call or an explicit instance names, without template arguments."""
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        return kernel_name(function)[0] if function is not None else ""
    declarator = function_declarator(node)
    inside = declarator.child_by_field_name("declarator") if declarator is not None else None
    return kernel_name(inside)[0] if inside is not None else ""


def given_arguments(node: Node) -> tuple[str, ...]:
    """Return the template arguments that a call or an explicit instance writes."""
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
    else:
        declarator = function_declarator(node)
        function = declarator.child_by_field_name("declarator") if declarator is not None else None
    return (kernel_name(function)[1] or ()) if function is not None else ()


def argument_nodes(node: Node) -> list[Node]:
    """Return the arguments of a call."""
    listed = node.child_by_field_name("arguments")
    return [item for item in listed.named_children if item.type != "comment"] if listed is not None else []

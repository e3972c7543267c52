"""How statements of host code are left, and what code may change."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda_sources.host.contents import called_name, items
from shflbench.cuda_sources.host.library import READERS
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host.interface import Reference


class Left(Enum):
    """How a statement was left, if not at its end."""

    BREAK = "break"
    CONTINUE = "continue"


class HostReturn:
    """A `return` with its value, and the place of it where the function returns a reference."""

    def __init__(self, value: object, place: Reference | None = None) -> None:
        """Keep the value."""
        self.value, self.place = value, place


Outcome: TypeAlias = Left | HostReturn | None
Statement: TypeAlias = Callable[[HostFrame], Outcome]
TO_CONSTANT = re.compile(r"\bconst\b[^*]*\*")  # the type of a pointer through which nothing is written
# Members of containers that change the number of elements.
RESIZING = frozenset(
    {"assign", "clear", "emplace", "emplace_back", "erase", "insert", "pop_back", "push_back", "resize", "swap"}
)


def expression_statement(value: Callable[[HostFrame], object]) -> Statement:
    """Return an expression as a statement."""

    def statement(frame: HostFrame) -> None:
        value(frame)

    return statement


def nothing(frame: HostFrame) -> None:
    """Do nothing, as an empty statement."""


def reads_words(node: Node) -> bool:
    """Whether code reads numbers of the command line, as for an option that it knows."""
    return any(
        item.type == "call_expression" and called_name(item.child_by_field_name("function")) in READERS
        for item in walk(node)
    )


def find_changes(node: Node, kernels: Mapping[str, Sequence[Definition]]) -> list[tuple[str, bool]]:
    """Return the variables that code may change, and whether it changes only what they point to.

    A vector that gets another number of elements changes itself. Of `kernels`, by their names, the parameters say what
    a launch may change.
    """
    names: dict[tuple[str, bool], None] = {}
    for item in walk(node):
        target = None
        if item.type == "assignment_expression":
            target = item.child_by_field_name("left")
        elif item.type == "update_expression" or (item.type == "pointer_expression" and text_of(item)[:1] == "&"):
            target = item.child_by_field_name("argument")
        elif item.type == "binary_expression" and text_of(item.child_by_field_name("operator")) == ">>":
            target = item.child_by_field_name("right")
        elif item.type == "call_expression":
            for argument in _written(item, kernels):
                names.update({(text_of(one), True): None for one in walk(argument) if one.type == "identifier"})
            function = item.child_by_field_name("function")
            if function is not None and function.type == "field_expression":
                member = text_of(function.child_by_field_name("field"))
                names[text_of(function.child_by_field_name("argument")), member not in RESIZING] = None
            continue
        if target is not None:
            indirect = target.type in {"subscript_expression", "pointer_expression", "field_expression"}
            root = next((one for one in walk(target) if one.type in {"identifier", "this"}), None)
            names[text_of(root), indirect] = None
    return list(names)


def _written(call: Node, kernels: Mapping[str, Sequence[Definition]]) -> list[Node]:
    """Return the arguments of a call but for those that a kernel takes as pointers to constants."""
    arguments = items(call.child_by_field_name("arguments"))
    function = call.child_by_field_name("function")
    is_launch = any(child.type == "kernel_call_syntax" for child in call.children)
    named = kernels.get(called_name(function), ()) if is_launch and function is not None else ()
    definition = next((item for item in named if len(item.parameters) == len(arguments)), None)
    if definition is None:
        return arguments
    pairs = zip(arguments, definition.parameters, strict=True)
    return [argument for argument, parameter in pairs if not TO_CONSTANT.search(parameter.type)]

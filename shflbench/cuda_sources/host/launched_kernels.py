"""The kernel that a launch names: by its name, a variable, an element of a table, or an argument of a template."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.templates import template_arguments
from shflbench.cuda_sources.host.values import HostCallable
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

_WRAPPED = frozenset({"cast_expression", "pointer_expression", "parenthesized_expression"})


class LaunchedKernel(NamedTuple):
    """The name of a kernel without template arguments, and these; the text of the launch if the value is not known."""

    name: str
    template: tuple[str, ...] | None


def without_casts(node: Node) -> Node:
    """Return the expression in casts and parentheses, behind `*` and `&`: a function and its address are the same."""
    while node.type in _WRAPPED:
        inside = node.child_by_field_name("value") or node.child_by_field_name("argument")
        node = inside or items(node)[0]
    return node


def launched_kernel(run: HostRun, function: Node) -> Callable[[HostFrame], LaunchedKernel]:
    """Return the kernel that an expression stands for, as a function of the frame."""
    inner = without_casts(function)
    source_name = "".join(re.sub(r"<.*>", "", text_of(inner), flags=re.DOTALL).split()).removeprefix("::")
    is_name = source_name.rpartition("::")[2] in run.kernels
    value = None if is_name else run.expression(inner)
    template = template_arguments(run, inner)
    has_arguments = "<" in text_of(inner)

    def kernel(frame: HostFrame) -> LaunchedKernel:
        variable = frame.variables.get(source_name)
        callee = variable.load() if variable is not None else value(frame) if value is not None else None
        bound = frame.bound.get(source_name)
        if isinstance(bound, str) and bound.partition("<")[0].rpartition("::")[2] in run.kernels:
            callee = _instance(bound)
        known = callee if isinstance(callee, HostCallable) else HostCallable("")
        given = template(frame) if has_arguments else None
        return LaunchedKernel(known.name or source_name, given or known.template)

    return kernel


def _instance(text: str) -> HostCallable:
    """Return the kernel that a template argument names: `copy<256>`."""
    name, bracket, listed = text.strip().lstrip("&").partition("<")
    arguments = tuple(part.strip() for part in listed.removesuffix(">").split(",")) if bracket else None
    return HostCallable(name.strip(), template=arguments)

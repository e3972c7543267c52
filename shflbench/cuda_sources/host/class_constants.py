"""Constants that classes declare, as host code names them: `Packed<float>::size`, or `size` in a member function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.templates import bound_of_class
from shflbench.cuda_sources.host.values import UNKNOWN
from shflbench.cuda_sources.naming import split_arguments

if TYPE_CHECKING:
    from tree_sitter import Node

    from shflbench.cuda_sources.host.contents import HostClass
    from shflbench.cuda_sources.host.interface import HostRun


def static_member(run: HostRun, owner: str, name: str, frame: HostFrame) -> object:
    """Return a constant that a class or one of its bases declares; UNKNOWN if there is none."""
    type_ = run.type(owner, frame)
    known = run.program.class_of(type_.name)
    if known is None and type_.name.startswith("integral_constant<") and name == "value":
        return _number(run, type_.name)
    constant = _declared(run, known, name) if known is not None else None
    if known is None or constant is None:
        return UNKNOWN
    value, declaring = constant
    bound = bound_of_class(known, type_.name, frame)
    return run.expression(value)(HostFrame(bound=bound, owner=declaring.name))


def _number(run: HostRun, type_name: str) -> object:
    """Return the value of `integral_constant<int, 128>`."""
    tree = run.expanded(split_arguments(type_name.partition("<")[2].removesuffix(">"))[-1])
    return run.expression(tree)(HostFrame()) if tree is not None else UNKNOWN


def _declared(run: HostRun, known: HostClass, name: str) -> tuple[Node, HostClass] | None:
    """Return the value of a constant, and the class that declares it."""
    value = next((node for declared, node in known.constants if declared == name), None)
    if value is not None:
        return value, known
    bases = (run.program.class_of(base) for base in known.bases if base.partition("<")[0] != known.name)
    inherited = (_declared(run, base, name) for base in bases if base is not None and base is not known)
    return next((item for item in inherited if item is not None), None)

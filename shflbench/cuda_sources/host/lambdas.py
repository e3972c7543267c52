"""Lambda expressions of host code: what they capture, and when."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import template_parameters
from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.templates import bound_parameters
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, HostCallable, Pointer, Structure
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import line_of, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference


def lambda_expression(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return what makes a function of a lambda expression: it keeps copies of what it captures by value."""
    declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    listed = items(declarator.child_by_field_name("parameters")) if declarator is not None else []
    label = _name(node)
    is_launching = body is not None and run.launches(body)
    captures, template = _captures(run, node), template_parameters(node)

    def made(frame: HostFrame) -> object:
        kept = captures(frame)

        def called(arguments: Sequence[Reference], given: Sequence[str]) -> object:
            bound = {**frame.bound, **bound_parameters(template, listed, arguments, given)}
            inner = HostFrame({**frame.variables, **kept}, frame.receiver, bound, frame.packs, frame.owner)
            for place, item in enumerate(listed):
                run.pass_argument(inner, item, arguments[place] if place < len(arguments) else None)
            if body is None:
                return UNKNOWN
            with run.state.recorded(label) if is_launching else nullcontext():
                outcome = run.statement(body)(inner)
            return getattr(outcome, "value", UNKNOWN) if outcome is not None else UNKNOWN

        return HostCallable("", node, called)

    return made


def _name(node: Node) -> str:
    """Return the variable that a lambda expression is the first value of, or one with its line."""
    outer = node.parent
    if outer is not None and outer.type == "init_declarator":
        return declared_name(outer.child_by_field_name("declarator"))
    return f"lambda_{line_of(node)}"


def _captures(run: HostRun, node: Node) -> Callable[[HostFrame], dict[str, Reference]]:
    """Return the variables that a lambda expression has of its own, as a function of the frame that makes it."""
    copied: set[str] = set()
    made: dict[str, Callable[[HostFrame], Reference]] = {}
    body, listed = node.child_by_field_name("body"), node.child_by_field_name("captures")
    before = ""
    for item in listed.children if listed is not None else ():
        if item.type == "lambda_default_capture" and text_of(item) == "=" and body is not None:
            copied |= {text_of(part) for part in walk(body) if part.type == "identifier"}
        elif item.type == "identifier" and before == "&":
            copied.discard(text_of(item))
        elif item.type == "identifier":
            copied.add(text_of(item))
        elif item.type == "lambda_capture_initializer":
            name, value = (part for part in item.children if part.is_named)
            place = run.reference(value)
            made[text_of(name)] = place if item.children[0].type == "&" else _copier(place)
        before = item.type

    def captured(frame: HostFrame) -> dict[str, Reference]:
        copies: dict[str, Reference] = {name: _copy(frame.variables[name]) for name in copied & frame.variables.keys()}
        return copies | {name: make(frame) for name, make in made.items()}

    return captured


def _copier(place: Callable[[HostFrame], Reference]) -> Callable[[HostFrame], Reference]:
    return lambda frame: _copy(place(frame))


def _copy(place: Reference) -> Cell:
    """Return a variable with the value that another one has now."""
    value = place.load()
    if isinstance(value, Structure):
        value = value.copied()
    elif place.type.is_array and isinstance(value, Pointer):
        value = Pointer(value.memory.copied(), value.offset, value.target)
    return Cell(value, place.type)

"""The arguments that calls of templates write, with the names of the frame replaced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.values import Structure, type_name
from shflbench.cuda_sources.naming import last_part, split_arguments
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import TemplateParameter
    from shflbench.cuda_sources.host.contents import HostClass, HostFunction
    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.program import HostProgram


_WORD = re.compile(r"[A-Za-z_]\w*")


def template_arguments(run: HostRun, function: Node) -> Callable[[HostFrame], tuple[str, ...]]:
    """Return the template arguments that a call writes, as text with the names of the frame replaced."""
    listed = function
    while listed.type == "qualified_identifier":
        inner = listed.child_by_field_name("name")
        if inner is None:
            break
        listed = inner
    if listed.type not in {"template_function", "template_method", "template_type"}:
        return lambda frame: ()  # noqa: ARG005
    nodes = items(listed.child_by_field_name("arguments"))
    makers = [_template_argument(run, node) for node in nodes]
    return lambda frame: tuple(make(frame) for make in makers)


def _template_argument(run: HostRun, node: Node) -> Callable[[HostFrame], str]:
    text = " ".join(text_of(node).split())
    value = None
    if node.type != "type_descriptor" or re.fullmatch(r"\w+(?: ?:: ?\w+)*", text):
        inner = node.child_by_field_name("type") if node.type == "type_descriptor" else node
        value = run.expression(inner) if inner is not None else None

    def argument(frame: HostFrame) -> str:
        if value is not None:
            number = value(frame)
            if isinstance(number, int) and text not in {"true", "false"}:
                return str(number)
        return _WORD.sub(lambda match: str(frame.bound.get(match[0], match[0])), text)

    return argument


def bound_arguments(
    function: HostFunction, arguments: Sequence[Reference], given: Sequence[object]
) -> dict[str, object]:
    """Return the arguments of a function template: given, deduced from the types of values, or defaults."""
    return bound_parameters(function.template, function.parameters, arguments, given)


def bound_parameters(
    template: Sequence[TemplateParameter],
    parameters: Sequence[Node],
    arguments: Sequence[Reference],
    given: Sequence[object],
) -> dict[str, object]:
    """Return the same for a template with these parameters, and parameters of the function."""
    bound: dict[str, object] = {item.name: value for item, value in zip(template, given, strict=False)}
    for item in template[len(given) :]:
        for parameter, place in zip(parameters, arguments, strict=False):
            deduced = _deduced(item.name, parameter, place)
            if deduced is not None and deduced != item.name:  # else the type of a parameter that is not bound
                bound[item.name] = deduced
                break
        else:
            if item.default is not None:
                bound[item.name] = item.default
    return bound


def bound_of_class(known: HostClass | None, type_name: str, frame: HostFrame) -> dict[str, object]:
    """Return the arguments of a class template, and the types that have names in it, by name.

    The arguments are those of the type's name, or within the class those of the frame.
    """
    if known is None:
        return {}
    arguments = _arguments_of_class(known, type_name, frame)
    types = {
        name: _WORD.sub(lambda match: str(arguments.get(match[0], match[0])), text)
        for name, text in (known.aliases if arguments else ())
    }
    return {**types, **arguments}


def bound_of_member(
    program: HostProgram, function: HostFunction, receiver: Structure | None, given: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the arguments of the class template around a member function: of its object's class, or those `given`."""
    bound: Mapping[str, object] = receiver.bound if receiver is not None else given
    known = program.class_of(receiver.type.name) if receiver is not None else None
    if known is not None and known.name.partition("<")[0] != function.owner:
        bound = {**bound, **_bound_of_base(program, known, function.owner, bound)}
    if function.of_class and (around := program.classes.get(function.owner)) is not None:
        names = zip(function.of_class, (item.name for item in around.template), strict=False)
        bound = {**bound, **{name: bound[of_class] for name, of_class in names if of_class in bound}}
    return bound


def _bound_of_base(
    program: HostProgram, known: HostClass, owner: str, bound: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the arguments with which a class derives from a class template, directly or through other classes."""
    for text in known.bases:
        base = program.class_of(text)
        if base is None or base is known:
            continue
        of_base = bound_of_class(base, text, HostFrame(bound=bound))
        if base.name.partition("<")[0] == owner:
            return of_base
        if further := _bound_of_base(program, base, owner, of_base):
            return further
    return {}


def _arguments_of_class(known: HostClass, type_name: str, frame: HostFrame) -> dict[str, object]:
    listed = last_part(type_name).partition("<")[2]
    if not listed:
        return {item.name: frame.bound[item.name] for item in known.template if item.name in frame.bound}
    texts = [text.strip() for text in split_arguments(listed.removesuffix(">"))]
    defaults = [item.default for item in known.template[len(texts) :]]
    values = [*(frame.bound.get(text, text) for text in texts), *defaults]
    return {item.name: value for item, value in zip(known.template, values, strict=False) if value is not None}


def _deduced(name: str, parameter: Node, place: Reference) -> object:
    text = " ".join(text_of(parameter.child_by_field_name("type")).replace("const", "").split())
    if text != name:
        return _deduced_from_instance(name, text, place.load())
    declarator = parameter.child_by_field_name("declarator")
    pointer = declarator is not None and "*" in text_of(declarator)
    if not pointer and place.type.format:
        return place.type.name
    return type_name(place.load(), pointer=pointer)


def _deduced_from_instance(name: str, text: str, value: object) -> str | None:
    """Return the argument of a class template that stands at the place of a parameter: `T` in `std::vector<T>`."""
    known, _, listed = last_part(text).partition("<")
    names = [item.strip() for item in split_arguments(listed.rstrip().removesuffix(">"))]
    if name not in names or not isinstance(value, Structure):
        return None
    given, _, arguments = last_part(value.type.name).partition("<")
    texts = [item.strip() for item in split_arguments(arguments.rstrip().removesuffix(">"))]
    place = names.index(name)
    return texts[place] if given.strip() == known.strip() and place < len(texts) and texts[place] else None

"""The instances of functions that nothing in the files calls, as explicit instantiations name them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import parameters_of, type_without
from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.templates import bound_of_class, template_arguments
from shflbench.cuda_sources.syntax_trees import function_declarator, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import SourceParameter
    from shflbench.cuda_sources.host.contents import HostClass, HostFunction
    from shflbench.cuda_sources.host.interface import HostRun

MOST_INSTANCES = 16  # of one function, each of which is run by itself
_QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|typename)\b|&")


@dataclass(frozen=True, slots=True)
class HostEntry:
    """A function to begin with, in one instance."""

    function: HostFunction
    template: tuple[str, ...] = ()  # its template arguments
    bound: Mapping[str, object] = field(default_factory=dict)  # those of the class around it, by name


def entries(run: HostRun, function: HostFunction) -> list[HostEntry]:
    """Return a function in each of its explicit instances; without any, once with arguments that are unknown."""
    result: list[HostEntry] = []
    for entry in _instances(run, function):
        if entry not in result:
            result.append(entry)
    return result[:MOST_INSTANCES] or [HostEntry(function)]


def _instances(run: HostRun, function: HostFunction) -> Iterator[HostEntry]:
    known = run.program.class_of(function.owner) if function.owner else None
    of_class = list(_of_class(run, known)) if known is not None and known.template else [{}]
    if not function.template and known is not None and known.template:
        yield from (HostEntry(function, (), bound) for bound in of_class)
    for node in run.program.instantiations.get(function.name):
        scope, name, declarator = _named(node)
        if not _is_of(function, scope):
            continue
        texts = template_arguments(run, name)(HostFrame())
        given = _arguments(function, texts, parameters_of(declarator))
        if given is None:
            continue
        bounds: Sequence[Mapping[str, object]] = of_class
        if known is not None and known.template and "<" in text_of(scope[-1] if scope else None):
            bounds = [_bound(run, known, scope[-1])]
        yield from (HostEntry(function, given, bound) for bound in bounds)


def _of_class(run: HostRun, known: HostClass) -> Iterator[Mapping[str, object]]:
    """Yield the arguments of a class template in each explicit instance of the class."""
    for node in run.program.instantiations.get(known.name):
        class_ = node.child_by_field_name("type")
        name = class_.child_by_field_name("name") if class_ is not None else None
        while name is not None and name.type == "qualified_identifier":
            name = name.child_by_field_name("name")
        if function_declarator(node) is None and name is not None and name.type == "template_type":
            yield _bound(run, known, name)


def _bound(run: HostRun, known: HostClass, name: Node) -> Mapping[str, object]:
    """Return the arguments and the aliases of a class, whose instance a name writes."""
    texts = template_arguments(run, name)(HostFrame())
    return bound_of_class(known, f"{known.name}<{', '.join(texts)}>", HostFrame())


def _named(node: Node) -> tuple[list[Node], Node, Node]:
    """Return the scopes and the name of the function that is instantiated, and its declarator."""
    declarator = function_declarator(node) or node
    name = declarator.child_by_field_name("declarator") or node
    scopes: list[Node] = []
    while name.type == "qualified_identifier":
        scope, inner = name.child_by_field_name("scope"), name.child_by_field_name("name")
        scopes += [scope] if scope is not None else []
        if inner is None:
            break
        name = inner
    return scopes, name, declarator


def _is_of(function: HostFunction, scope: Sequence[Node]) -> bool:
    """Whether scopes that an instantiation writes are those of a function, or the last ones of these."""
    given = [text_of(item).partition("<")[0].strip() for item in scope]
    whole = [*function.scope, *([function.owner] if function.owner and function.owner not in function.scope else [])]
    return not given or whole[-len(given) :] == given


def _arguments(
    function: HostFunction, given: Sequence[str], declared: Sequence[SourceParameter]
) -> tuple[str, ...] | None:
    """Return the template arguments of an instance, given or as its parameters say; None if one is not known."""
    result = list(given)
    for item in function.template[len(given) :]:
        deduced = (
            _deduced(item.name, _type(parameter), other.type)
            for parameter, other in zip(function.parameters, declared, strict=False)
        )
        value = next((text for text in deduced if text), item.default)
        if value is None:
            return None
        result.append(value)
    return tuple(result)


def _type(parameter: Node) -> str:
    declarators = [item for item in items(parameter) if item.type.endswith("declarator")]
    stars = "*" * sum(text_of(item).count("*") for item in declarators)
    return f"{text_of(parameter.child_by_field_name('type'))} {stars}"


def _deduced(name: str, pattern: str, given: str) -> str:
    """Return what a template parameter stands for if a type that it is, or points to, is another one."""
    wanted, actual = (type_without(_QUALIFIERS.sub(" ", text), "") for text in (pattern, given))
    if wanted == name:
        return actual
    stars = "*" * wanted.count("*")
    is_pointer = bool(stars) and wanted == f"{name} {stars}" and actual.endswith(stars)
    return actual.removesuffix(stars).strip() if is_pointer else ""

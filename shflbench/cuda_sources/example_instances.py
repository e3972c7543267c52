"""An instance of a kernel template to copy, with an argument of the right kind for each parameter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.cuda_sources.definitions import Definition, TemplateParameter
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.source import CudaSource

_TYPE, _INTEGER = "float", "int"
_NUMBER = "32"  # most numbers are sizes of blocks
_FUNCTOR = re.compile(
    rb"(?:template\s*<(?P<template>[^<>;{}]*)>\s*)?"
    rb"\b(?:struct|class)\s+(?P<name>\w+)[^;{}()]*\{[^{}]*\boperator\s*\(\s*\)"
)


def example(definition: Definition, source: CudaSource) -> str:
    """Return an instance of a template: `reduce<float, 32>`, with the defaults of the template."""
    template = definition.template or ()
    kinds = {item.kind for item in template}
    listed = [
        item.default or (_type(item, definition, source, kinds) if item.is_type else _value(item, template))
        for item in template
        if item.name or item.default
    ]
    return f"{definition.name}<{', '.join(listed)}>"


def _value(item: TemplateParameter, template: Sequence[TemplateParameter]) -> str:
    """Return an argument for a parameter that is no type; its name if nothing fits, as for a template."""
    if item.is_bool:
        return "false"
    if item.is_integer or item.kind in {one.name for one in template if one.is_type}:
        return _NUMBER
    return f"{item.kind}(0)" if re.fullmatch(r"[\w:]+", item.kind) else item.name  # the first value of an enumeration


def _functors(file: UserFile) -> Iterator[re.Match[bytes]]:
    """Yield the classes with a call operator that no other class has as a member."""
    for match in _FUNCTOR.finditer(file.text):
        if not any(body.start < match.start() < body.end for body in file.lexed.bodies):
            yield match


def _type(item: TemplateParameter, definition: Definition, source: CudaSource, kinds: Collection[str]) -> str:
    """Return an argument for a type: a class of the files with a call operator, where the kernel calls its objects."""
    if item.name in kinds:
        return _INTEGER  # also the type of another parameter
    file = next((one for one in source.unit.files if one.path == definition.place.file), None)
    if file is None:
        return _TYPE
    body = b"\n".join(file.text.splitlines()[definition.place.line - 1 : definition.end])
    objects = [one.name for one in definition.parameters if re.search(rf"\b{item.name}\b", one.type)]
    calls = [rf"\b{item.name}\s*(?:\(\s*\)|\{{\s*\}})\s*\(", rf"\b{item.name}\s*::"]
    calls += [rf"\b{name}\s*\(" for name in objects if name]
    if not any(re.search(call.encode(), body) for call in calls):
        return _TYPE
    known = next((match for one in source.unit.files for match in _functors(one)), None)
    if known is None:
        return item.name  # no class that anybody knows fits
    name = known["name"].decode()
    return f"{name}<{', '.join(map(_of_class, known['template'].decode().split(',')))}>" if known["template"] else name


def _of_class(parameter: str) -> str:
    """Return an argument for a parameter of a class template: a type, a truth value or a number."""
    words = parameter.split()
    return _TYPE if words[:1] in (["class"], ["typename"]) else "false" if words[:1] == ["bool"] else _NUMBER

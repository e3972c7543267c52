"""Calls in host code: kernels, functions of the files, members, casts, macros and the library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import is_vector
from shflbench.cuda_sources.host.assertions import ASSERTIONS, assertion
from shflbench.cuda_sources.host.contents import called_name, class_of, items, scope_of, without_keyword
from shflbench.cuda_sources.host.conversions import convert, pointers
from shflbench.cuda_sources.host.declarations import is_constructible
from shflbench.cuda_sources.host.launching import launch, launch_by_call, launch_by_configuration
from shflbench.cuda_sources.host.library import LIBRARY, random_number
from shflbench.cuda_sources.host.limits import limit
from shflbench.cuda_sources.host.overloads import HostCallSite, call_chosen
from shflbench.cuda_sources.host.packs import references
from shflbench.cuda_sources.host.smart_pointers import MAKERS, is_member, make, member
from shflbench.cuda_sources.host.streams import FOLLOWED
from shflbench.cuda_sources.host.templates import bound_of_class, template_arguments
from shflbench.cuda_sources.host.unknown_calls import unknown_call
from shflbench.cuda_sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    HostCallable,
    HostElement,
    Pointer,
    Structure,
    as_type,
)  # fmt: skip
from shflbench.cuda_sources.host.vectors import call_of_vector
from shflbench.cuda_sources.macros import substitute
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.contents import HostFunction
    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame
    from shflbench.cuda_sources.macros import Macro

_VALUES = frozenset({"compound_literal_expression", "lambda_expression", "subscript_expression", "pointer_expression"})
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
_BY_FUNCTION = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
_OF_C = ("cuda", "mem")  # functions that take pointers
_NUMBERS = frozenset({"int", "float", "double", "size_t", "unsigned", "long", "bool", "char", "uint", "short"})


def call(  # noqa: PLR0911  (a return per kind of call)
    run: HostRun, node: Node
) -> Callable[[HostFrame], object]:
    """Return what a call does, and its value."""
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = items(listed)
    syntax = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
    if function is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    if syntax is not None:
        return launch(run, node, function, items(syntax), arguments)
    name = called_name(function)
    if name in _BY_FUNCTION and len(arguments) >= 4:  # noqa: PLR2004  (kernel, grid, block and arguments)
        return launch_by_call(run, node, arguments, cooperative=_BY_FUNCTION[name])
    if name == "cudaLaunchKernelEx" and len(arguments) > 1:
        return launch_by_configuration(run, node, arguments)
    if name in ASSERTIONS and arguments and not run.program.macros.definitions(name):
        return assertion(run, name, arguments)
    macro = run.program.macro(name) if function.type == "identifier" else None
    if macro is not None and macro.parameters is not None:
        return _macro(run, node, macro, arguments)
    if function.type == "field_expression":
        return _method(run, function, name, arguments)
    if any(item.type in _VALUES for item in (function, *items(function)[:1])):
        return _of_value(run, function, arguments)
    if name in _CASTS:
        return _named_cast(run, function, arguments)
    known = limit(run, "".join(text_of(function).split()))
    return known or _plain(run, function, name, arguments)


def _macro(run: HostRun, node: Node, macro: Macro, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    texts = [text_of(item) for item in arguments]
    values = [run.expression(item) for item in arguments]
    body = substitute(macro, texts)
    if any(word in macro.body for word in ("<<<", "cudaLaunch", "cudaMalloc")):
        tree = run.expanded(body, statement=True)
        if tree is not None:
            inside = run.statement(tree)

            def statement(frame: HostFrame) -> object:
                run.macro_uses.append(node)
                try:
                    inside(frame)
                finally:
                    run.macro_uses.pop()
                return UNKNOWN

            return statement
    tree = run.expanded(body) if "{" not in body else None
    if tree is not None and macro.parameters is not None:
        return run.expression(tree)

    def evaluated(frame: HostFrame) -> object:
        return [value(frame) for value in values][-1] if values else UNKNOWN

    return evaluated


def _of_value(run: HostRun, function: Node, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    """Return the call of a lambda expression where it stands, or of an element of a table of functions."""
    callee, places = run.expression(function), references(run, arguments)
    name = text_of(function)

    def called(frame: HostFrame) -> object:
        value, given = callee(frame), places(frame)
        if value is UNKNOWN:
            return unknown_call(run, name, given)
        return _of_variable(run, value, HostCallSite(function, given, (), arguments, frame))

    return called


def _named_cast(run: HostRun, function: Node, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    text = text_of(function).partition("<")[2].rpartition(">")[0]
    value = run.expression(arguments[0]) if arguments else lambda frame: UNKNOWN  # noqa: ARG005
    return lambda frame: convert(run, value(frame), run.type(text, frame))


def _plain(run: HostRun, function: Node, name: str, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    places = references(run, arguments)
    template = template_arguments(run, function)
    text = "".join(text_of(function).split())
    is_of_library = text.startswith(("std::", "::std::"))  # `std::swap`, also in a member `swap`
    # That of a member that is called without an object:
    scope = "" if is_of_library else scope_of(function) or class_of(function)
    functions = [] if is_of_library else _without_constructors(run.program.functions.get(name))
    is_type = text in _NUMBERS or function.type in {"primitive_type", "sized_type_specifier"}

    def called(frame: HostFrame) -> object:
        given = places(frame)
        if is_type and len(given) == 1:
            return as_type(given[0].load(), run.type(text, frame))
        if name in frame.variables and not is_of_library:
            return _of_variable(run, frame.variables[name].load(), HostCallSite(function, given, (), arguments, frame))
        call = HostCallSite(function, given, template(frame), arguments, frame)
        if frame.receiver is not None and not is_of_library:
            members = run.program.member(frame.receiver.type.name, name)
            if members:
                return call_chosen(run, members, call, frame.receiver).load()
        of_class = run.type(scope, frame).name if scope else ""
        if of_class and (members := _without_constructors(run.program.member(of_class, name))):
            bound = bound_of_class(run.program.class_of(of_class), of_class, frame)
            return call_chosen(run, members, replace(call, bound=bound), None).load()
        if functions:
            return call_chosen(run, functions, call, None).load()
        return _of_others(run, text, name, call)

    return called


def _without_constructors(functions: Sequence[HostFunction]) -> list[HostFunction]:
    return [item for item in functions if item.owner != item.name]


def _of_others(run: HostRun, text: str, name: str, call: HostCallSite) -> object:
    """Return the result of a function that is none of the files, or the value of a type with arguments."""
    given, frame = call.given, call.frame
    if name == "string" and given:
        return given[0].load()
    if name in LIBRARY or name in FOLLOWED:
        return _of_library(run, text, name, frame, given)
    if name in MAKERS:
        return make(run, name, call.template, given, frame)
    vector = name.removeprefix("make_")  # `make_float4`
    if is_constructible(run, type_ := run.type(vector if is_vector(vector) else text, frame)):
        return run.constructed(type_, [item.load() for item in given], frame).value
    run.state.streams.call_unknown(text, given)
    return unknown_call(run, name, given)


def _of_library(run: HostRun, text: str, name: str, frame: HostFrame, given: Sequence[Reference]) -> object:
    """Return the result of a function of the library, by which kernels may end."""
    if name.startswith(_OF_C):
        given = pointers(run, given)
    if name in FOLLOWED:
        run.state.streams.call(name, [item.load() for item in given])
    elif "thrust::" in text:  # `thrust::sort`, whose effect on host memory is that of `std::sort`
        run.state.streams.call_unknown(text, given)
    return LIBRARY[name](run, frame, given) if name in LIBRARY else unknown_call(run, name, given)


def _of_variable(run: HostRun, value: object, call: HostCallSite) -> object:
    """Return the result of a call of a lambda expression, a pointer to a function, or a generator of numbers."""
    if isinstance(value, HostCallable) and value.call is not None:
        return value.call(call.given, tuple(map(str, call.template)))
    if isinstance(value, HostCallable):
        named = replace(call, template=value.template or ())
        return call_chosen(run, run.program.functions.get(value.name), named, None).load()
    if isinstance(value, Structure) and (members := run.program.member(value.type.name, "operator()")):
        return call_chosen(run, members, call, value).load()
    return random_number(run, value) if isinstance(value, Structure) else UNKNOWN


# Members


def _method(run: HostRun, function: Node, name: str, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    owner = function.child_by_field_name("argument")
    field = without_keyword(function.child_by_field_name("field"))
    object_ = run.reference(owner) if owner is not None else lambda frame: Cell()  # noqa: ARG005
    arrow = any(child.type == "->" for child in function.children)
    places = references(run, arguments)
    template = template_arguments(run, field) if field is not None else lambda frame: ()  # noqa: ARG005

    def called(frame: HostFrame) -> object:
        place = object_(frame)
        value = place.load()
        if not arrow and is_member(place, value, name):
            return member(place, value, name, places(frame))
        if isinstance(value, CellAddress):
            value = value.cell.load()
        elif isinstance(value, Pointer):
            value = HostElement(value.memory, value.offset, value.target).load()
        given = places(frame)
        if isinstance(value, HostCallable) and name == "operator()":
            return _of_variable(run, value, HostCallSite(function, given, template(frame), arguments, frame))
        if isinstance(value, Structure) and value.memory is not None:
            return call_of_vector(run, value, name, given, frame)
        if isinstance(value, Structure):
            members = run.program.member(value.type.name, name)
            if members:
                site = HostCallSite(function, given, template(frame), arguments, frame)
                return call_chosen(run, members, site, value).load()
            cell = value.fields.get(name)
            if cell is not None and isinstance(cell.value, HostCallable):
                return _of_variable(run, cell.value, HostCallSite(function, given, (), arguments, frame))
        run.state.streams.call_unknown(name, given)
        return unknown_call(run, name, given)

    return called

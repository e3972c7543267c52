"""Calls in host code: kernels, functions of the files, members, casts, macros and the library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.sources.host.contents import called_name, items
from shflbench.checker.sources.host.declarations import from_list
from shflbench.checker.sources.host.launching import launch, launch_by_call, launch_by_configuration
from shflbench.checker.sources.host.library import LIBRARY, random_number, unknown_call
from shflbench.checker.sources.host.overloads import HostCallSite, chosen
from shflbench.checker.sources.host.packs import references
from shflbench.checker.sources.host.records import entry_with_key, is_record
from shflbench.checker.sources.host.streams import FOLLOWED
from shflbench.checker.sources.host.templates import template_arguments
from shflbench.checker.sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    HostCallable,
    HostElement,
    Memory,
    Pointer,
    Structure,
    as_type,
    byte_count,
)  # fmt: skip
from shflbench.checker.sources.macros import substitute
from shflbench.checker.sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from shflbench.checker.sources.host.contents import HostFunction
    from shflbench.checker.sources.host.interface import HostRun, Reference
    from shflbench.checker.sources.host.machine import HostFrame
    from shflbench.checker.sources.macros import Macro

_VALUES = frozenset({"lambda_expression", "subscript_expression", "pointer_expression"})
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
_BY_FUNCTION = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
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
    macro = run.program.macro(name) if function.type == "identifier" else None
    if macro is not None and macro.parameters is not None:
        return _macro(run, node, macro, arguments)
    if function.type == "field_expression":
        return _method(run, function, name, arguments)
    if any(item.type in _VALUES for item in (function, *items(function)[:1])):
        return _of_value(run, function, arguments)
    if name in _CASTS:
        return _named_cast(run, function, arguments)
    return _plain(run, function, name, arguments)


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
    return lambda frame: as_type(value(frame), run.type(text, frame))


def _plain(run: HostRun, function: Node, name: str, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    places = references(run, arguments)
    template = template_arguments(run, function)
    text = "".join(text_of(function).split())
    functions = run.program.functions.get(name)
    is_type = text in _NUMBERS or function.type in {"primitive_type", "sized_type_specifier"}

    def called(frame: HostFrame) -> object:  # noqa: PLR0911  (a return per kind of function)
        given = places(frame)
        if is_type and len(given) == 1:
            return as_type(given[0].load(), run.type(text, frame))
        if name in frame.variables:
            return _of_variable(run, frame.variables[name].load(), HostCallSite(function, given, (), arguments, frame))
        call = HostCallSite(function, given, template(frame), arguments, frame)
        if frame.receiver is not None:
            members = run.program.member(frame.receiver.type.name, name)
            if members:
                return _of_files(run, members, call, frame.receiver)
        if functions:
            return _of_files(run, functions, call, None)
        if name == "string" and given:
            return given[0].load()
        if name in LIBRARY or name in FOLLOWED:
            return _of_library(run, text, name, frame, given)
        if name in run.program.classes or name == "dim3" or text.partition("<")[0].endswith("vector"):
            return run.constructed(run.type(text, frame), [item.load() for item in given], frame).value
        run.state.streams.call_unknown(text, given)
        return unknown_call(run, name, given)

    return called


def _of_library(run: HostRun, text: str, name: str, frame: HostFrame, given: Sequence[Reference]) -> object:
    """Return the result of a function of the library, by which kernels may end."""
    if name in FOLLOWED:
        run.state.streams.call(name, [item.load() for item in given])
    elif "thrust::" in text:  # `thrust::sort`, whose effect on host memory is that of `std::sort`
        run.state.streams.call_unknown(text, given)
    return LIBRARY[name](run, frame, given) if name in LIBRARY else unknown_call(run, name, given)


def _of_variable(run: HostRun, value: object, call: HostCallSite) -> object:
    """Return the result of a call of a lambda expression, a pointer to a function, or a generator of numbers."""
    if isinstance(value, HostCallable) and value.call is not None:
        return value.call([item.load() for item in call.given])
    if isinstance(value, HostCallable):
        named = replace(call, template=value.template or ())
        return _of_files(run, run.program.functions.get(value.name), named, None)
    return random_number(run, value) if isinstance(value, Structure) else UNKNOWN


def _of_files(
    run: HostRun, functions: Sequence[HostFunction], call: HostCallSite, receiver: Structure | None
) -> object:
    """Return the result of the function that a call means; unknown if that is not certain."""
    function = chosen(run, functions, call)
    if function is None:
        run.program.undecided.calls[call.node.id] = call.node
        return UNKNOWN
    return run.call(function, call.given, call.template, receiver)


# Members


def _method(run: HostRun, function: Node, name: str, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    owner = function.child_by_field_name("argument")
    field = function.child_by_field_name("field")
    object_ = run.reference(owner) if owner is not None else lambda frame: Cell()  # noqa: ARG005
    places = references(run, arguments)
    template = template_arguments(run, field) if field is not None else lambda frame: ()  # noqa: ARG005

    def called(frame: HostFrame) -> object:
        place = object_(frame)
        value = place.load()
        if isinstance(value, CellAddress):
            value = value.cell.load()
        elif isinstance(value, Pointer) and name != "get":
            value = HostElement(value.memory, value.offset, value.target).load()
        given = places(frame)
        if isinstance(value, Structure) and value.memory is not None:
            if name == "at" and given and (entry := entry_with_key(run, value, given[0].load(), frame)) is not None:
                return entry.load()
            return _of_vector(value, name, _elements(run, value, name, [item.load() for item in given], frame))
        if isinstance(value, Structure):
            members = run.program.member(value.type.name, name)
            if members:
                return _of_files(run, members, HostCallSite(function, given, template(frame), arguments, frame), value)
            cell = value.fields.get(name)
            if cell is not None and isinstance(cell.value, HostCallable):
                return _of_variable(run, cell.value, HostCallSite(function, given, (), arguments, frame))
        if isinstance(value, Pointer) and name == "get":
            return value
        run.state.streams.call_unknown(name, given)
        return unknown_call(run, name, given)

    return called


def _elements(
    run: HostRun, vector: Structure, name: str, given: Sequence[object], frame: HostFrame
) -> Sequence[object]:
    """Return the arguments of a member of a vector, those of a new element as one."""
    if name == "emplace_back" and len(given) > 1 and is_record(run, vector.element):
        return [run.constructed(vector.element, given, frame).value]
    return [from_list(run, vector.element, item, frame) for item in given] if name == "push_back" else given


def _of_vector(  # noqa: C901, PLR0911  (the members of a vector)
    vector: Structure, name: str, given: Sequence[object]
) -> object:
    memory, size = vector.memory, vector.stride
    if memory is None:
        return UNKNOWN
    count = memory.size // size if memory.size is not None and size else None
    if name in {"size", "length"}:
        return count if count is not None else UNKNOWN
    if name == "empty":
        return int(count == 0) if count is not None else UNKNOWN
    if name in {"data", "begin", "cbegin"}:
        return Pointer(memory, 0, vector.element)
    if name in {"end", "cend"}:
        return Pointer(memory, memory.size, vector.element)
    if name in {"resize", "assign"} and given:
        wanted = given[0]
        memory.forget()
        memory.size = byte_count(wanted * size) if isinstance(wanted, int) and size else None
        if name == "assign" and len(given) > 1 and given[1] == 0 and memory.size is not None:
            memory.fill(0, 0, memory.size)
    elif name in {"push_back", "emplace_back"} and given:
        if count is None or size is None:
            memory.forget()
            return UNKNOWN
        _append(memory, vector, given[0], count * size)
    elif name == "clear":
        memory.forget()
        memory.size = 0
    elif name in {"back", "front"} and count:
        return memory.load((count - 1) * (size or 1) if name == "back" else 0, vector.element)
    elif name not in {"reserve", "shrink_to_fit"}:
        memory.forget()
        memory.size = None
    return UNKNOWN


def _append(memory: Memory, vector: Structure, value: object, end: int) -> None:
    size = vector.element.stride
    data, known, objects = memory.contents() or bytes(memory.data), bytes(memory.known), dict(memory.objects)
    if memory.filled is not None:
        known = b"\1" * end
    memory.forget()
    memory.size = end + size
    memory.objects.update(objects)
    if len(data) == end and vector.element.format:
        memory.data, memory.known = bytearray(data + bytes(size)), bytearray(known + b"\0" * size)
    HostElement(memory, end, vector.element).store(value)

"""Declarations of variables in host code, and the values that they begin with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.conversions import convert
from shflbench.cuda_sources.host.records import bind, bound_names, entry_of_map, is_record
from shflbench.cuda_sources.host.types import LIST_ELEMENT, UNKNOWN_TYPE, HostType, array_of, pointer_to
from shflbench.cuda_sources.host.values import (
    MOST_KEPT_BYTES,
    UNKNOWN,
    Cell,
    Designated,
    HostElement,
    Memory,
    Pointer,
    Structure,
    Text,
)
from shflbench.cuda_sources.kernel_file import HostNumber
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

_VECTOR = re.compile(
    r"(?:\w+::)*(?P<kind>device_vector|universal_vector|host_vector|vector|list|deque|array|map|unordered_map)\s*<(?P<element>.*)>$"
)
_DECLARATORS = frozenset({"pointer_declarator", "reference_declarator", "array_declarator", "parenthesized_declarator"})
_OUTSIDE = frozenset({"argc", "argv", "atoi", "atol", "atoll", "stoi", "stol", "strtol", "std", "NULL", "nullptr"})
_INITIALIZERS = frozenset({"argument_list", "initializer_list"})


def declaration(run: HostRun, node: Node) -> Callable[[HostFrame], None]:
    """Return what a declaration does."""
    text = _type_text(node.child_by_field_name("type"))
    static = any(text_of(item) == "static" for item in node.children if item.type == "storage_class_specifier")
    declarators = node.children_by_field_name("declarator")
    if len(declarators) == 1 and (names := bound_names(declarators[0].child_by_field_name("declarator"))):
        return _binding(run, names, declarators[0].child_by_field_name("value"))
    parts = [_declarator(run, text, item) for item in declarators]

    def declare(frame: HostFrame) -> None:
        for name, make in parts:
            if static:
                key = f"{name} {node.id}"
                if key not in run.state.globals:
                    made = make(frame)
                    run.state.globals[key] = made if isinstance(made, Cell) else Cell(made.load(), made.type)
                frame.variables[name] = run.state.globals[key]
            else:
                frame.variables[name] = make(frame)

    return declare


def _type_text(node: Node | None) -> str:
    """Return the type of a declaration, of a class that is defined in it the name."""
    name = node.child_by_field_name("name") if node is not None and node.child_by_field_name("body") else None
    return text_of(name or node)


def _binding(run: HostRun, names: Sequence[str], value: Node | None) -> Callable[[HostFrame], None]:
    """Return what `auto [name, kernel] = entry` does."""
    place = run.reference(value) if value is not None else lambda frame: Cell()  # noqa: ARG005

    def declare(frame: HostFrame) -> None:
        frame.variables.update(bind(names, place(frame)))

    return declare


def _as_expression(run: HostRun, parameter: Node) -> Node:
    """Return an argument that parses as a parameter: `n`, or as `T x[]` and `T *x` do, `sizes[0]` and `n * m`."""
    whole = run.expanded(text_of(parameter)) if parameter.child_by_field_name("declarator") is not None else None
    return whole or parameter.child_by_field_name("type") or parameter


def variable(run: HostRun, node: Node, declarator: Node) -> Callable[[HostFrame], Cell | HostElement]:
    """Return how one global variable of a declaration begins."""
    is_used = run.program.is_used_by_device(declared_name(declarator))  # which is not compiled with another number
    return _declarator(run, text_of(node.child_by_field_name("type")), declarator, is_fixed=is_used)[1]


def _declarator(
    run: HostRun, text: str, item: Node, *, is_fixed: bool = False
) -> tuple[str, Callable[[HostFrame], Cell | HostElement]]:
    value = item.child_by_field_name("value") if item.type == "init_declarator" else None
    inner = item.child_by_field_name("declarator") if item.type == "init_declarator" else item
    name = declared_name(inner)
    # `dim3 grid(N)` and `std::vector<float> v(n)` may parse as functions.
    if item.type == "function_declarator" and not is_function_pointer(item):
        listed = items(item.child_by_field_name("parameters"))
        arguments = [run.expression(_as_expression(run, child)) for child in listed]
        return name, lambda frame: run.constructed(run.type(text, frame), [make(frame) for make in arguments], frame)
    shape = shape_of(run, inner)
    if value is not None and is_reference(inner):
        refer = run.reference(value)
        return name, refer
    if value is not None and value.type in _INITIALIZERS:
        return name, _listed(run, text, shape, value)
    begins = value is not None and not is_fixed and _is_number(value)
    given_number = run.numbers.get(name) if begins else None
    make = run.expression(value) if value is not None else None

    def declared(frame: HostFrame) -> Cell | HostElement:
        type_ = shape(run.type(text, frame), frame) if text != "auto" else UNKNOWN_TYPE
        if make is not None and not type_.is_array:
            number = run.state.given.chosen.get(name) if begins and given_number is None else given_number
            given = make(frame) if number is None else number
            if isinstance(given, Structure) and _VECTOR.match(type_.name):
                return run.constructed(type_, [given], frame)
            cell = Cell(convert(run, given, type_), type_)
            if begins and not type_.is_pointer:
                note_number(run, name, [cell.value], item)
            return cell
        return run.constructed(type_, [], frame)

    return name, declared


def _is_number(value: Node) -> bool:
    """Whether a variable begins with a constant or a word of the command line, which a given number may replace.

    One that follows another variable, and no word, is no such number: others may follow that one, too.
    """
    words = {text_of(item) for item in walk(value) if item.type == "identifier"}
    return "argv" in words or words <= _OUTSIDE


def note_number(run: HostRun, name: str, values: Sequence[object], node: Node) -> bool:
    """Note which numbers the variable of a place begins with, or the macro there stands for; return if they are any."""
    known = tuple(value for value in values if isinstance(value, int | float))
    are_numbers = bool(known) and len(known) == len(values)
    if are_numbers and name not in run.begun:
        run.begun[name] = HostNumber(name, known, run.site(node)[1])
    return are_numbers


def is_function_pointer(declarator: Node) -> bool:
    """Whether a declarator is one such as `(*kernels[2])(float *)`."""
    inner = declarator.child_by_field_name("declarator") if declarator.type == "function_declarator" else None
    return inner is not None and inner.type == "parenthesized_declarator"


def is_reference(declarator: Node | None) -> bool:
    """Whether a declarator declares a reference: `&x`, `*&x`."""
    while declarator is not None and declarator.type in {"pointer_declarator", "reference_declarator"}:
        if declarator.type == "reference_declarator":
            return True
        declarator = declarator.child_by_field_name("declarator")
    return False


def shape_of(run: HostRun, declarator: Node | None) -> Callable[[HostType, HostFrame], HostType]:
    """Return how a declarator makes the type of its variable of the type before it: `*a[4]`."""
    if declarator is not None and is_function_pointer(declarator):
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or declarator.type not in {*_DECLARATORS, "abstract_pointer_declarator"}:
        return lambda base, frame: base  # noqa: ARG005
    inner = declarator.child_by_field_name("declarator")
    if inner is None:
        inner = next((item for item in items(declarator) if item.type.endswith("declarator")), None)
    outer = shape_of(run, inner)
    if declarator.type in {"pointer_declarator", "abstract_pointer_declarator"}:
        return lambda base, frame: outer(pointer_to(base), frame)
    if declarator.type == "array_declarator":
        size = declarator.child_by_field_name("size")
        count = run.expression(size) if size is not None else None

        def array(base: HostType, frame: HostFrame) -> HostType:
            number = count(frame) if count is not None else 0
            return outer(array_of(base, number if isinstance(number, int) and number >= 0 else 0), frame)

        return array
    return outer


def _listed(
    run: HostRun, text: str, shape: Callable[[HostType, HostFrame], HostType], value: Node
) -> Callable[[HostFrame], Cell | HostElement]:
    """Return a variable of `T v(a, b)` or `T v = {a, b}`."""
    values = [run.expression(item) for item in items(value)]
    braces = value.type == "initializer_list"

    def declared(frame: HostFrame) -> Cell | HostElement:
        type_ = shape(run.type(text, frame), frame)
        given = [make(frame) for make in values]
        if type_.target is not None and type_.is_array and is_record(run, type_.target):
            given = [from_list(run, type_.target, item, frame) for item in given]
        if type_.is_array and type_.target is not None:
            type_ = array_of(type_.target, type_.count or len(given))  # `int sizes[] = {32, 64}`
            return Cell(array_with(type_, given), type_)
        if braces and (vector := vector_of(type_, run, frame)) is not None:
            given = [from_list(run, vector.element, item, frame) for item in given]
            return run.constructed(type_, [array_with(array_of(LIST_ELEMENT, len(given)), given)], frame)
        if type_.is_pointer or type_.format:
            return Cell(convert(run, given[0] if given else 0, type_), type_)
        return with_list(run, type_, given, frame) if braces else run.constructed(type_, given, frame)

    return declared


def with_list(run: HostRun, type_: HostType, given: Sequence[object], frame: HostFrame) -> Cell:
    """Return a variable with the values of a list in braces, which may have lists for the structures in it."""
    if is_record(run, type_) and any(map(_is_nested, given)):
        known = run.constructed(type_, [], frame).value
        given = _with_structures(run, known, given, frame) if isinstance(known, Structure) else given
    return run.constructed(type_, given, frame, zeroed=True)


def _is_nested(value: object) -> bool:
    """Whether a value of a list is a list itself, or names its member."""
    return isinstance(value, Designated) or is_list(value)


def is_list(value: object) -> TypeGuard[Pointer]:
    """Whether a value is that of a list in braces, which has no type of its own."""
    return isinstance(value, Pointer) and value.target is LIST_ELEMENT


def from_list(run: HostRun, type_: HostType, value: object, frame: HostFrame) -> object:
    """Return a structure, or an element of an array, with the values of a list in braces."""
    if not is_list(value):
        return value
    parts = list(value.memory.objects.values())
    known = run.constructed(type_, [], frame).value if is_record(run, type_) else UNKNOWN
    if not isinstance(known, Structure):
        return value
    return run.constructed(type_, _with_structures(run, known, parts, frame), frame, zeroed=True).value


def _with_structures(run: HostRun, known: Structure, parts: Sequence[object], frame: HostFrame) -> list[object]:
    """Return the values of a list in braces for a structure; those for structures in it become structures."""
    inside: list[object] = []
    for place, item in enumerate(parts):
        if isinstance(item, Designated):
            inside.append(Designated(item.member, from_list(run, known.field(item.member).type, item.value, frame)))
        elif place < len(known.fields):
            inside.append(from_list(run, list(known.fields.values())[place].type, item, frame))
    return inside


def array_with(type_: HostType, values: Sequence[object]) -> Pointer:
    """Return an array with its first elements; the others are zero, as in C++, if there are any values."""
    element = type_.target or UNKNOWN_TYPE
    count = type_.count or len(values)
    size = count * element.stride
    memory = Memory(size)
    if values and element.size is not None and size <= MOST_KEPT_BYTES:
        memory.fill(0, 0, size)
    if element.is_array and element.size is not None:
        _store_rows(memory, 0, element, values)
    else:
        for index, value in enumerate(values):
            HostElement(memory, index * element.stride, element).store(value)
    return Pointer(memory, 0, element)


def _store_rows(memory: Memory, start: int, row: HostType, values: Sequence[object]) -> None:
    """Store a list of an array of arrays from a byte on: rows in braces, or numbers that fill one row after another."""
    place, length, number = start, row.size or 1, _number_of(row)
    for value in values:
        if is_list(value):
            place = start + -(-(place - start) // length) * length
            inside = row.target if row.target is not None and row.target.is_array else number
            _store_rows(memory, place, inside, list(value.memory.objects.values()))
            place += length
        elif isinstance(value, Text):  # the characters of a row
            memory.forget()
            return
        else:
            HostElement(memory, place, number).store(value)
            place += number.size or 1


def _number_of(row: HostType) -> HostType:
    """Return the type of the elements of an array of arrays."""
    while row.is_array and row.target is not None:
        row = row.target
    return row


def vector_of(type_: HostType, run: HostRun, frame: HostFrame) -> Structure | None:
    """Return an empty `std::vector<T>` or `thrust::device_vector<T>`; None for another type."""
    match = _VECTOR.match(type_.name)
    if match is None:
        return None
    text, _, count = match["element"].strip().partition(",") if match["kind"] == "array" else (match["element"], "", "")
    element = run.type(entry_of_map(type_.name) or text.strip(), frame)
    device = match["kind"] in {"device_vector", "universal_vector"}
    size = int(count) * element.stride if count.strip().isdigit() else 0
    return Structure(type_, {}, run.state.memory(size, device=device), element)


def is_constructible(run: HostRun, type_: HostType) -> bool:
    """Whether a name with arguments is that of a type, so that it makes a value and calls no function."""
    is_plain = bool(type_.format) or type_.target is not None or type_.name == "dim3"
    return is_plain or _VECTOR.match(type_.name) is not None or is_record(run, type_)


def fill_vector(made: Structure, arguments: Sequence[object]) -> None:
    """Give a vector the elements that its constructor's arguments name."""
    size, memory = made.stride, made.memory
    if not arguments or memory is None:
        return
    first = arguments[0]
    if isinstance(first, Structure) and first.memory is not None:
        memory.size = first.memory.size
        memory.copy(0, first.memory, 0, memory.size)
    elif isinstance(first, Pointer):
        _copy_range(made, first, arguments[1] if len(arguments) > 1 else first.memory)
    elif isinstance(first, int) and first >= 0 and size is not None:
        memory.size = first * size
        value = arguments[1] if len(arguments) > 1 else 0
        if value == 0:
            memory.fill(0, 0, memory.size)
        elif memory.size and memory.size <= MOST_KEPT_BYTES:
            for index in range(first):
                HostElement(memory, index * size, made.element).store(value)
    else:
        memory.size = None


def _copy_range(made: Structure, first: Pointer, end: object) -> None:
    memory = made.memory
    if memory is None:
        return
    count = None
    if isinstance(end, Pointer) and end.offset is not None and first.offset is not None:
        count = end.offset - first.offset
    elif isinstance(end, Memory):  # a list of elements in braces
        count = len(end.objects) * made.element.stride or end.size
        memory.size = count
        for offset, value in end.objects.items():
            HostElement(memory, offset // UNKNOWN_TYPE.stride * made.element.stride, made.element).store(value)
        return
    memory.size = count
    memory.copy(0, first.memory, first.offset or 0, count)

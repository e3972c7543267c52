"""Expressions of host code, each as a function of the frame that returns a value or a place to assign to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.arithmetic import COMPARISONS, number, operate
from shflbench.cuda_sources.host.calls import call
from shflbench.cuda_sources.host.class_constants import static_member
from shflbench.cuda_sources.host.contents import called_name, items
from shflbench.cuda_sources.host.conversions import ANY_POINTER, by_class
from shflbench.cuda_sources.host.declarations import array_with, from_list, note_number, with_list
from shflbench.cuda_sources.host.lambdas import lambda_expression
from shflbench.cuda_sources.host.places import (
    address,
    cast,
    field_value,
    load_element,
    new_object,
    read_name,
    size_of,
    this_object,
)
from shflbench.cuda_sources.host.templates import template_arguments
from shflbench.cuda_sources.host.traits import trait
from shflbench.cuda_sources.host.types import LIST_ELEMENT, array_of
from shflbench.cuda_sources.host.unknown_calls import assume_number
from shflbench.cuda_sources.host.unsigned_arithmetic import UNSIGNED_64, is_unsigned_64, wrapped
from shflbench.cuda_sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    Designated,
    HostCallable,
    Pointer,
    Structure,
    Text,
    check_bounds,
)  # fmt: skip
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

_DECLTYPE = re.compile(r"(?:std::)?(?:remove_\w+_t<|decay_t<)*decltype\((\w+)\)>*")


def truth(value: object) -> object:
    """Return whether a value is true in C++: True, False, or UNKNOWN."""
    if isinstance(value, bool | int | float):
        return bool(value)
    if isinstance(value, Pointer | CellAddress | HostCallable | Text):
        return True
    return UNKNOWN


# Names


def _identifier(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    name = text_of(node)
    is_number = run.program.is_number(name)

    def value(frame: HostFrame) -> object:
        place = frame.variables.get(name)
        if place is not None:
            return place.load()
        known = read_name(run, name, frame)
        if is_number:
            note_number(run, name, [known], node)
        return known

    return value


def _qualified(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    text = "".join(text_of(node).split())
    if (condition := trait(run, text)) is not None:
        return condition
    owner, _, name = text.rpartition("::")

    def value(frame: HostFrame) -> object:
        if name in frame.variables:
            return frame.variables[name].load()
        class_ = _type_of_variable(owner, frame) or owner
        member = static_member(run, class_, name, frame) if class_ else UNKNOWN
        return read_name(run, name, frame) if member is UNKNOWN else member

    return value


def _type_of_variable(text: str, frame: HostFrame) -> str:
    """Return the type of the variable that `decltype(name)` names; empty if a text is none, or it is not known."""
    match = _DECLTYPE.fullmatch(text)
    place = frame.variables.get(match[1]) if match is not None else None
    value = place.load() if place is not None else UNKNOWN
    return value.type.name if isinstance(value, Structure) else ""


def _instance(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    if (condition := trait(run, "".join(text_of(node).split()))) is not None:
        return condition
    name, template = called_name(node), template_arguments(run, node)
    return lambda frame: HostCallable(name, template=template(frame))


# Numbers and operators

_PLACES = frozenset({"identifier", "qualified_identifier", "field_expression", "pointer_expression"})


def _number(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    value = number(text_of(node))
    result = check_bounds(value) if value is not None else UNKNOWN
    return lambda frame: result  # noqa: ARG005


def _constant(value: object) -> Callable[[Any, Node], Callable[[HostFrame], object]]:
    return lambda run, node: lambda frame: value  # noqa: ARG005


def _character(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    text = text_of(node).strip("'")
    value = ord(text) if len(text) == 1 else {"\\0": 0, "\\n": 10, "\\t": 9}.get(text, UNKNOWN)
    return lambda frame: value  # noqa: ARG005


def _string(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    value = Text(text_of(node).strip('"'))
    return lambda frame: value  # noqa: ARG005


def _inside(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    parts = [run.expression(item) for item in items(node)]
    return parts[-1] if len(parts) == 1 else lambda frame: UNKNOWN  # noqa: ARG005


def _comma(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    parts = [run.expression(item) for item in items(node)]
    return lambda frame: [part(frame) for part in parts][-1]


def _unary(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    argument = node.child_by_field_name("argument")
    value = run.expression(argument) if argument is not None else lambda frame: UNKNOWN  # noqa: ARG005
    sign = text_of(node.child_by_field_name("operator"))

    def unary(frame: HostFrame) -> object:
        given = value(frame)
        if sign in {"!", "not"}:
            holds = truth(given)
            return UNKNOWN if holds is UNKNOWN else int(not holds)
        if not isinstance(given, int | float):
            return UNKNOWN
        if sign == "-":
            return -given
        if sign == "+":
            return given
        return ~given if sign == "~" and isinstance(given, int) else UNKNOWN

    return unary


def apply_binary(  # noqa: PLR0911  (a return per kind of operands)
    sign: str, one: object, other: object
) -> object:
    """Return the result of a binary operator."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        if sign in COMPARISONS:
            return int(COMPARISONS[sign](one, other))
        result = operate(sign, one, other)
        return check_bounds(result) if isinstance(result, int | float) else UNKNOWN
    if isinstance(one, Pointer) and sign in {"+", "-"} and not isinstance(other, Pointer):
        return one.moved(-other if sign == "-" and isinstance(other, int) else other)
    if isinstance(other, Pointer) and sign == "+":
        return other.moved(one)
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return _compared(sign, one, other)
    if isinstance(one, Text) and isinstance(other, Text) and None not in {one.text, other.text}:
        return int((one.text == other.text) == (sign == "==")) if sign in {"==", "!="} else UNKNOWN
    if sign in {"==", "!="}:
        known = [truth(item) for item in (one, other)]
        if UNKNOWN not in known and known[0] != known[1]:  # an address and null
            return int(sign == "!=")
    return UNKNOWN


def _compared(sign: str, one: Pointer, other: Pointer) -> object:
    if one.memory is not other.memory:
        return int(sign == "!=") if sign in {"==", "!="} else UNKNOWN
    if one.offset is None or other.offset is None:
        return UNKNOWN
    if sign == "-":
        return (one.offset - other.offset) // one.target.size if one.target.size else UNKNOWN
    return apply_binary(sign, one.offset, other.offset)


def _binary(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    target, operand = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = text_of(node.child_by_field_name("operator"))
    if target is None or operand is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    first, second = run.expression(target), run.expression(operand)
    if sign in {"&&", "||", "and", "or"}:
        return _logical(first, second, ends=sign in {"||", "or"})
    if sign == ">>":
        return _shift_or_read(run, target, operand)
    wraps = is_unsigned_64(run, node)

    def binary(frame: HostFrame) -> object:
        one, other = first(frame), second(frame)
        if isinstance(one, Structure) or isinstance(other, Structure):
            one, other = (by_class(run, item, ANY_POINTER) for item in (one, other))
        result = apply_binary(sign, one, other)
        return wrapped(sign, one, other) if result is UNKNOWN and wraps(frame) else result

    return binary


def _shift_or_read(run: HostRun, target: Node, operand: Node) -> Callable[[HostFrame], object]:
    """Return `number >> count`, or `stream >> variable`, which gives a number of the input."""
    first, second, place = run.expression(target), run.expression(operand), run.reference(operand)
    source = target
    while source.type == "binary_expression":
        source = source.child_by_field_name("left") or source.children[0]
    stream = run.reference(source) if source.type in _PLACES else None

    def shift_or_read(frame: HostFrame) -> object:
        one = first(frame)
        if isinstance(one, int) or stream is None or stream(frame).type.format:
            return apply_binary(">>", one, second(frame))
        variable = place(frame)
        variable.store(_read(run, variable))
        return UNKNOWN

    return shift_or_read


def _read(run: HostRun, variable: Reference) -> object:
    """Return what `stream >> variable` gives a variable: a number, or a text that may stand for one."""
    if not isinstance(variable, Cell):
        return UNKNOWN
    if variable.type.name == "string":
        return Text(None, is_input=True)
    return assume_number(run, "input") if variable.type.format not in {"", "b", "B"} else UNKNOWN


def _logical(
    first: Callable[[HostFrame], object], second: Callable[[HostFrame], object], *, ends: bool
) -> Callable[[HostFrame], object]:
    def logical(frame: HostFrame) -> object:
        one = truth(first(frame))
        if one is ends:
            return int(ends)
        other = truth(second(frame))
        if other is ends:
            return int(ends)
        return UNKNOWN if one is UNKNOWN or other is UNKNOWN else int(not ends)

    return logical


def _conditional(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    condition = run.condition(node.child_by_field_name("condition"))
    first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if first is None or second is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    one, other = run.expression(first), run.expression(second)

    def conditional(frame: HostFrame) -> object:
        holds = condition(frame)
        if holds is UNKNOWN:
            first_value, second_value = one(frame), other(frame)
            return first_value if isinstance(first_value, int | float) and first_value == second_value else UNKNOWN
        return one(frame) if holds else other(frame)

    return conditional


def _assignment(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    target, operand = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or operand is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    place, value = run.reference(target), run.expression(operand)
    sign = text_of(node.child_by_field_name("operator")).removesuffix("=")

    def assign(frame: HostFrame) -> object:
        target = place(frame)
        given = value(frame)
        result = apply_binary(sign, target.load(), given) if sign else from_list(run, target.type, given, frame)
        if sign and result is UNKNOWN and target.type.format == UNSIGNED_64:
            result = wrapped(sign, target.load(), given)
        target.store(result)
        return target.load()

    return assign


def _update(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    argument = node.child_by_field_name("argument")
    if argument is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    place = run.reference(argument)
    step = 1 if "++" in text_of(node.child_by_field_name("operator")) else -1
    before = node.children[0].type in {"++", "--"}

    def update(frame: HostFrame) -> object:
        target = place(frame)
        old = target.load()
        new = old + step if isinstance(old, int | float) else apply_binary("+", old, step)
        target.store(new)
        return new if before else old

    return update


def _list(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return `{a, b}` as a value: an array of unknown element type."""
    values = [run.expression(item) for item in items(node)]

    def listed(frame: HostFrame) -> object:
        given = [make(frame) for make in values]
        return array_with(array_of(LIST_ELEMENT, len(given)), given)

    return listed


def _designated(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    designator, inside = node.child_by_field_name("designator"), node.child_by_field_name("value")
    if designator is None or inside is None or designator.type != "field_designator":
        return lambda frame: UNKNOWN  # noqa: ARG005
    member, value = text_of(designator).lstrip("."), run.expression(inside)
    return lambda frame: Designated(member, value(frame))


def _compound(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return `dim3{a, b}`."""
    text = text_of(node.child_by_field_name("type"))
    values = [run.expression(item) for item in items(node.child_by_field_name("value"))]
    return lambda frame: with_list(run, run.type(text, frame), [make(frame) for make in values], frame).value


EXPRESSIONS: Mapping[str, Callable[[Any, Node], Callable[[HostFrame], object]]] = {
    "identifier": _identifier,
    "type_identifier": _identifier,
    "field_identifier": _identifier,
    "qualified_identifier": _qualified,
    "template_function": _instance,
    "number_literal": _number,
    "char_literal": _character,
    "string_literal": _string,
    "concatenated_string": _string,
    "true": _constant(1),
    "false": _constant(0),
    "null": _constant(0),
    "nullptr": _constant(0),
    "parenthesized_expression": _inside,
    "comma_expression": _comma,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "assignment_expression": _assignment,
    "update_expression": _update,
    "pointer_expression": address,
    "subscript_expression": load_element,
    "field_expression": field_value,
    "this": this_object,
    "new_expression": new_object,
    "cast_expression": cast,
    "sizeof_expression": size_of,
    "initializer_list": _list,
    "initializer_pair": _designated,
    "compound_literal_expression": _compound,
    "lambda_expression": lambda_expression,
    "call_expression": call,
}

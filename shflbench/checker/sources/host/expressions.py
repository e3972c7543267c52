"""Expressions of host code, each as a function of the frame that returns a value or a place to assign to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shflbench.checker.sources.arithmetic import COMPARISONS, number, operate
from shflbench.checker.sources.host.calls import call
from shflbench.checker.sources.host.declarations import array_with, variable
from shflbench.checker.sources.host.library import CONSTANTS
from shflbench.checker.sources.host.machine import HostFrame
from shflbench.checker.sources.host.program import called_name, items
from shflbench.checker.sources.host.templates import template_arguments
from shflbench.checker.sources.host.types import UNKNOWN_TYPE, HostType, array_of, pointer_to
from shflbench.checker.sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    HostCallable,
    HostElement,
    Memory,
    Pointer,
    Structure,
    Text,
    as_type,
)  # fmt: skip
from shflbench.checker.sources.scopes import declared_name
from shflbench.checker.sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from shflbench.checker.sources.host.interface import HostRun, Reference

_AXES = ("x", "y", "z")


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

    def value(frame: HostFrame) -> object:
        place = frame.variables.get(name)
        if place is not None:
            return place.load()
        return named(run, name, frame)

    return value


def named(run: HostRun, name: str, frame: HostFrame) -> object:
    """Return the value of a name that is no local variable."""
    place = _outer(run, name, frame)
    if place is not None:
        return place.load()
    if name in frame.bound:
        return _bound(run, frame.bound[name], frame)
    macro = run.program.macro(name)
    if macro is not None and macro.parameters is None:
        tree = run.expanded(macro.body)
        return run.expression(tree)(frame) if tree is not None else UNKNOWN
    enumerator = run.program.enumerators.get(name)
    if enumerator is not None:
        return _enumerator(run, enumerator)
    if name in run.program.functions or name in run.program.kernels:
        return HostCallable(name)
    return CONSTANTS.get(name, UNKNOWN)


def _bound(run: HostRun, value: object, frame: HostFrame) -> object:
    if not isinstance(value, str):
        return value
    tree = run.expanded(value)
    return run.expression(tree)(frame) if tree is not None and tree.type != "identifier" else UNKNOWN


def _outer(run: HostRun, name: str, frame: HostFrame) -> Reference | None:
    """Return a member of the object, or a global variable, which begins with its value when it is first used."""
    if frame.receiver is not None and name in frame.receiver.fields:
        return frame.receiver.fields[name]
    if name in run.state.globals:
        return run.state.globals[name]
    declared = run.program.variables.get(name)
    if declared is None:
        return None
    run.state.globals[name] = Cell()
    inner = HostFrame()
    made = variable(run, declared[0], declared[1])(inner)
    if isinstance(made, Cell):
        run.state.globals[name] = made
        if made.value is UNKNOWN and "const" not in text_of(declared[0]).split():
            made.value = 0 if made.type.format or made.type.is_pointer else UNKNOWN
    return run.state.globals[name]


def _enumerator(run: HostRun, node: Node) -> object:
    count = 0
    while True:
        value = node.child_by_field_name("value")
        if value is not None:
            base = run.expression(value)(HostFrame())
            return base + count if isinstance(base, int) else UNKNOWN
        before = node.prev_named_sibling
        while before is not None and before.type != "enumerator":
            before = before.prev_named_sibling
        if before is None:
            return count
        node, count = before, count + 1


def _name_place(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    name = text_of(node)

    def place(frame: HostFrame) -> Reference:
        known = frame.variables.get(name) or _outer(run, name, frame)
        return known if known is not None else Cell(named(run, name, frame))

    return place


def _qualified(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    text = "".join(text_of(node).split())
    owner, _, name = text.rpartition("::")

    def value(frame: HostFrame) -> object:
        if name in frame.variables:
            return frame.variables[name].load()
        member = static_member(run, owner, name, frame) if owner else UNKNOWN
        return named(run, name, frame) if member is UNKNOWN else member

    return value


def static_member(run: HostRun, owner: str, name: str, frame: HostFrame) -> object:
    """Return a constant that a class declares, such as `Packed<float>::size`."""
    type_ = run.type(owner, frame)
    plain, _, listed = type_.name.partition("<")
    known = run.program.classes.get(plain)
    if known is None:
        return UNKNOWN
    arguments = [text.strip() for text in listed.removesuffix(">").split(",")] if listed else []
    bound = {item.name: frame.bound.get(text, text) for item, text in zip(known.template, arguments, strict=False)}
    for item in items(known.body):
        value = item.child_by_field_name("default_value") if item.type == "field_declaration" else None
        if value is not None and declared_name(item.child_by_field_name("declarator")) == name:
            return run.expression(value)(HostFrame({}, None, bound))
    return UNKNOWN


def _instance(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    name, template = called_name(node), template_arguments(run, node)
    return lambda frame: HostCallable(name, template=template(frame))


# Numbers and operators


def _number(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    value = number(text_of(node))
    result = value if value is not None else UNKNOWN
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


def combined(  # noqa: PLR0911  (a return per kind of operands)
    sign: str, one: object, other: object
) -> object:
    """Return the result of a binary operator."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        if sign in COMPARISONS:
            return int(COMPARISONS[sign](one, other))
        result = operate(sign, one, other)
        if result is None:
            return UNKNOWN
        return int(result) if isinstance(result, bool) else result
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
    return combined(sign, one.offset, other.offset)


def _binary(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    target, operand = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = text_of(node.child_by_field_name("operator"))
    if target is None or operand is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    first, second = run.expression(target), run.expression(operand)
    if sign in {"&&", "||", "and", "or"}:
        return _logical(first, second, ends=sign in {"||", "or"})
    place = run.reference(operand) if sign == ">>" else None

    def binary(frame: HostFrame) -> object:
        one = first(frame)
        if place is not None and not isinstance(one, int):  # `std::cin >> n`
            place(frame).store(UNKNOWN)
            return UNKNOWN
        return combined(sign, one, second(frame))

    return binary


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
        if sign:
            given = combined(sign, target.load(), given)
        target.store(given)
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
        new = old + step if isinstance(old, int | float) else combined("+", old, step)
        target.store(new)
        return new if before else old

    return update


# Memory


def _address(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    argument = node.child_by_field_name("argument")
    if argument is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    if text_of(node.child_by_field_name("operator")) == "*":
        place = _pointed(run, node)
        return lambda frame: place(frame).load()
    target = run.reference(argument)

    def address(frame: HostFrame) -> object:
        known = target(frame)
        if isinstance(known, HostElement):
            return Pointer(known.memory, known.offset, known.type)
        if isinstance(known, Cell):
            value = known.value
            if isinstance(value, Pointer) and known.type.is_array:
                return value
            return value if isinstance(value, HostCallable) else CellAddress(known)
        return UNKNOWN

    return address


def _pointed(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    argument = node.child_by_field_name("argument")
    value = run.expression(argument) if argument is not None else lambda frame: UNKNOWN  # noqa: ARG005
    return lambda frame: target_of(value(frame))


def target_of(value: object) -> Reference:
    """Return the place that a pointer points to."""
    if isinstance(value, CellAddress):
        return value.cell
    if isinstance(value, Pointer):
        return HostElement(value.memory, value.offset, value.target)
    return Cell()


def _element(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    argument = node.child_by_field_name("argument")
    listed = node.child_by_field_name("indices") or node.child_by_field_name("index")
    inside = items(listed) if listed is not None and listed.type == "subscript_argument_list" else [listed]
    if argument is None or not inside or inside[0] is None:
        return lambda frame: Cell()  # noqa: ARG005
    base, place = run.expression(argument), run.expression(inside[0])

    def element(frame: HostFrame) -> Reference:
        value, index = base(frame), place(frame)
        if isinstance(value, Structure) and value.memory is not None:
            value = Pointer(value.memory, 0, value.element)
        if isinstance(value, Text) and value.text is None and isinstance(index, int):  # argv[k]
            return Cell(Text(None, index))
        if isinstance(value, CellAddress):
            return value.cell if index == 0 else Cell()
        if not isinstance(value, Pointer):
            return Cell()
        moved = value.moved(index)
        return HostElement(moved.memory, moved.offset, moved.target)

    return element


def _load_element(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    place = _element(run, node)
    return lambda frame: place(frame).load()


class _Axis:
    """One extent of a variable of the type `dim3`."""

    def __init__(self, place: Reference, axis: int) -> None:
        """Keep the variable."""
        self._place, self._axis = place, axis
        self.type = UNKNOWN_TYPE

    def load(self) -> object:
        """Return the extent."""
        value = self._place.load()
        return value[self._axis] if isinstance(value, tuple) else UNKNOWN

    def store(self, value: object) -> None:
        """Set the extent."""
        old = self._place.load()
        parts = list(old) if isinstance(old, tuple) else [UNKNOWN, UNKNOWN, UNKNOWN]
        parts[self._axis] = value
        self._place.store(tuple(parts))


def _field_place(run: HostRun, node: Node) -> Callable[[HostFrame], Any]:
    argument = node.child_by_field_name("argument")
    name = text_of(node.child_by_field_name("field"))
    arrow = any(child.type == "->" for child in node.children)
    if argument is None:
        return lambda frame: Cell()  # noqa: ARG005
    outer = run.reference(argument)

    def place(frame: HostFrame) -> Any:  # noqa: ANN401  (a cell, or a part of a variable)
        known = outer(frame)
        value = known.load()
        if arrow or isinstance(value, CellAddress | Pointer):
            known = target_of(value)
            value = known.load()
        if isinstance(value, Structure):
            return value.field(name)
        if isinstance(value, tuple) and name in _AXES:
            return _Axis(known, _AXES.index(name))
        if value is UNKNOWN and known.type.format == "":
            made = run.constructed(known.type, [], frame).value if known.type is not UNKNOWN_TYPE else UNKNOWN
            if isinstance(made, Structure) and isinstance(known, HostElement):
                known.memory.objects[known.offset or 0] = made
                return made.field(name)
        return Cell()

    return place


def _field(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    place = _field_place(run, node)
    return lambda frame: place(frame).load()


def _this(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    return lambda frame: (
        CellAddress(Cell(frame.receiver, frame.receiver.type)) if frame.receiver is not None else UNKNOWN
    )


def _new(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    text = text_of(node.child_by_field_name("type"))
    declarator = node.child_by_field_name("declarator")
    length = declarator.child_by_field_name("length") if declarator is not None else None
    count = run.expression(length) if length is not None else None
    arguments = [run.expression(item) for item in items(node.child_by_field_name("arguments"))]

    def new(frame: HostFrame) -> object:
        type_ = run.type(text, frame)
        if declarator is None:
            return CellAddress(run.constructed(type_, [make(frame) for make in arguments], frame))
        number_ = count(frame) if count is not None else UNKNOWN
        known = isinstance(number_, int) and type_.size is not None and number_ >= 0
        return Pointer(Memory(number_ * type_.size if known else None), 0, type_)  # type: ignore[operator]

    return new


# Types


def _type_in(run: HostRun, node: Node | None) -> Callable[[HostFrame], HostType]:
    """Return the type that a cast or a `sizeof` names."""
    if node is None:
        return lambda frame: UNKNOWN_TYPE  # noqa: ARG005
    base = node.child_by_field_name("type") if node.type == "type_descriptor" else node
    text = text_of(base)
    declarator = node.child_by_field_name("declarator") if node.type == "type_descriptor" else None
    stars = text_of(declarator).count("*")

    def read(frame: HostFrame) -> HostType:
        type_ = run.type(text, frame)
        for _ in range(stars):
            type_ = pointer_to(type_)
        return type_

    return read


def _cast(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    inside = node.child_by_field_name("value")
    if inside is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    value, type_ = run.expression(inside), _type_in(run, node.child_by_field_name("type"))

    def cast(frame: HostFrame) -> object:
        return as_type(value(frame), type_(frame))

    return cast


def _sizeof(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if type_ is not None:
        read = _type_in(run, type_)

        def of_type(frame: HostFrame) -> object:
            text = text_of(type_)
            if text in frame.variables:  # `sizeof(x)` of a variable may parse as that of a type
                return _size_of(frame.variables[text])
            size = read(frame).size
            return size if size is not None else UNKNOWN

        return of_type
    while value is not None and value.type == "parenthesized_expression" and items(value):
        value = items(value)[0]
    if value is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    declared, read = _declared_type(run, value), _type_in(run, value)

    def of_value(frame: HostFrame) -> object:
        size = declared(frame).size
        if size is None and value.type == "identifier":  # the name of a type
            size = read(frame).size
        return size if size is not None else UNKNOWN

    return of_value


def _declared_type(run: HostRun, node: Node) -> Callable[[HostFrame], HostType]:
    """Return the type of an expression from its declarations, for operands that are not evaluated."""
    argument = node.child_by_field_name("argument")
    if node.type in {"subscript_expression", "pointer_expression"} and argument is not None:
        inner = _declared_type(run, argument)
        if node.type == "pointer_expression" and text_of(node.child_by_field_name("operator")) != "*":
            return lambda frame: pointer_to(inner(frame))
        return lambda frame: inner(frame).target or UNKNOWN_TYPE
    if node.type == "parenthesized_expression" and items(node):
        return _declared_type(run, items(node)[0])
    place = run.reference(node)
    return lambda frame: place(frame).type


def _size_of(place: Reference) -> object:
    return place.type.size if place.type.size is not None else UNKNOWN


def _list(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return `{a, b}` as a value: an array of unknown element type."""
    values = [run.expression(item) for item in items(node)]

    def listed(frame: HostFrame) -> object:
        given = [make(frame) for make in values]
        return array_with(array_of(UNKNOWN_TYPE, len(given)), given)

    return listed


def _compound(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return `dim3{a, b}`."""
    text = text_of(node.child_by_field_name("type"))
    values = [run.expression(item) for item in items(node.child_by_field_name("value"))]
    return lambda frame: run.constructed(run.type(text, frame), [make(frame) for make in values], frame).value


def _lambda(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    listed = items(declarator.child_by_field_name("parameters")) if declarator is not None else []
    names = [declared_name(item.child_by_field_name("declarator")) for item in listed]

    def made(frame: HostFrame) -> object:
        def called(arguments: list[object]) -> object:
            inner = HostFrame(dict(frame.variables), frame.receiver, frame.bound)
            inner.variables.update({name: Cell(value) for name, value in zip(names, arguments, strict=False)})
            if body is None:
                return UNKNOWN
            outcome = run.statement(body)(inner)
            return getattr(outcome, "value", UNKNOWN) if outcome is not None else UNKNOWN

        return HostCallable("", node, called)

    return made


def _value_place(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    value = run.expression(node)
    return lambda frame: Cell(value(frame))


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
    "pointer_expression": _address,
    "subscript_expression": _load_element,
    "field_expression": _field,
    "this": _this,
    "new_expression": _new,
    "cast_expression": _cast,
    "sizeof_expression": _sizeof,
    "initializer_list": _list,
    "compound_literal_expression": _compound,
    "lambda_expression": _lambda,
    "call_expression": call,
}

REFERENCES: Mapping[str, Callable[[Any, Node], Callable[[HostFrame], Any]]] = {
    "identifier": _name_place,
    "field_expression": _field_place,
    "subscript_expression": _element,
    "pointer_expression": lambda run, node: (
        _pointed(run, node) if text_of(node.child_by_field_name("operator")) == "*" else _value_place(run, node)
    ),
    "parenthesized_expression": lambda run, node: (
        run.reference(items(node)[0]) if len(items(node)) == 1 else _value_place(run, node)
    ),
}

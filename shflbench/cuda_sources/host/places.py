"""Places in host code that can be assigned to, or whose address or size is taken, as functions of the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.host.class_constants import static_member
from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.conversions import ANY_POINTER, by_class, convert
from shflbench.cuda_sources.host.declarations import variable
from shflbench.cuda_sources.host.library import ATTRIBUTES, CONSTANTS
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.overloads import HostCallSite, call_chosen
from shflbench.cuda_sources.host.records import entry_with_key
from shflbench.cuda_sources.host.structures import zero
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType, pointer_to
from shflbench.cuda_sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    HostCallable,
    HostElement,
    Pointer,
    Structure,
    Text,
    byte_count,
)  # fmt: skip
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference

_AXES = ("x", "y", "z")


def read_name(run: HostRun, name: str, frame: HostFrame) -> object:
    """Return the value of a name that is no local variable."""
    constant = static_member(run, frame.owner, name, frame) if frame.owner else UNKNOWN
    place = _outer(run, name, frame) if constant is UNKNOWN else Cell(constant)
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
    return CONSTANTS.get(name, ATTRIBUTES.get(name, UNKNOWN))


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
    declared = run.program.variable(name)
    if declared is None:
        return None
    run.state.globals[name] = Cell()
    inner = HostFrame()
    made = variable(run, declared[0], declared[1])(inner)
    if isinstance(made, Cell):
        run.state.globals[name] = made
        is_constant = "const" in text_of(declared[0]).split()
        if isinstance(made.value, Pointer) and made.type.is_array:
            made.value.memory.is_constant = is_constant
        is_zero = run.state.is_whole and not is_constant
        if made.value is UNKNOWN and is_zero:
            made.value = 0 if made.type.format or made.type.is_pointer else UNKNOWN
    return run.state.globals[name]


def _enumerator(run: HostRun, node: Node) -> object:
    """Return the value of an enumerator; all of its enumeration are evaluated at once."""
    if node.id not in run.enumerated and node.parent is not None:
        listed = [item for item in items(node.parent) if item.type == "enumerator"]
        run.enumerated |= {item.id: UNKNOWN for item in listed}  # of those that a value names before they have one
        last: object = -1
        for item in listed:
            value = item.child_by_field_name("value")
            known = run.expression(value)(HostFrame()) if value is not None else last
            step = 0 if value is not None else 1
            last = run.enumerated[item.id] = known + step if isinstance(known, int) else UNKNOWN
    return run.enumerated.get(node.id, UNKNOWN)


def _name_place(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    name = text_of(node)

    def place(frame: HostFrame) -> Reference:
        known = frame.variables.get(name) or _outer(run, name, frame)
        return known if known is not None else Cell(read_name(run, name, frame))

    return place


def address(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return `&x`, or the value of `*p`."""
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
        if isinstance(value, Structure) and (entry := entry_with_key(run, value, index, frame)) is not None:
            return entry
        if isinstance(value, Structure) and value.memory is not None:
            value = Pointer(value.memory, 0, value.element)
        if isinstance(value, Structure):
            return _of_object(run, value, node, Cell(index), frame)
        if isinstance(value, Text):
            return Cell(_character(value, index))
        if isinstance(value, CellAddress):
            return value.cell if index == 0 else Cell()
        if not isinstance(value, Pointer):
            return Cell()
        moved = value.moved(index)
        return HostElement(moved.memory, moved.offset, moved.target)

    return element


def _of_object(run: HostRun, value: Structure, node: Node, index: Cell, frame: HostFrame) -> Reference:
    """Return an element of an object by its `operator[]`, or by the pointer that it converts to."""
    if members := run.program.member(value.type.name, "operator[]"):
        return call_chosen(run, members, HostCallSite(node, [index], (), (), frame), value)
    made = by_class(run, value, ANY_POINTER)
    moved = made.moved(index.value) if isinstance(made, Pointer) else None
    return HostElement(moved.memory, moved.offset, moved.target) if moved is not None else Cell()


def _character(text: Text, index: object) -> object:
    """Return a character of a string; it is unknown in a word of a command line that is not given."""
    if text.text is None or not isinstance(index, int) or not 0 <= index <= len(text.text):
        return UNKNOWN
    return ord(text.text[index]) if index < len(text.text) else 0


def load_element(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return the value of `a[i]`."""
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
                if known.memory.is_zero(known.offset or 0, known.type.size or 1):
                    zero(made)
                known.memory.objects[known.offset or 0] = made
                return made.field(name)
        return Cell()

    return place


def field_value(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return the value of `a.x` or `p->x`."""
    place = _field_place(run, node)
    return lambda frame: place(frame).load()


def this_object(run: HostRun, node: Node) -> Callable[[HostFrame], object]:  # noqa: ARG001
    """Return the address of the object of a member function."""
    return lambda frame: (
        CellAddress(Cell(frame.receiver, frame.receiver.type)) if frame.receiver is not None else UNKNOWN
    )


def new_object(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return what `new T[n]` or `new T(a)` allocates."""
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
        return Pointer(run.state.memory(byte_count(number_ * type_.size) if known else None), 0, type_)  # type: ignore[operator]

    return new


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


def cast(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return the value of a cast."""
    inside = node.child_by_field_name("value")
    if inside is None:
        return lambda frame: UNKNOWN  # noqa: ARG005
    value, type_ = run.expression(inside), _type_in(run, node.child_by_field_name("type"))

    def cast(frame: HostFrame) -> object:
        return convert(run, value(frame), type_(frame))

    return cast


def size_of(run: HostRun, node: Node) -> Callable[[HostFrame], object]:
    """Return the bytes of a type or of a variable."""
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


def _value_place(run: HostRun, node: Node) -> Callable[[HostFrame], Reference]:
    value = run.expression(node)
    return lambda frame: Cell(value(frame))


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

"""Call a function that nothing in the files calls: values for its parameters, and an object for a member function."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.declarations import shape_of
from shflbench.cuda_sources.host.declared_defaults import default_of
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.statements import always_leaves
from shflbench.cuda_sources.host.streams import STREAM_TYPES
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, Memory, Pointer, Structure
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import function_declarator, text_of, walk
from shflbench.cuda_sources.usual_numbers import usual_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.host.contents import HostClass, HostFunction
    from shflbench.cuda_sources.host.explicit_instances import HostEntry
    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostInput
    from shflbench.cuda_sources.host.types import HostType

ROW_BYTES = 4  # times as many as other numbers: rows of as many pixels, or of floating-point numbers, do not overlap
_THREADS = re.compile(
    r"(?i)^(?:(?:max|num|n)_?)?threads?(?:_?(?:per|in)_?(?:block|cta))?$|^(?:block|cta)_?(?:size|dim)$"
)
_PITCH = re.compile(r"(?i)pitch|stride(?![a-z])|^ld[a-z]?$")


def call_entry(run: HostRun, entry: HostEntry, given: HostInput) -> None:
    """Call a function in an instance, with numbers of the input for its parameters, and those of a constructor."""
    function = entry.function
    named = zip((item.name for item in function.template), entry.template, strict=False)
    bound = {**entry.bound, **dict(named)}
    receiver = _object(run, entry, given)
    arguments: list[Cell] = [Cell(value) for value in _values(run, function, given, bound)]
    run.called(function, arguments, entry.template, receiver, entry.bound)


def _values(run: HostRun, function: HostFunction, given: HostInput, bound: Mapping[str, object]) -> list[object]:
    """Return values for the parameters of a function."""
    required, frame = _required(run, function), HostFrame(bound=bound, owner=function.owner)
    return [_parameter(run, item, given, required, frame) for item in function.parameters]


def _object(run: HostRun, entry: HostEntry, given: HostInput) -> Structure | None:
    """Return an object for a member function, as the only constructor of its class makes it; None for a static one."""
    function = entry.function
    known = run.program.class_of(function.owner) if function.owner else None
    if known is None or _is_static(known, function):
        return None
    frame = HostFrame(bound=entry.bound)
    texts = [str(entry.bound.get(item.name, item.name)) for item in known.template]
    type_ = run.type(f"{known.name}<{', '.join(texts)}>" if texts else known.name, frame)
    constructors = [item for item in run.program.member(known.name, known.name) if not _copies(item)]
    values = _values(run, constructors[0], given, entry.bound) if len(constructors) == 1 else []
    made = run.constructed(type_, values, frame).value
    if not isinstance(made, Structure):
        return None
    _forget_zeros(made)
    return made


def _forget_zeros(made: Structure) -> None:
    """Take the fields that begin with zero as unknown: another member function may set them, as `init(n)` does."""
    for cell in made.fields.values():
        if isinstance(cell.value, Structure):
            _forget_zeros(cell.value)
        elif cell.value == 0:
            cell.value = UNKNOWN


def _is_static(known: HostClass, function: HostFunction) -> bool:
    """Whether a member function needs no object, as its declaration in the class says."""
    for item in items(known.body):
        inside = items(item)[-1] if item.type == "template_declaration" else item
        declarator = function_declarator(inside)
        if declarator is not None and text_of(declarator.child_by_field_name("declarator")) == function.name:
            return any(text_of(child) == "static" for child in inside.children)
    return False


def _copies(constructor: HostFunction) -> bool:
    """Whether a constructor takes another object of its class."""
    types = [text_of(item.child_by_field_name("type")).partition("<")[0] for item in constructor.parameters]
    return types == [constructor.name]


def _required(run: HostRun, function: HostFunction) -> dict[str, int]:
    """Return the numbers that a function requires of its parameters: `if (radius != 4) exit(1);`."""
    result: dict[str, int] = {}
    for item in walk(function.body):
        part = item.child_by_field_name("consequence") if item.type == "if_statement" else None
        clause = item.child_by_field_name("condition") if part is not None and always_leaves(part) else None
        condition = items(clause)[-1] if clause is not None and items(clause) else None
        if condition is None or text_of(condition.child_by_field_name("operator")) != "!=":
            continue
        name, number = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        value = run.expression(number)(HostFrame()) if number is not None else UNKNOWN
        if isinstance(value, int):
            result.setdefault(text_of(name), value)
    return result


def _parameter(run: HostRun, item: Node, given: HostInput, required: Mapping[str, int], frame: HostFrame) -> object:
    """Return a value for a parameter of a function that nothing calls: its default, a number, or an address."""
    declarator = item.child_by_field_name("declarator")
    name = declared_name(declarator)
    type_ = shape_of(run, declarator)(run.type(text_of(item.child_by_field_name("type")), frame), frame)
    if name == "argc":
        return 1
    default = default_of(run.program, item) if type_.format else None
    specified = run.expression(default)(frame) if default is not None else UNKNOWN
    if isinstance(specified, int | float):
        return specified
    if type_.format and type_.format not in "fd":
        number = required.get(name, _number(name, given.single.get(name, given.number)))
        given.used[name] = number
        return number
    return _structure(run, name, type_, given, frame)


def _number(name: str, number: int) -> int:
    """Return the number that a parameter of this name gets, where other numbers are `number`.

    Blocks have a power of two of threads: no caller passes 1000, which only sizes of data may be.
    """
    if (usual := usual_number(name)) is not None:
        return min(usual, number)
    if _THREADS.search(name):
        return 1 << (number - 1).bit_length()
    return number * ROW_BYTES if _PITCH.search(name) else number


def _structure(run: HostRun, name: str, type_: HostType, given: HostInput, frame: HostFrame) -> object:
    """Return a value for a parameter that is no number."""
    if type_.name == "dim3":
        given.used.update({f"{name}.{axis}": given.number for axis in "xy"})
        return (given.number, given.number, 1)
    if type_.name in STREAM_TYPES:
        return Pointer(Memory(0), 0)
    if type_.target is not None and not type_.reference:
        return Pointer(Memory(None, device=True), 0, type_.target)
    made = run.constructed(type_, [], frame).value if type_.name in run.program.classes else UNKNOWN
    if isinstance(made, Structure):
        _fill_parameter(name, made, given)
    return made


def _fill_parameter(name: str, made: Structure, given: HostInput) -> None:
    """Give the fields of a parameter what its caller may set: sizes that nothing sets, or zero, pointers, vectors."""
    for field, cell in made.fields.items():
        value = cell.value
        if isinstance(value, Structure):
            _fill_parameter(f"{name}.{field}", value, given)
            if value.memory is not None:
                value.memory.forget()
                value.memory.size = None
        elif cell.type.format not in {"", "f", "d", "e"} and (value is UNKNOWN or (value == 0 and cell.type.size != 1)):
            given.used[f"{name}.{field}"] = cell.value = given.number
        elif cell.type.is_pointer and cell.type.target is not None:
            cell.value = Pointer(Memory(None, device=True), 0, cell.type.target)

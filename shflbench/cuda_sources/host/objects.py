"""Objects of classes: their fields, and what constructors make of the arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.declarations import is_function_pointer, shape_of
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.overloads import HostCallSite, chosen
from shflbench.cuda_sources.host.records import fields_of_pair
from shflbench.cuda_sources.host.structures import fields_of_vector
from shflbench.cuda_sources.host.templates import bound_of_class
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, Designated, Structure
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.cuda_sources.host.contents import HostClass, HostFunction
    from shflbench.cuda_sources.host.interface import HostRun, Reference


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a class: a class makes many objects."""

    name: str
    type: str
    shape: Callable[[HostType, HostFrame], HostType]
    value: Callable[[HostFrame], object] | None  # with which it begins


class ObjectMaker:
    """Makes objects of the classes of the files."""

    def __init__(self, run: HostRun) -> None:
        """Keep the interpreter."""
        self._run = run
        self._fields: dict[int, list[_Field]] = {}  # of classes, by the ids of their bodies

    def make(self, type_: HostType, arguments: Sequence[object], frame: HostFrame, *, zeroed: bool) -> Structure:
        """Return an object with what its constructor makes of the arguments; without one, fields are those of a list.

        What a list does not name is zero, and without arguments all is if it is `zeroed`.
        """
        name = type_.name.partition("<")[0]
        known = self._run.program.class_of(type_.name)
        made = Structure(type_, {}, None, UNKNOWN_TYPE, bound_of_class(known, type_.name, frame))
        if known is None:
            if "distribution" in name:  # of <random>: its limits
                made.fields.update(zip(("low", "high"), map(Cell, arguments), strict=False))
            made.fields.update(fields_of_pair(self._run, type_, arguments, frame))
            made.fields.update(fields_of_vector(type_, arguments, zeroed=zeroed))
            return made
        constructors = self._run.program.member(type_.name, name)
        may_be_copy = len(arguments) == 1 and (arguments[0] is UNKNOWN or isinstance(arguments[0], Structure))
        is_list = not constructors and not may_be_copy and (zeroed or bool(arguments))
        self._add_fields(made, known, zeroed=is_list)
        if any(len(item.parameters) >= len(arguments) for item in constructors):
            self._construct(made, constructors, HostCallSite(known.body, _cells(arguments), (), (), frame, made.bound))
        else:
            for cell, value in zip(list(made.fields.values()), arguments, strict=False):
                if isinstance(value, Designated):
                    made.field(value.member).store(value.value)
                else:
                    cell.store(value)
        return made

    def _construct(self, made: Structure, constructors: Sequence[HostFunction], call: HostCallSite) -> None:
        """Run the constructor that a call means; without one that is certain, all fields are unknown."""
        best = chosen(self._run, constructors, call)
        if best is not None:
            self._run.call(best, call.given, (), made)
            return
        for cell in made.fields.values():
            cell.value = UNKNOWN

    def _add_fields(self, made: Structure, known: HostClass, *, zeroed: bool) -> None:
        for base in known.bases:
            inherited = self._run.program.class_of(base) if base != known.name else None
            if inherited is not None:
                self._add_fields(made, inherited, zeroed=zeroed)
        if known.body.id not in self._fields:
            self._fields[known.body.id] = list(self._declared_fields(known))
        frame = HostFrame({}, made, made.bound, owner=known.name)
        for item in self._fields[known.body.id]:
            type_ = item.shape(self._run.type(item.type, frame), frame)
            given = [item.value(frame)] if item.value is not None else []
            inner = type_.name == made.type.name
            made.fields[item.name] = Cell() if inner else self._run.constructed(type_, given, frame, zeroed=zeroed)

    def _declared_fields(self, known: HostClass) -> Iterator[_Field]:
        for item in items(known.body):
            if item.type != "field_declaration":
                continue
            text = text_of(item.child_by_field_name("type"))
            value = item.child_by_field_name("default_value")
            first = self._run.expression(value) if value is not None else None
            for declarator in item.children_by_field_name("declarator"):
                if declarator.type != "function_declarator" or is_function_pointer(declarator):
                    yield _Field(declared_name(declarator), text, shape_of(self._run, declarator), first)

    def initialize(self, function: HostFunction, frame: HostFrame) -> None:
        """Follow what stands before the body of a constructor: `Buffer(int n) : size(n)`."""
        listed = next((item for item in function.node.children if item.type == "field_initializer_list"), None)
        made = frame.receiver
        for item in items(listed):
            parts = items(item)
            if made is None or len(parts) != 2:  # noqa: PLR2004  (field and arguments)
                continue
            values = [self._run.expression(value)(frame) for value in items(parts[1])]
            if text_of(parts[0]) == function.owner:  # another constructor: `Buffer(list) : Buffer(list.size())`
                members = self._run.program.member(function.owner, function.owner)
                others = [member for member in members if member is not function]
                self._construct(made, others, HostCallSite(item, _cells(values), (), (), frame, made.bound))
                continue
            cell = made.field(text_of(parts[0]))
            known = cell.type is not UNKNOWN_TYPE
            cell.value = self._run.constructed(cell.type, values, frame).value if known else [*values, UNKNOWN][0]


def _cells(values: Sequence[object]) -> list[Reference]:
    return [Cell(value) for value in values]

"""Interpret host code: from a function of the files to the launches that it performs.

Each statement and expression becomes a Python function of the frame once, and runs as often as the host code runs it.
What the host code does not determine is `UNKNOWN`, which every operation passes on; it is never guessed.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.source_lines import SourceLine
from shflbench.checker.sources.host.contents import HostFunction, called_name, items
from shflbench.checker.sources.host.declarations import fill_vector, is_reference, shape_of, vector_of
from shflbench.checker.sources.host.expressions import EXPRESSIONS, truth
from shflbench.checker.sources.host.flow import HostReturn, expression_statement
from shflbench.checker.sources.host.machine import (
    MOST_CALLS,
    HostBudget,
    HostFrame,
    HostInput,
    HostState,
    HostStop,
    LongLoop,
)
from shflbench.checker.sources.host.overloads import HostCallSite, chosen
from shflbench.checker.sources.host.places import REFERENCES
from shflbench.checker.sources.host.records import fields_of_pair
from shflbench.checker.sources.host.statements import STATEMENTS
from shflbench.checker.sources.host.templates import bound_arguments
from shflbench.checker.sources.host.types import UNKNOWN_TYPE, HostType, TypeReader
from shflbench.checker.sources.host.values import (
    MOMENTS,
    UNKNOWN,
    Cell,
    Designated,
    Memory,
    Pointer,
    Structure,
    as_type,
)
from shflbench.checker.sources.scopes import declared_name
from shflbench.checker.sources.syntax_trees import line_of, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node, Tree

    from shflbench.checker.sources.definitions import Definition
    from shflbench.checker.sources.host.contents import HostClass
    from shflbench.checker.sources.host.flow import Statement
    from shflbench.checker.sources.host.interface import Reference
    from shflbench.checker.sources.host.program import HostProgram
    from shflbench.checker.sources.kernel_file import HostChange, HostNumber
    from shflbench.checker.sources.layouts import Types


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a class: a class makes many objects."""

    name: str
    type: str
    shape: Callable[[HostType, HostFrame], HostType]
    value: Callable[[HostFrame], object] | None  # with which it begins


class Interpreter:
    """Runs functions of the host code."""

    def __init__(
        self,
        program: HostProgram,
        types: Types,
        kernels: Mapping[str, Sequence[Definition]],
        change: HostChange,
        budget: HostBudget,
    ) -> None:
        """Keep the program; `kernels` has the definitions of kernels by the last part of their names.

        Variables that begin with a constant begin with the numbers that the `change` has for their names, and function
        templates that are called with the first arguments of its instance get the second ones. All runs together take
        the `budget` at most.
        """
        self.program, self.kernels, self.numbers = program, kernels, change.numbers
        self._instance = change.instance
        self.types = TypeReader(types, program)
        program.aliases = types.aliases
        self.state = HostState(HostInput())
        self._expressions: dict[int, Callable[[HostFrame], object]] = {}
        self._statements: dict[int, Statement] = {}
        self._launches: dict[int, bool] = {}
        self.macro_uses: list[Node] = []  # those around what runs
        self.begun: dict[str, HostNumber] = {}  # numbers that variables began with, and macros stood for, by name
        self.long_loops: dict[int, LongLoop] = {}  # those that took too many iterations
        self._fields: dict[int, list[_Field]] = {}  # of classes, by the ids of their bodies
        self.budget = budget
        self._expanded: dict[str, tuple[Tree, Node | None]] = {}
        self.allocations: Iterator[int] = count()
        self.start = next(MOMENTS)

    # Code

    def expression(self, node: Node) -> Callable[[HostFrame], object]:
        """Return an expression as a function of the frame."""
        known = self._expressions.get(node.id)
        if known is None:
            make = EXPRESSIONS.get(node.type)
            known = make(self, node) if make is not None else lambda frame: UNKNOWN  # noqa: ARG005
            self._expressions[node.id] = known
        return known

    def statement(self, node: Node) -> Statement:
        """Return a statement as a function of the frame."""
        known = self._statements.get(node.id)
        if known is None:
            make = STATEMENTS.get(node.type)
            if make is None and node.type in EXPRESSIONS:
                value = self.expression(node)
                known = expression_statement(value)
            else:
                known = make(self, node) if make is not None else lambda frame: None  # noqa: ARG005
            self._statements[node.id] = known
        return known

    def condition(self, node: Node | None) -> Callable[[HostFrame], object]:
        """Return a condition: true, false or unknown; without one, true."""
        if node is None:
            return lambda frame: True  # noqa: ARG005
        if node.type == "condition_clause":
            node = node.child_by_field_name("value") or items(node)[-1]
        if node.type == "declaration":
            return lambda frame: UNKNOWN  # noqa: ARG005
        value = self.expression(node)
        return lambda frame: truth(value(frame))

    def reference(self, node: Node) -> Callable[[HostFrame], Reference]:
        """Return a place to assign to as a function of the frame; a value that has none gets one."""
        make = REFERENCES.get(node.type)
        if make is not None:
            place: Callable[[HostFrame], Reference] = make(self, node)
            return place
        value = self.expression(node)
        return lambda frame: Cell(value(frame))

    def launches(self, node: Node) -> bool:
        """Whether code launches kernels, directly or through functions of the files."""
        known = self._launches.get(node.id)
        if known is None:
            self._launches[node.id] = False
            known = self._launches[node.id] = any(self._is_launch(item) for item in walk(node))
        return known

    def _is_launch(self, item: Node) -> bool:
        if item.type == "kernel_call_syntax":
            return True
        if item.type != "call_expression":
            return False
        name = called_name(item.child_by_field_name("function"))
        if name.startswith("cudaLaunch"):
            return True
        macro = self.program.macro(name)
        if macro is not None and "<<<" in macro.body:
            return True
        callees = self.program.functions.get(name) if name in self.program.names_that_may_launch else []
        return any(self.launches(callee.body) for callee in callees)

    def expanded(self, text: str, *, statement: bool = False) -> Node | None:
        """Return the tree of a text that a macro stands for, as an expression or as statements."""
        known = self._expanded.get(text)
        if known is None:
            before, after = ("void f() {", ";}") if statement else ("auto v = (", ");")
            tree = parse(f"{before}{text}{after}".encode())
            wanted = "compound_statement" if statement else "init_declarator"
            node = next((item for item in walk(tree.root_node) if item.type == wanted), None)
            if node is not None and not statement:
                node = None if tree.root_node.has_error else node.child_by_field_name("value")
            known = self._expanded[text] = (tree, node)
        return known[1]

    def site(self, node: Node) -> tuple[Node, SourceLine]:
        """Return a place in the files: the node, or the use of the macro whose text has the node."""
        for use in reversed([node, *self.macro_uses[:1]]) if self.program.path(node) is None else [node]:
            path = self.program.path(use)
            if path is not None:
                return use, SourceLine(path, line_of(use))
        return node, SourceLine(Path(), 1)

    # Types and values

    def type(self, text: str, frame: HostFrame) -> HostType:
        """Return the type that a text stands for in a frame."""
        return self.types.read(text, frame.bound)

    def forget(
        self, names: Sequence[tuple[str, bool]], frame: HostFrame, first: Mapping[str, bytes] | None = None
    ) -> None:
        """Take variables, or what they point to, as unknown, but for its first bytes if they are given."""
        for name, indirect in names:
            place = self._place(name, frame)
            if place is None:
                continue
            value = place.load()
            memory = value.memory if isinstance(value, Pointer | Structure) else None
            if memory is not None:
                memory.forget_rest((first or {}).get(name, b""))
            if isinstance(value, Structure):
                if memory is not None:
                    memory.size = memory.size if indirect else None
            elif not indirect:
                place.store(UNKNOWN)

    def memory(self, name: str, frame: HostFrame) -> Memory | None:
        """Return what a variable points to, or the elements of a vector."""
        place = self._place(name, frame)
        value = place.load() if place is not None else UNKNOWN
        return value.memory if isinstance(value, Pointer | Structure) else None

    def _place(self, name: str, frame: HostFrame) -> Reference | None:
        if name not in frame.variables and frame.receiver is not None and name in frame.receiver.fields:
            return frame.receiver.fields[name]
        return frame.variables.get(name) or self.state.globals.get(name)

    def constructed(self, type_: HostType, arguments: Sequence[object], frame: HostFrame) -> Cell:
        """Return a variable of a type with what its constructor makes of the arguments."""
        if type_.name == "dim3":
            return Cell(_dims(arguments), type_)
        if type_.is_array:
            return Cell(Pointer(Memory(type_.size), 0, type_.target or UNKNOWN_TYPE), type_)
        if type_.format or type_.is_pointer:
            return Cell(as_type(arguments[0], type_) if arguments else UNKNOWN, type_)
        vector = vector_of(type_, self, frame)
        if vector is not None:
            fill_vector(vector, arguments)
            return Cell(vector, type_)
        if len(arguments) == 1 and isinstance(arguments[0], Structure) and arguments[0].type.name == type_.name:
            return Cell(arguments[0].copied(), type_)
        return Cell(self._object(type_, arguments, frame), type_)

    def _object(self, type_: HostType, arguments: Sequence[object], frame: HostFrame) -> Structure:
        name, _, listed = type_.name.partition("<")
        known = self.program.class_of(type_.name)
        bound: dict[str, object] = {}
        if known is not None and listed:
            texts = [text.strip() for text in listed.removesuffix(">").split(",")]
            bound = {item.name: frame.bound.get(text, text) for item, text in zip(known.template, texts, strict=False)}
        made = Structure(type_, {}, None, UNKNOWN_TYPE, bound)
        if known is None:
            if "distribution" in name:  # of <random>: its limits
                made.fields.update(zip(("low", "high"), map(Cell, arguments), strict=False))
            made.fields.update(fields_of_pair(self, type_, arguments, frame))
            return made
        self._add_fields(made, known)
        constructors = self.program.member(type_.name, name)
        if any(len(item.parameters) >= len(arguments) for item in constructors):
            call = HostCallSite(known.body, [Cell(value) for value in arguments], (), (), frame)
            if (best := chosen(self, constructors, call)) is not None:
                self.call(best, call.given, (), receiver=made)
        else:
            for cell, value in zip(list(made.fields.values()), arguments, strict=False):
                if isinstance(value, Designated):
                    made.field(value.member).store(value.value)
                else:
                    cell.store(value)
        return made

    def _add_fields(self, made: Structure, known: HostClass) -> None:
        for base in known.bases:
            inherited = self.program.class_of(base) if base != known.name else None
            if inherited is not None:
                self._add_fields(made, inherited)
        if known.body.id not in self._fields:
            self._fields[known.body.id] = list(self._declared_fields(known))
        frame = HostFrame({}, made, made.bound)
        for item in self._fields[known.body.id]:
            type_ = item.shape(self.type(item.type, frame), frame)
            given = [item.value(frame)] if item.value is not None else []
            inner = type_.name == made.type.name
            made.fields[item.name] = Cell() if inner else self.constructed(type_, given, frame)

    def _declared_fields(self, known: HostClass) -> Iterator[_Field]:
        for item in items(known.body):
            if item.type != "field_declaration":
                continue
            text = text_of(item.child_by_field_name("type"))
            value = item.child_by_field_name("default_value")
            first = self.expression(value) if value is not None else None
            for declarator in item.children_by_field_name("declarator"):
                if declarator.type != "function_declarator":
                    yield _Field(declared_name(declarator), text, shape_of(self, declarator), first)

    # Calls

    def call(
        self,
        function: HostFunction,
        arguments: Sequence[Reference],
        template: Sequence[object],
        receiver: Structure | None = None,
    ) -> object:
        """Return the result of a call of a function of the files."""
        self.state.step(function.body.descendant_count)
        if self.state.depth >= MOST_CALLS:
            return UNKNOWN
        frame = HostFrame({}, receiver, dict(receiver.bound) if receiver is not None else {})
        bound = bound_arguments(function, arguments, template)
        frame.bound = {**frame.bound, **self._of_instance(bound)}
        for place, item in enumerate(function.parameters):
            self._pass(frame, item, arguments[place] if place < len(arguments) else None)
        if function.pack:
            frame.packs = {function.pack: arguments[len(function.parameters) :]}
        self._initialize_fields(function, frame)
        name = "::".join(filter(None, (function.owner, function.name)))
        recorded = self.state.recorded(name) if self.launches(function.body) else nullcontext()
        self.state.depth += 1
        try:
            with recorded:
                outcome = self.statement(function.body)(frame)
        finally:
            self.state.depth -= 1
        return outcome.value if isinstance(outcome, HostReturn) else UNKNOWN

    def _of_instance(self, bound: dict[str, object]) -> dict[str, object]:
        """Return the arguments of a function template, or those that replace them."""
        before, after = self._instance
        if not bound or [str(value) for value in bound.values()] != list(before[: len(bound)]):
            return bound
        return {name: int(text) if text.isdecimal() else text for name, text in zip(bound, after, strict=False)}

    def _pass(self, frame: HostFrame, item: Node, given: Reference | None) -> None:
        declarator = item.child_by_field_name("declarator")
        name = declared_name(declarator)
        text = text_of(item.child_by_field_name("type"))
        if given is None:
            value = item.child_by_field_name("default_value")
            given = Cell(self.expression(value)(frame) if value is not None else UNKNOWN)
        if is_reference(declarator):
            frame.variables[name] = given
            return
        type_ = shape_of(self, declarator)(self.type(text, frame), frame) if text != "auto" else UNKNOWN_TYPE
        if type_.is_array and type_.target is not None:
            type_ = HostType(f"{type_.target.name} *", 8, "", type_.target)
        frame.variables[name] = Cell(as_type(given.load(), type_), type_)

    def _initialize_fields(self, function: HostFunction, frame: HostFrame) -> None:
        listed = next((item for item in function.node.children if item.type == "field_initializer_list"), None)
        for item in items(listed):
            parts = items(item)
            if frame.receiver is not None and len(parts) == 2:  # noqa: PLR2004  (field and arguments)
                values = [self.expression(value)(frame) for value in items(parts[1])]
                if text_of(parts[0]) == function.owner:
                    self._delegate(function, HostCallSite(item, [Cell(value) for value in values], (), (), frame))
                    continue
                cell = frame.receiver.field(text_of(parts[0]))
                known = cell.type is not UNKNOWN_TYPE
                cell.value = self.constructed(cell.type, values, frame).value if known else [*values, UNKNOWN][0]

    def _delegate(self, function: HostFunction, call: HostCallSite) -> None:
        """Run another constructor, which that of the call names: `Buffer(list) : Buffer(list.size())`."""
        others = [item for item in self.program.member(function.owner, function.owner) if item is not function]
        if (best := chosen(self, others, call)) is not None:
            self.call(best, call.given, (), receiver=call.frame.receiver)

    def run(self, function: HostFunction, arguments: Sequence[object], given: HostInput, *, forced: bool) -> HostState:
        """Run a function until it ends, and return what it did."""
        is_whole = function is self.program.main
        self.state = state = HostState(given, forced=forced, is_whole=is_whole, budget=self.budget)
        with suppress(HostStop, RecursionError):
            self.call(function, [Cell(value) for value in arguments], ())
        return state


def _dims(values: Sequence[object]) -> object:
    if len(values) == 1 and not isinstance(values[0], int | float):
        return values[0]
    numbers = [int(value) & 0xFFFFFFFF if isinstance(value, int | float) else UNKNOWN for value in values]
    x, y, z = [*numbers, 1, 1, 1][:3]
    return (x, y, z)

"""Interpret host code: from a function of the files to the launches that it performs.

Each statement and expression becomes a Python function of the frame once, and runs as often as the host code runs it.
What the host code does not determine is `UNKNOWN`, which every operation passes on; it is never guessed.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from itertools import count
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import called_name, items, type_of_result
from shflbench.cuda_sources.host.conversions import convert
from shflbench.cuda_sources.host.declarations import fill_vector, is_list, is_reference, shape_of, vector_of
from shflbench.cuda_sources.host.declared_defaults import default_of
from shflbench.cuda_sources.host.expressions import EXPRESSIONS, truth
from shflbench.cuda_sources.host.flow import HostReturn, expression_statement
from shflbench.cuda_sources.host.machine import (
    MOST_CALLS,
    HostBudget,
    HostFrame,
    HostInput,
    HostState,
    HostStop,
    LongLoop,
)
from shflbench.cuda_sources.host.objects import ObjectMaker
from shflbench.cuda_sources.host.places import REFERENCES
from shflbench.cuda_sources.host.statements import STATEMENTS
from shflbench.cuda_sources.host.templates import bound_arguments, bound_of_member
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType, TypeReader
from shflbench.cuda_sources.host.values import (
    MOMENTS,
    UNKNOWN,
    Cell,
    Memory,
    Pointer,
    Structure,
)
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import line_of, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node, Tree

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host.contents import HostFunction
    from shflbench.cuda_sources.host.flow import Statement
    from shflbench.cuda_sources.host.interface import Reference
    from shflbench.cuda_sources.host.program import HostProgram
    from shflbench.cuda_sources.kernel_file import HostChange, HostNumber
    from shflbench.cuda_sources.layouts import Types


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
        self.choices: list[tuple[tuple[str, int], ...]] = []  # of variables, with which further launches would run
        self.long_loops: dict[int, LongLoop] = {}  # those that took too many iterations
        self._objects = ObjectMaker(self)
        self.budget = budget
        self._expanded: dict[str, tuple[Tree, Node | None]] = {}
        self.allocations: Iterator[int] = count()
        self.enumerated: dict[int, object] = {}  # values of enumerators, by the ids of their nodes
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

    def launches(self, node: Node, depth: int = 0) -> bool:
        """Whether code launches kernels, directly or through functions of the files."""
        known = self._launches.get(node.id)
        if known is None:
            self._launches[node.id] = False
            known = self._launches[node.id] = any(self._is_launch(item, depth) for item in walk(node))
        return known

    def _is_launch(self, item: Node, depth: int) -> bool:
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
        # Behind so many calls nothing runs: what may launch there is taken to do it.
        return any(depth >= MOST_CALLS or self.launches(callee.body, depth + 1) for callee in callees)

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

    def constructed(
        self, type_: HostType, arguments: Sequence[object], frame: HostFrame, *, zeroed: bool = False
    ) -> Cell:
        """Return a variable of a type with what its constructor makes of the arguments; else `zeroed`, as by `{}`."""
        if type_.name == "dim3":
            return Cell(_dims(arguments), type_)
        if type_.is_array:
            memory = Memory(type_.size, filled=0 if zeroed else None)
            return Cell(Pointer(memory, 0, type_.target or UNKNOWN_TYPE), type_)
        if type_.format or type_.is_pointer:
            first = 0 if type_.is_smart or zeroed else UNKNOWN
            return Cell(convert(self, arguments[0], type_) if arguments else first, type_)
        vector = vector_of(type_, self, frame)
        if vector is not None:
            fill_vector(vector, arguments)
            return Cell(vector, type_)
        if len(arguments) == 1 and isinstance(arguments[0], Structure) and arguments[0].type.name == type_.name:
            return Cell(arguments[0].copied(), type_)
        return Cell(self._objects.make(type_, arguments, frame, zeroed=zeroed), type_)

    # Calls

    def call(
        self,
        function: HostFunction,
        arguments: Sequence[Reference],
        template: Sequence[object],
        receiver: Structure | None = None,
    ) -> object:
        """Return the result of a call of a function of the files."""
        return self.called(function, arguments, template, receiver).load()

    def called(
        self,
        function: HostFunction,
        arguments: Sequence[Reference],
        template: Sequence[object],
        receiver: Structure | None = None,
        bound: Mapping[str, object] | None = None,
    ) -> Reference:
        """Return the result of a call of a function of the files as a place, which may be that of a reference.

        Of a member without an object, `bound` has the arguments of the template of its class.
        """
        self.state.step(function.body.descendant_count)
        if self.state.depth >= MOST_CALLS:
            return Cell()
        given = bound_arguments(function, arguments, template)
        of_class = bound_of_member(self.program, function, receiver, bound or {})
        frame = HostFrame({}, receiver, {**of_class, **self._of_instance(given)}, owner=function.owner)
        for place, item in enumerate(function.parameters):
            self.pass_argument(frame, item, arguments[place] if place < len(arguments) else None)
        if function.pack:
            frame.packs = {function.pack: arguments[len(function.parameters) :]}
        self._objects.initialize(function, frame)
        is_functor = function.name == "operator()"
        name = "::".join(filter(None, (function.owner, "" if is_functor else function.name)))
        recorded = self.state.recorded(name) if self.launches(function.body) else nullcontext()
        self.state.depth += 1
        try:
            with recorded:
                outcome = self.statement(function.body)(frame)
        finally:
            self.state.depth -= 1
        return self._result(function, outcome, frame) if isinstance(outcome, HostReturn) else Cell()

    def _result(self, function: HostFunction, outcome: HostReturn, frame: HostFrame) -> Reference:
        """Return what a function returns: a place of a reference, or a value of its type."""
        value, declarator = outcome.value, function.node.child_by_field_name("declarator")
        if outcome.place is not None and is_reference(declarator):
            return outcome.place
        text = type_of_result(function.node)
        if value is None or not text or text == "auto":
            return Cell(UNKNOWN if value is None else value)
        type_ = shape_of(self, declarator)(self.type(text, frame), frame)
        if is_list(value):  # `return {p, free}`
            return self.constructed(type_, list(value.memory.objects.values()), frame, zeroed=True)
        return Cell(convert(self, value, type_), type_) if type_.format or type_.is_pointer else Cell(value)

    def _of_instance(self, bound: dict[str, object]) -> dict[str, object]:
        """Return the arguments of a function template, or those that replace them."""
        before, after = self._instance
        if not bound or [str(value) for value in bound.values()] != list(before[: len(bound)]):
            return bound
        return {name: int(text) if text.isdecimal() else text for name, text in zip(bound, after, strict=False)}

    def pass_argument(self, frame: HostFrame, item: Node, given: Reference | None) -> None:
        """Make a parameter of a function a variable of its frame; without an argument, with its default value."""
        declarator = item.child_by_field_name("declarator")
        name = declared_name(declarator)
        text = text_of(item.child_by_field_name("type"))
        if given is None:
            value = default_of(self.program, item)
            given = Cell(self.expression(value)(frame) if value is not None else UNKNOWN)
        if is_reference(declarator):
            frame.variables[name] = given
            return
        type_ = shape_of(self, declarator)(self.type(text, frame), frame) if text != "auto" else UNKNOWN_TYPE
        if type_.is_array and type_.target is not None:
            type_ = HostType(f"{type_.target.name} *", 8, "", type_.target)
        frame.variables[name] = Cell(convert(self, given.load(), type_), type_)

    def run(self, begin: Callable[[], object], given: HostInput, *, forced: bool, is_whole: bool = False) -> HostState:
        """Run code, of the whole program or of a function in it, until it ends, and return what it did."""
        self.state = state = HostState(given, forced=forced, is_whole=is_whole, budget=self.budget)
        with suppress(HostStop, RecursionError):
            begin()
        return state


def _dims(values: Sequence[object]) -> object:
    if len(values) == 1 and not isinstance(values[0], int | float):
        return values[0]
    numbers = [
        int(value) & 0xFFFFFFFF if isinstance(value, int | float) and isfinite(value) else UNKNOWN for value in values
    ]
    x, y, z = [*numbers, 1, 1, 1][:3]
    return (x, y, z)

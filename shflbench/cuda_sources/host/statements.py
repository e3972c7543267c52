"""Statements of host code, each as a function of the frame that returns how it was left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.declarations import declaration, is_reference
from shflbench.cuda_sources.host.flow import HostReturn, Left, find_changes, nothing, reads_words
from shflbench.cuda_sources.host.host_loops import loop_statement, range_loop
from shflbench.cuda_sources.host.machine import HostFrame, HostStop
from shflbench.cuda_sources.host.open_conditions import open_condition
from shflbench.cuda_sources.host.untaken_branches import note_branch, note_choice
from shflbench.cuda_sources.host.values import UNKNOWN, Cell
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import nodes_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.flow import Outcome, Statement
    from shflbench.cuda_sources.host.interface import HostRun

_COMPARISONS = frozenset({"binary_expression"})
_VARIABLES = frozenset({"identifier", "field_expression", "qualified_identifier"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_LEAVING = frozenset({"exit", "abort", "_exit", "quick_exit", "std::exit", "std::abort", "usage", "Usage"})


def _block(run: HostRun, node: Node) -> Statement:
    parts = [run.statement(item) for item in items(node)]

    def block(frame: HostFrame) -> Outcome:
        before = dict(frame.variables)
        for part in parts:
            outcome: Outcome = part(frame)
            if outcome is not None:
                break
        else:
            outcome = None
        inner = frame.variables
        frame.variables = {name: before.get(name, cell) for name, cell in inner.items() if name in before}
        return outcome

    return block


def _expression(run: HostRun, node: Node) -> Statement:
    parts = [run.expression(item) for item in items(node)]

    def statement(frame: HostFrame) -> None:
        for part in parts:
            part(frame)

    return statement


def _return(run: HostRun, node: Node) -> Statement:
    inside = items(node)
    if not inside:
        return lambda frame: HostReturn(None)  # noqa: ARG005
    if _returns_reference(node):
        place = run.reference(inside[0])

        def reference(frame: HostFrame) -> Outcome:
            known = place(frame)
            return HostReturn(known.load(), known)

        return reference
    value = run.expression(inside[0])
    return lambda frame: HostReturn(value(frame))


def _returns_reference(node: Node) -> bool:
    """Whether the function around a statement returns a reference."""
    outer = node.parent
    while outer is not None and outer.type not in {"function_definition", "lambda_expression"}:
        outer = outer.parent
    return outer is not None and is_reference(outer.child_by_field_name("declarator"))


def _if(run: HostRun, node: Node) -> Statement:
    condition = run.condition(node.child_by_field_name("condition"))
    first, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if other is not None and other.type == "else_clause":
        other = next(iter(items(other)), None)
    then = run.statement(first) if first is not None else nothing
    alternative = run.statement(other) if other is not None else nothing
    leaves = first is not None and always_leaves(first)
    parts = [part for part in (first, other) if part is not None]
    effects = [part for part in parts if run.program.has_effects(part) or reads_words(part)]
    launching = [part for part in effects if run.launches(part)]
    scalars = [item for part in parts for item in find_changes(part, run.kernels)]
    note = _noting(run, node.child_by_field_name("condition"), [part == first for part in launching])

    def branch(frame: HostFrame) -> Outcome:
        value = condition(frame)
        note(frame, value)
        if run.state.forced and launching:
            outcomes = []
            for part in launching:
                with run.state.taken(holds=value is UNKNOWN or value is (part == first)):
                    outcomes.append(then(frame) if part == first else alternative(frame))
            return outcomes[0] if len(outcomes) == 1 else None
        if value is not UNKNOWN:
            return then(frame) if value else alternative(frame)
        if leaves and not launching:
            return alternative(frame)
        outcome = None
        for part in effects:
            with run.state.may_run():
                outcome = then(frame) if part == first else alternative(frame)
        if not effects:
            run.forget(scalars, frame)
        return outcome if len(effects) == 1 and other is not None else None

    return branch


def _noting(run: HostRun, condition: Node | None, launching: Sequence[bool]) -> Callable[[HostFrame, object], None]:
    """Return what notes how the branches of a condition that launch, where it holds or does not, would run."""
    labels = _equal_numbers(run, condition) if launching else []

    def note(frame: HostFrame, value: object) -> None:
        run.state.labels.update(number for label in labels if isinstance(number := label(frame), int))
        if value is not UNKNOWN and not run.state.forced and any(holds is not value for holds in launching):
            note_branch(run, condition, holds=not value)

    return note


def _equal_numbers(run: HostRun, condition: Node | None) -> list[Callable[[HostFrame], object]]:
    """Return the constants with which a condition asks whether something is equal: `threads == 128`."""
    compared = nodes_of(condition, _COMPARISONS) if condition is not None else []
    equal = [item for item in compared if text_of(item.child_by_field_name("operator")) == "=="]
    operands = [item.child_by_field_name(side) for item in equal for side in ("left", "right")]
    return [run.expression(item) for item in operands if item is not None and item.type == "number_literal"]


def always_leaves(node: Node) -> bool:
    """Whether a branch always ends the function or the program."""
    last = node
    while last.type == "compound_statement" and items(last):
        last = items(last)[-1]
    if last.type in {"return_statement", "throw_statement", "break_statement", "continue_statement"}:
        return True
    statements = items(node) if node.type == "compound_statement" else [node]
    calls = [inner for item in statements if item.type == "expression_statement" for inner in items(item)]
    return any(
        call.type == "call_expression" and text_of(call.child_by_field_name("function")) in _LEAVING for call in calls
    )


def _switch(run: HostRun, node: Node) -> Statement:
    clause = node.child_by_field_name("condition")
    inside = items(clause)[-1] if clause is not None else None
    condition = run.expression(inside) if inside is not None else lambda frame: UNKNOWN  # noqa: ARG005
    cases = _Cases(run, node, inside)
    is_launching = any(case.launches for case in cases.listed)
    options = [case for case in cases.listed if run.program.has_effects(case.node) or reads_words(case.node)]

    def switch(frame: HostFrame) -> Outcome:
        value = condition(frame)
        if is_launching:
            run.state.labels.update(cases.labels(frame))
            if run.state.forced or value is UNKNOWN:
                cases.run_launching(frame, value)
                return None
        if value is UNKNOWN:
            for case in options:  # as for an option that the command line has
                with run.state.may_run():
                    cases.run_from(case, frame)
            if not options:
                run.forget(find_changes(node, run.kernels), frame)
            return None
        cases.note_others(value, frame)
        start = cases.selected(value, frame)
        return cases.run_from(start, frame) if start is not None else None

    return switch


@dataclass(frozen=True, slots=True)
class _Case:
    """One case of a `switch`, or its default."""

    node: Node
    place: int
    label: Callable[[HostFrame], object] | None  # None of the default
    parts: list[Statement]
    launches: bool


class _Cases:
    """The cases of a `switch` over an expression."""

    def __init__(self, run: HostRun, node: Node, switched: Node | None) -> None:
        self._run = run
        self.listed = [_case(run, item, place) for place, item in enumerate(_case_nodes(node))]
        is_place = switched is not None and switched.type in _VARIABLES
        self._variable = run.reference(switched) if switched is not None and is_place else None
        self._name = text_of(switched) if switched is not None and switched.type == "identifier" else ""
        self._selects = switched is not None and run.program.selects(text_of(switched))

    def labels(self, frame: HostFrame) -> Iterator[int]:
        """Yield the numbers that select a case which launches."""
        for case in self.listed:
            value = case.label(frame) if case.launches and case.label is not None else UNKNOWN
            if isinstance(value, int):
                yield value

    def selected(self, value: object, frame: HostFrame) -> _Case | None:
        """Return the case of a value."""
        matching = (case for case in self.listed if case.label is not None and case.label(frame) == value)
        return next(matching, next((case for case in self.listed if case.label is None), None))

    def note_others(self, value: object, frame: HostFrame) -> None:
        """Note with which numbers the cases would run that another value selects."""
        for label in self.labels(frame) if self._name else ():
            if label != value:
                note_choice(self._run, {self._name: label})

    def run_launching(self, frame: HostFrame, value: object) -> None:
        """Run each case that launches, as a program of its own, in which the expression has the value of the label."""
        state = self._run.state
        variable = self._variable(frame) if self._variable is not None else Cell()
        for case in self.listed:
            if not case.launches:
                continue
            wanted = case.label(frame) if case.label is not None else UNKNOWN
            holds = self._selects or value is UNKNOWN or wanted == value
            if wanted is not UNKNOWN:
                variable.store(wanted)
            with state.taken(holds=holds), state.may_run():
                self.run_from(case, frame)
            variable.store(value)

    def run_from(self, case: _Case, frame: HostFrame) -> Outcome:
        """Run a case and those behind it, until one ends the `switch`."""
        for other in self.listed[case.place :]:
            for part in other.parts:
                outcome: Outcome = part(frame)
                if outcome is Left.BREAK:
                    return None
                if outcome is not None:
                    return outcome
        return None


def _case_nodes(node: Node) -> list[Node]:
    return [item for item in items(node.child_by_field_name("body")) if item.type == "case_statement"]


def _case(run: HostRun, node: Node, place: int) -> _Case:
    label = node.child_by_field_name("value")
    parts = [run.statement(item) for item in items(node) if label is None or item.id != label.id]
    return _Case(node, place, run.expression(label) if label is not None else None, parts, run.launches(node))


def _alias(run: HostRun, node: Node) -> Statement:  # noqa: ARG001  (a handler)
    """Return what `using name = type` does in a function."""
    name, type_ = text_of(node.child_by_field_name("name")), text_of(node.child_by_field_name("type"))
    return _named_type(name, type_)


def _typedef(run: HostRun, node: Node) -> Statement:  # noqa: ARG001  (a handler)
    declarator = node.child_by_field_name("declarator")
    stars = "*" * text_of(declarator).count("*")
    return _named_type(declared_name(declarator), f"{text_of(node.child_by_field_name('type'))} {stars}".strip())


def _named_type(name: str, type_: str) -> Statement:
    def statement(frame: HostFrame) -> None:
        text = _WORD.sub(lambda match: str(frame.bound.get(match[0], match[0])), type_)
        frame.bound = {**frame.bound, name: text}

    return statement


def _try(run: HostRun, node: Node) -> Statement:
    body = node.child_by_field_name("body")
    return run.statement(body) if body is not None else nothing


def _first(run: HostRun, node: Node) -> Statement:
    """Return what follows a label or an attribute."""
    parts = [run.statement(item) for item in items(node) if not item.type.endswith(("identifier", "attribute"))]

    def statement(frame: HostFrame) -> Outcome:
        for part in parts:
            outcome: Outcome = part(frame)
            if outcome is not None:
                return outcome
        return None

    return statement


def _throw(run: HostRun, node: Node) -> Statement:  # noqa: ARG001  (a handler)
    def statement(frame: HostFrame) -> None:  # noqa: ARG001
        raise HostStop

    return statement


STATEMENTS: Mapping[str, Callable[[Any, Node], Statement]] = {
    "compound_statement": _block,
    "expression_statement": _expression,
    "declaration": declaration,
    "return_statement": _return,
    "if_statement": _if,
    "for_statement": loop_statement,
    "while_statement": loop_statement,
    "do_statement": loop_statement,
    "for_range_loop": range_loop,
    "switch_statement": _switch,
    "try_statement": _try,
    "throw_statement": _throw,
    "alias_declaration": _alias,
    "type_definition": _typedef,
    "labeled_statement": _first,
    "attributed_statement": _first,
    "preproc_if": open_condition,
    "preproc_ifdef": open_condition,
    "break_statement": lambda run, node: lambda frame: Left.BREAK,  # noqa: ARG005
    "continue_statement": lambda run, node: lambda frame: Left.CONTINUE,  # noqa: ARG005
}

"""Statements of host code, each as a function of the frame that returns how it was left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.declarations import declaration, is_reference
from shflbench.cuda_sources.host.flow import HostReturn, Left, find_changes, nothing, reads_words
from shflbench.cuda_sources.host.host_loops import loop_statement, range_loop
from shflbench.cuda_sources.host.machine import HostFrame, HostStop
from shflbench.cuda_sources.host.open_conditions import open_condition
from shflbench.cuda_sources.host.values import UNKNOWN
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.host.flow import Outcome, Statement
    from shflbench.cuda_sources.host.interface import HostRun

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

    def branch(frame: HostFrame) -> Outcome:
        value = condition(frame)
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


def _switch(run: HostRun, node: Node) -> Statement:  # noqa: C901  (the parts of a switch)
    clause = node.child_by_field_name("condition")
    condition = run.expression(items(clause)[-1]) if clause is not None else lambda frame: UNKNOWN  # noqa: ARG005
    body = node.child_by_field_name("body")
    cases = [item for item in items(body) if item.type == "case_statement"]
    labels = [item.child_by_field_name("value") for item in cases]
    values = [run.expression(item) if item is not None else None for item in labels]
    parts = [
        [run.statement(item) for item in items(case) if label is None or item.id != label.id]
        for case, label in zip(cases, labels, strict=True)
    ]
    effects = [run.launches(case) for case in cases]
    options = [index for index, case in enumerate(cases) if run.program.has_effects(case) or reads_words(case)]
    selects = clause is not None and run.program.selects(text_of(items(clause)[-1]))

    def from_case(start: int, frame: HostFrame) -> Outcome:
        for group in parts[start:]:
            for part in group:
                outcome: Outcome = part(frame)
                if outcome is Left.BREAK:
                    return None
                if outcome is not None:
                    return outcome
        return None

    def switch(frame: HostFrame) -> Outcome:
        value = condition(frame)
        if any(effects) and (run.state.forced or value is UNKNOWN):  # each case is a program of its own
            for index, label in enumerate(values):
                wanted = label(frame) if label is not None else UNKNOWN
                if effects[index]:
                    holds = selects or value is UNKNOWN or wanted == value
                    with run.state.taken(holds=holds), run.state.may_run():
                        from_case(index, frame)
            return None
        if value is UNKNOWN:
            for index in options:  # as for an option that the command line has
                with run.state.may_run():
                    from_case(index, frame)
            if not options:
                run.forget(find_changes(node, run.kernels), frame)
            return None
        start = next((i for i, item in enumerate(values) if item is not None and item(frame) == value), None)
        if start is None:
            start = next((i for i, item in enumerate(values) if item is None), None)
        return from_case(start, frame) if start is not None else None

    return switch


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

"""Statements of host code, each as a function of the frame that returns how it was left."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from shflbench.checker.sources.host.declarations import declaration, note_number
from shflbench.checker.sources.host.library import READERS
from shflbench.checker.sources.host.machine import (
    MOST_ITERATIONS,
    MOST_LAUNCHING,
    MOST_REPEATING,
    HostFrame,
    HostStop,
    LoopLimit,
)
from shflbench.checker.sources.host.program import called_name, items
from shflbench.checker.sources.host.types import UNKNOWN_TYPE
from shflbench.checker.sources.host.values import UNKNOWN, Cell, HostElement, Pointer, Structure
from shflbench.checker.sources.scopes import declared_name
from shflbench.checker.sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from shflbench.checker.sources.host.interface import HostRun


class Left(Enum):
    """How a statement was left, if not at its end."""

    BREAK = "break"
    CONTINUE = "continue"


class HostReturn:
    """A `return` with its value."""

    def __init__(self, value: object) -> None:
        """Keep the value."""
        self.value = value


Outcome: TypeAlias = Left | HostReturn | None
Statement: TypeAlias = Callable[[HostFrame], Outcome]
_LEAVING = frozenset({"exit", "abort", "_exit", "quick_exit", "std::exit", "std::abort", "usage", "Usage"})
# Members of containers that change the number of elements.
RESIZING = frozenset(
    {"assign", "clear", "emplace", "emplace_back", "erase", "insert", "pop_back", "push_back", "resize", "swap"}
)


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


def expression_statement(value: Callable[[HostFrame], object]) -> Statement:
    """Return an expression as a statement."""

    def statement(frame: HostFrame) -> None:
        value(frame)

    return statement


def _return(run: HostRun, node: Node) -> Statement:
    inside = items(node)
    value = run.expression(inside[0]) if inside else None
    return lambda frame: HostReturn(value(frame) if value is not None else None)


def _if(run: HostRun, node: Node) -> Statement:
    condition = run.condition(node.child_by_field_name("condition"))
    first, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if other is not None and other.type == "else_clause":
        other = next(iter(items(other)), None)
    then = run.statement(first) if first is not None else _nothing
    alternative = run.statement(other) if other is not None else _nothing
    leaves = first is not None and always_leaves(first)
    parts = [part for part in (first, other) if part is not None]
    effects = [part for part in parts if run.program.has_effects(part) or _reads_words(part)]
    launching = [part for part in effects if run.launches(part)]
    scalars = [item for part in parts for item in changed(part)]

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


def _reads_words(node: Node) -> bool:
    """Whether code reads numbers of the command line, as for an option that it knows."""
    return any(
        item.type == "call_expression" and called_name(item.child_by_field_name("function")) in READERS
        for item in walk(node)
    )


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


def _loop(run: HostRun, node: Node) -> Statement:
    first = node.child_by_field_name("initializer")
    begin: Statement = _nothing
    if first is not None:
        begin = run.statement(first) if first.type == "declaration" else expression_statement(run.expression(first))
    effects = run.program.has_effects(node)
    options = "argc" in text_of(node.child_by_field_name("condition")) and _reads_words(node)
    scalars = changed(node)
    body = node.child_by_field_name("body")
    inside = run.statement(body) if body is not None else _nothing
    has_given_number = first is not None and not run.numbers.keys().isdisjoint(_declared(first))
    iterate = _once(inside) if has_given_number else _iterations(run, node, inside, scalars, effects=effects)

    def loop(frame: HostFrame) -> Outcome:
        before = dict(frame.variables)
        try:
            begin(frame)
            if effects or options or run.state.loop_steps is not None:
                return iterate(frame)
            largest = run.state.given.largest
            if largest >= run.long_loops.get(node.id, largest + 1):
                run.forget(scalars, frame)
                return None
            run.state.loop_steps = 0
            try:
                return iterate(frame)
            except LoopLimit:
                run.long_loops[node.id] = largest
                run.forget(scalars, frame)
                return None
            finally:
                run.state.loop_steps = None
        finally:
            frame.variables = {name: before.get(name, cell) for name, cell in frame.variables.items() if name in before}

    return loop


def _declared(node: Node) -> set[str]:
    """Return the variables that the first part of a loop declares."""
    return {declared_name(item) for item in node.children_by_field_name("declarator")}


def _once(inside: Statement) -> Statement:
    """Return the only iteration of a loop for whose variable a number is given."""

    def iterate(frame: HostFrame) -> Outcome:
        outcome = inside(frame)
        return outcome if isinstance(outcome, HostReturn) else None

    return iterate


def _iterations(
    run: HostRun, node: Node, inside: Statement, scalars: Sequence[tuple[str, bool]], *, effects: bool
) -> Statement:
    condition = run.condition(node.child_by_field_name("condition"))
    following = node.child_by_field_name("update")
    update = run.expression(following) if following is not None else None
    at_end = node.type == "do_statement"

    def iterate(frame: HostFrame) -> Outcome:
        count, most, long = 0, MOST_LAUNCHING, run.state.steps + MOST_REPEATING
        while True:
            value = condition(frame) if count or not at_end else True
            if value is UNKNOWN or (effects and value and count >= most):
                outcome = inside(frame) if effects and not count else None
                if run.launches(node):
                    run.state.cut()
                run.forget(scalars, frame)
                return outcome if isinstance(outcome, HostReturn) else None
            if not value:
                return None
            count += 1
            run.state.step()
            launches, different = run.state.launches, len(run.state.different)
            outcome = inside(frame)
            if outcome is Left.BREAK:
                return None
            if isinstance(outcome, HostReturn):
                return outcome
            if run.state.steps > long and run.state.launches > launches and len(run.state.different) == different:
                most = count
            if update is not None:
                update(frame)

    return iterate


def _range_loop(run: HostRun, node: Node) -> Statement:
    name = declared_name(node.child_by_field_name("declarator"))
    values = node.child_by_field_name("right")
    sequence = run.expression(values) if values is not None else None
    listed = [run.expression(item) for item in items(values)] if values is not None else []
    is_list = values is not None and values.type == "initializer_list"
    body = node.child_by_field_name("body")
    inside = run.statement(body) if body is not None else _nothing
    scalars = changed(node)
    given_number = run.numbers.get(name)

    def loop(frame: HostFrame) -> Outcome:
        cells: list[Cell | HostElement] | None
        whole = sequence(frame) if sequence is not None and not is_list else None
        cells = [Cell(item(frame)) for item in listed] if is_list else _elements(whole)
        whole_is_unknown = cells is None
        if cells is None:
            cells = [Cell(UNKNOWN)]
            run.forget(scalars, frame)
            if isinstance(whole, Structure | Pointer) and whole.memory is not None:
                whole.memory.forget()  # the body may change each element
        elif note_number(run, name, [cell.load() for cell in cells], node) and given_number is not None:
            cells = [Cell(given_number)]
        before = dict(frame.variables)
        most = MOST_LAUNCHING if run.program.has_effects(node) else None
        if run.launches(node) and (whole_is_unknown or len(cells) > MOST_LAUNCHING):
            run.state.cut()
        for cell in cells[:most]:
            run.state.step()
            frame.variables[name] = cell
            outcome = inside(frame)
            if outcome is Left.BREAK:
                break
            if isinstance(outcome, HostReturn):
                return outcome
        frame.variables = before
        return None

    return loop


def _elements(value: object) -> list[Cell | HostElement] | None:
    """Return the elements of an array or a vector; None if they are unknown, or too many for a loop."""
    memory = value.memory if isinstance(value, Structure | Pointer) else None
    element = value.element if isinstance(value, Structure) else getattr(value, "target", UNKNOWN_TYPE)
    size = memory.size if memory is not None else None
    if memory is None or size is None or not element.size or size // element.size > MOST_ITERATIONS:
        return None
    return [HostElement(memory, offset, element) for offset in range(0, size, element.size)]


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
    options = [index for index, case in enumerate(cases) if run.program.has_effects(case) or _reads_words(case)]
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
                run.forget(changed(node), frame)
            return None
        start = next((i for i, item in enumerate(values) if item is not None and item(frame) == value), None)
        if start is None:
            start = next((i for i, item in enumerate(values) if item is None), None)
        return from_case(start, frame) if start is not None else None

    return switch


def _try(run: HostRun, node: Node) -> Statement:
    body = node.child_by_field_name("body")
    return run.statement(body) if body is not None else _nothing


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


def _preprocessed(run: HostRun, node: Node) -> Statement:
    taken = run.taken(node)
    parts = [run.statement(item) for item in taken]

    def statement(frame: HostFrame) -> Outcome:
        for part in parts:
            outcome: Outcome = part(frame)
            if outcome is not None:
                return outcome
        return None

    return statement


def _nothing(frame: HostFrame) -> None:  # noqa: ARG001  (a statement)
    return None


def _throw(run: HostRun, node: Node) -> Statement:  # noqa: ARG001  (a handler)
    def statement(frame: HostFrame) -> None:  # noqa: ARG001
        raise HostStop

    return statement


def changed(node: Node) -> list[tuple[str, bool]]:
    """Return the variables that code may change, and whether it changes only what they point to.

    A vector that gets another number of elements changes itself.
    """
    names: dict[tuple[str, bool], None] = {}
    for item in walk(node):
        target = None
        if item.type == "assignment_expression":
            target = item.child_by_field_name("left")
        elif item.type == "update_expression" or (item.type == "pointer_expression" and text_of(item)[:1] == "&"):
            target = item.child_by_field_name("argument")
        elif item.type == "binary_expression" and text_of(item.child_by_field_name("operator")) == ">>":
            target = item.child_by_field_name("right")
        elif item.type == "call_expression":
            listed = item.child_by_field_name("arguments")
            for argument in items(listed):
                names.update({(text_of(one), True): None for one in walk(argument) if one.type == "identifier"})
            function = item.child_by_field_name("function")
            if function is not None and function.type == "field_expression":
                member = text_of(function.child_by_field_name("field"))
                names[text_of(function.child_by_field_name("argument")), member not in RESIZING] = None
            continue
        if target is not None:
            indirect = target.type in {"subscript_expression", "pointer_expression", "field_expression"}
            root = next((one for one in walk(target) if one.type in {"identifier", "this"}), None)
            names[text_of(root), indirect] = None
    return list(names)


STATEMENTS: Mapping[str, Callable[[Any, Node], Statement]] = {
    "compound_statement": _block,
    "expression_statement": _expression,
    "declaration": declaration,
    "return_statement": _return,
    "if_statement": _if,
    "for_statement": _loop,
    "while_statement": _loop,
    "do_statement": _loop,
    "for_range_loop": _range_loop,
    "switch_statement": _switch,
    "try_statement": _try,
    "throw_statement": _throw,
    "labeled_statement": _first,
    "attributed_statement": _first,
    "preproc_if": _preprocessed,
    "preproc_ifdef": _preprocessed,
    "break_statement": lambda run, node: lambda frame: Left.BREAK,  # noqa: ARG005
    "continue_statement": lambda run, node: lambda frame: Left.CONTINUE,  # noqa: ARG005
}

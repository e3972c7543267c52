"""Loops of host code: those that only compute are followed for a while, those that use the device a few times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.declarations import is_reference, note_number
from shflbench.cuda_sources.host.flow import (
    HostReturn,
    Left,
    expression_statement,
    find_changes,
    nothing,
    reads_words,
)
from shflbench.cuda_sources.host.machine import (
    MOST_ALIKE,
    MOST_ITERATIONS,
    MOST_LAUNCHING,
    MOST_REPEATING,
    LongLoop,
    LoopLimit,
)
from shflbench.cuda_sources.host.records import bind, bound_names
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, HostElement, Pointer, Structure
from shflbench.cuda_sources.scopes import declared_name
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.flow import Outcome, Statement
    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame
    from shflbench.cuda_sources.host.values import Memory


def loop_statement(run: HostRun, node: Node) -> Statement:
    """Return a `for`, `while` or `do` loop."""
    first = node.child_by_field_name("initializer")
    begin: Statement = nothing
    if first is not None:
        begin = run.statement(first) if first.type == "declaration" else expression_statement(run.expression(first))
    effects = run.program.has_effects(node)
    options = "argc" in text_of(node.child_by_field_name("condition")) and reads_words(node)
    scalars = find_changes(node, run.kernels)
    body = node.child_by_field_name("body")
    inside = run.statement(body) if body is not None else nothing
    has_given_number = first is not None and not run.numbers.keys().isdisjoint(_declared(first))
    iterate = _once(inside) if has_given_number else _iterations(run, node, inside, scalars, effects=effects)

    def loop(frame: HostFrame) -> Outcome:
        before = dict(frame.variables)
        try:
            begin(frame)
            if effects or options or run.state.loop_steps is not None:
                return iterate(frame)
            largest = run.state.given.largest
            long = run.long_loops.get(node.id)
            if long is not None and largest >= long.largest:
                run.forget(scalars, frame, long.first)
                return None
            run.state.loop_steps = 0
            try:
                return iterate(frame)
            except LoopLimit:
                memories = {name: run.memory(name, frame) for name, _ in scalars}
                first = {name: memory.first_bytes() for name, memory in memories.items() if memory is not None}
                run.long_loops[node.id] = LongLoop(largest, first)
                run.forget(scalars, frame, first)
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
    at_end, nodes = node.type == "do_statement", node.descendant_count

    def iterate(frame: HostFrame) -> Outcome:
        count, most, long, alike = 0, MOST_LAUNCHING, run.state.steps + MOST_REPEATING, 0
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
            run.state.step(nodes)
            launches, different = run.state.launches, len(run.state.different)
            outcome = inside(frame)
            if outcome is Left.BREAK:
                return None
            if isinstance(outcome, HostReturn):
                return outcome
            repeats = run.state.launches > launches and len(run.state.different) == different
            alike = alike + 1 if repeats else 0
            if run.state.steps > long and alike == MOST_ALIKE:
                most = count
            if update is not None:
                update(frame)

    return iterate


def range_loop(run: HostRun, node: Node) -> Statement:
    """Return a loop over the elements of an array or a vector."""
    declarator = node.child_by_field_name("declarator")
    refers, name, names = is_reference(declarator), declared_name(declarator), bound_names(declarator)
    values = node.child_by_field_name("right")
    sequence = run.expression(values) if values is not None else None
    listed = [run.expression(item) for item in items(values)] if values is not None else []
    is_list = values is not None and values.type == "initializer_list"
    body = node.child_by_field_name("body")
    inside = run.statement(body) if body is not None else nothing
    scalars, effects = find_changes(node, run.kernels), run.program.has_effects(node)
    has_launches, nodes = run.launches(node), node.descendant_count
    is_size = has_launches and (name, False) not in scalars  # else an element of data
    given_number = run.numbers.get(name) if is_size else None

    def loop(frame: HostFrame) -> Outcome:
        cells: list[Cell | HostElement] | None
        whole = sequence(frame) if sequence is not None and not is_list else None
        cells = [Cell(item(frame)) for item in listed] if is_list else _elements(whole)
        changed = _memory(whole) if refers else None
        is_part = cells is not None and len(cells) > MOST_ITERATIONS
        whole_is_unknown = cells is None or (is_part and effects)
        if cells is None or whole_is_unknown:
            cells = [Cell(UNKNOWN)]
            run.forget(scalars, frame)
        elif is_size and note_number(run, name, [cell.load() for cell in cells[:MOST_ITERATIONS]], node):
            cells = cells if given_number is None else [Cell(given_number)]
        if (whole_is_unknown or is_part) and changed is not None:
            changed.forget()  # the body may change each element
        before = dict(frame.variables)
        most = MOST_LAUNCHING if effects else MOST_ITERATIONS
        if has_launches and (whole_is_unknown or len(cells) > MOST_LAUNCHING):
            run.state.cut()
        for cell in cells[:most]:
            run.state.step(nodes)
            place = cell if refers else Cell(cell.load())
            frame.variables.update(bind(names, place) if names else {name: place})
            outcome = inside(frame)
            if outcome is Left.BREAK:
                break
            if isinstance(outcome, HostReturn):
                return outcome
        frame.variables = before
        if is_part:
            _forget_rest(run, scalars, frame, changed)
        return None

    return loop


def _elements(value: object) -> list[Cell | HostElement] | None:
    """Return the elements of an array or a vector, of too many for a loop one more; None if they are unknown."""
    memory = _memory(value)
    element = value.element if isinstance(value, Structure) else getattr(value, "target", UNKNOWN_TYPE)
    size = memory.size if memory is not None else None
    stride = value.stride if isinstance(value, Structure) else element.stride
    if memory is None or size is None or stride is None:
        return None
    places = range(0, size, stride)[: MOST_ITERATIONS + 1]
    return [HostElement(memory, offset, element) for offset in places]


def _memory(value: object) -> Memory | None:
    return value.memory if isinstance(value, Structure | Pointer) else None


def _forget_rest(run: HostRun, scalars: Sequence[tuple[str, bool]], frame: HostFrame, changed: Memory | None) -> None:
    """Take what further iterations would change as unknown."""
    run.forget(scalars, frame)
    if changed is not None:
        changed.forget_rest()

"""Conditions of the preprocessor that the files do not decide: each branch may be compiled, and none is certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.flow import find_changes
from shflbench.cuda_sources.host.values import UNKNOWN, Pointer, Structure
from shflbench.cuda_sources.scopes import declared_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.flow import Outcome, Statement
    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

_ELSE = "preproc_else"


def open_condition(run: HostRun, node: Node) -> Statement:
    """Return what the branches of an `#if` do: variables that differ after them, or whose contents do, are unknown."""
    listed = list(_branches(node))
    branches = [[run.statement(item) for item in part] for _, part in listed]
    has_else = listed[-1][0] == _ELSE
    changes = [change for _, part in listed for item in part for change in find_changes(item, run.kernels)]
    names = dict.fromkeys(
        [
            *(name for name, indirect in changes if not indirect),
            *(name for _, part in listed for name in _declared(part)),
        ]
    )

    def statement(frame: HostFrame) -> Outcome:
        run.program.undecided.conditions[node.id] = node
        before = _values(run, frame, names)
        after, outcomes = [] if has_else else [before], []
        for branch in branches:
            for name, value in before.items():
                _store(run, frame, name, value)
            with run.state.may_run():
                outcomes.append(_outcome(branch, frame))
            after.append(_values(run, frame, names))
        for name in names:
            values = [known[name] for known in after if name in known]
            if not all(_is_alike(value, values[0]) for value in values):
                _store(run, frame, name, UNKNOWN)
        run.forget([change for change in changes if change[1]], frame)
        return outcomes[0] if has_else and None not in outcomes else None

    return statement


def _branches(node: Node) -> Iterator[tuple[str, list[Node]]]:
    """Yield the kinds and the statements of the branches."""
    other = node.child_by_field_name("alternative")
    beside = {
        part.id for part in (node.child_by_field_name("condition"), node.child_by_field_name("name"), other) if part
    }
    yield node.type, [item for item in items(node) if item.id not in beside]
    if other is not None:
        yield from _branches(other)


def _declared(part: Sequence[Node]) -> Iterator[str]:
    for node in part:
        if node.type == "declaration":
            yield from map(declared_name, node.children_by_field_name("declarator"))


def _outcome(branch: Sequence[Statement], frame: HostFrame) -> Outcome:
    for part in branch:
        outcome = part(frame)
        if outcome is not None:
            return outcome
    return None


def _values(run: HostRun, frame: HostFrame, names: Iterable[str]) -> dict[str, object]:
    places = ((name, frame.variables.get(name) or run.state.globals.get(name)) for name in names)
    return {name: place.load() for name, place in places if place is not None}


def _store(run: HostRun, frame: HostFrame, name: str, value: object) -> None:
    place = frame.variables.get(name) or run.state.globals.get(name)
    if place is not None:
        place.store(value)


def _is_alike(one: object, other: object) -> bool:
    """Whether a launch would get the same sizes from two values."""
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return (one.offset, one.memory.size) == (other.offset, other.memory.size)
    if isinstance(one, Structure) and isinstance(other, Structure) and one.memory is not None:
        return other.memory is not None and one.memory.size == other.memory.size
    if isinstance(one, int | float | tuple):
        return one == other
    return one is other

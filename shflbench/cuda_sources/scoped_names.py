"""The declarators of one name in a file, by the scopes that they are visible in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node


@dataclass(slots=True)
class _Scope:
    """One scope with the declarators of the name."""

    start: int
    end: int
    outer: int  # the place of the next scope around it among those of the name, -1 if there is none
    declarators: list[Node] = field(default_factory=list)


class ScopedName:
    """Finds the declarators that a use of the name refers to, in a time that hardly depends on their number."""

    def __init__(self, declared: Iterable[tuple[Node, Node]]) -> None:
        """Take pairs of a scope and a declarator in it."""
        scopes: dict[int, _Scope] = {}
        for scope, declarator in declared:
            known = scopes.setdefault(scope.id, _Scope(scope.start_byte, scope.end_byte, -1))
            known.declarators.append(declarator)
        self._scopes = sorted(scopes.values(), key=lambda scope: (scope.start, -scope.end))
        self._bounds: list[int] = []  # bytes from which on another scope is the innermost one
        self._inner: list[int] = []  # that scope
        self._order()

    def _order(self) -> None:
        around: list[int] = []
        for place, scope in enumerate(self._scopes):
            self._leave(around, scope.start)
            scope.outer = around[-1] if around else -1
            around.append(place)
            self._mark(scope.start, place)
        while around:
            self._leave(around, self._scopes[around[-1]].end)

    def _leave(self, around: list[int], position: int) -> None:
        """Leave the scopes that end before a position."""
        while around and self._scopes[around[-1]].end <= position:
            last = self._scopes[around.pop()]
            self._mark(last.end, last.outer)

    def _mark(self, position: int, place: int) -> None:
        self._bounds.append(position)
        self._inner.append(place)

    def at(self, use: Node) -> list[Node]:
        """Return the declarators of the innermost scope around a use that has one before it."""
        index = bisect_right(self._bounds, use.start_byte) - 1
        place = self._inner[index] if index >= 0 else -1
        while place >= 0:
            scope = self._scopes[place]
            known = [item for item in scope.declarators if item.start_byte <= use.start_byte]
            if known and use.end_byte <= scope.end:
                return known
            place = scope.outer
        return []

"""The values of a YAML document that know the line and column of everything in them, and how to find those."""

from __future__ import annotations

from typing import NamedTuple

Loc = tuple[str | int, ...]  # keys and list indices from the top of the document, as pydantic reports them


class Place(NamedTuple):
    """A line and a column, both from 1."""

    line: int
    column: int


def place_behind(before: str) -> Place:
    """Return the place of what follows the text `before`."""
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


class Entries(dict[str, object]):
    """A mapping; its keys and values have the places where they are written, merged ones that of their origin."""

    def __init__(self, place: Place) -> None:
        """Begin an empty mapping at `place`."""
        super().__init__()
        self.place = place
        self.keys_at: dict[str, Place] = {}
        self.values_at: dict[str, Place] = {}

    def enter(self, key: str, value: object, key_at: Place, value_at: Place) -> None:
        """Put in one entry."""
        self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at

    def merge(self, other: Entries) -> None:
        """Put in those entries of `other` whose key is not there yet."""
        for key, value in other.items():
            if key not in self:
                self.enter(key, value, other.keys_at[key], other.values_at[key])


class Items(list[object]):
    """A list; its items have the places where they are written."""

    def __init__(self, place: Place) -> None:
        """Begin an empty list at `place`."""
        super().__init__()
        self.place = place
        self.values_at: list[Place] = []

    def add(self, value: object, place: Place) -> None:
        """Put in one more item."""
        self.append(value)
        self.values_at.append(place)


def value_at(document: object, loc: Loc) -> object:
    """Return what stands at `loc`, or the value that stands there for a list or a mapping."""
    return _walk(document, loc)[0]


def value_position(document: object, loc: Loc) -> Place:
    """Return the place of the value at `loc`, or of its key where the value is empty."""
    return _walk(document, loc)[1]


def key_position(document: object, loc: Loc) -> Place:
    """Return the place of the key at `loc`, or of its mapping where the key is missing."""
    parent, place = _walk(document, loc[:-1])
    return parent.keys_at.get(str(loc[-1]), place) if isinstance(parent, Entries) else place


def _walk(node: object, loc: Loc) -> tuple[object, Place]:
    """Follow `loc` as far as the document goes: one value may stand for a list of one, a text for a mapping."""
    place = node.place if isinstance(node, (Entries, Items)) else Place(1, 1)
    for part in loc:
        if isinstance(node, Entries):
            if isinstance(part, str) and part in node:
                place, node = node.values_at[part], node[part]
        elif isinstance(node, Items) and isinstance(part, int) and part < len(node):
            place, node = node.values_at[part], node[part]
    return node, place

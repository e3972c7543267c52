"""The values of a YAML document, with the line, the column and the word at which each is written."""

from __future__ import annotations

from typing import NamedTuple

Loc = tuple[str | int, ...]  # keys and list indices from the top of the document, as pydantic reports them


class Position(NamedTuple):
    """A line and a column, both from 1."""

    line: int
    column: int


def position_after(before: str) -> Position:
    """Return the position after the text `before`."""
    return Position(before.count("\n") + 1, len(before) - before.rfind("\n"))


class Entries(dict[str, object]):
    """A mapping with the positions of its keys and values; merged entries keep those of their origin."""

    def __init__(self, position: Position) -> None:
        """Start an empty mapping at `position`."""
        super().__init__()
        self.position = position
        self.keys_at: dict[str, Position] = {}
        self.values_at: dict[str, Position] = {}
        self.texts_at: dict[str, Position] = {}  # the first character of each text that is on one line, unchanged

    def enter(
        self, key: str, value: object, key_at: Position, value_at: Position, text_at: Position | None = None
    ) -> None:
        """Add one entry; `text_at` is that of a text's first character, if the text is on one line, unchanged."""
        self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at
        if text_at:
            self.texts_at[key] = text_at

    def merge(self, other: Entries) -> None:
        """Add the entries of `other` whose keys this mapping lacks."""
        for key, value in other.items():
            if key not in self:
                self.enter(key, value, other.keys_at[key], other.values_at[key], other.texts_at.get(key))


class Items(list[object]):
    """A list with the positions of its items."""

    def __init__(self, position: Position) -> None:
        """Start an empty list at `position`."""
        super().__init__()
        self.position = position
        self.values_at: list[Position] = []

    def add(self, value: object, position: Position) -> None:
        """Add one item."""
        self.append(value)
        self.values_at.append(position)


class WrittenInt(int):
    """An integer that keeps the word by which it is written, such as `0x400`."""

    word: str


class WrittenFloat(float):
    """A number that keeps the word by which it is written, such as `1e3`."""

    word: str


def keep_word(number: float, word: str) -> float:
    """Return the number, with its word if Python would print another one."""
    if isinstance(number, bool) or str(number) == word:
        return number
    spelled = WrittenInt(number) if isinstance(number, int) else WrittenFloat(number)
    spelled.word = word
    return spelled


def value_at(document: object, loc: Loc) -> object:
    """Return the value at `loc`, or the single value that is written instead of a list or a mapping."""
    return _walk(document, loc)[0]


def value_position(document: object, loc: Loc) -> Position:
    """Return the position of the value at `loc`, or of its key if the value is empty."""
    return _walk(document, loc)[1]


def character_position(document: object, loc: Loc, index: int) -> Position:
    """Return the position of a character of the text at `loc`; of the whole text if it is folded or has escapes."""
    parent, _ = _walk(document, loc[:-1])
    text_at = parent.texts_at.get(str(loc[-1])) if isinstance(parent, Entries) else None
    return Position(text_at.line, text_at.column + index) if text_at else value_position(document, loc)


def key_position(document: object, loc: Loc) -> Position:
    """Return the position of the key at `loc`, or of its mapping if the key is missing."""
    parent, position = _walk(document, loc[:-1])
    return parent.keys_at.get(str(loc[-1]), position) if isinstance(parent, Entries) else position


def _walk(node: object, loc: Loc) -> tuple[object, Position]:
    """Follow `loc` as far as possible: a value may be written instead of a list of one, a text instead of a mapping."""
    position = node.position if isinstance(node, (Entries, Items)) else Position(1, 1)
    for part in loc:
        if isinstance(node, Entries):
            if isinstance(part, str) and part in node:
                position, node = node.values_at[part], node[part]
        elif isinstance(node, Items) and isinstance(part, int) and part < len(node):
            position, node = node.values_at[part], node[part]
    return node, position

"""Build the values of a YAML text from ruamel's events, each with its place, within what a suite needs.

ruamel's own composer places no values that it cannot construct, follows aliases that contain themselves, and stumbles
over `!!bool word`, `{[a, b]: c}` and comments in odd places. A suite needs none of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Never

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from shflbench.suite.positions import Entries, Items, Place, place_behind
from shflbench.suite.scalars import meaning
from shflbench.suite.shown import quoted, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.events import Event

MAX_DEPTH = 50  # levels; a suite needs 7, and Python ends recursion at 1000
MAX_VALUES = 5000  # the largest suite here has 400; ruamel reads 20,000 a second, and aliases can stand for billions
# ruamel looks 1024 characters ahead, in a time that grows with the square of what opens there: 2 s of brackets.
_TOO_DEEP = re.compile(rf"(?:[\[{{][ \t\n]*){{{MAX_DEPTH}}}(?=[\[{{])")
_NESTING = f"found more nesting than a suite needs; allowed: {MAX_DEPTH} levels"
_KEYS = "allowed: keys such as `launch`"


class MisfitError(Exception):
    """YAML that no suite needs: where it stands, and what was found and is allowed."""

    def __init__(self, place: Place, sentence: str) -> None:
        """Keep the place and the sentence, `found …; allowed: …`."""
        super().__init__(sentence)
        self.place = place
        self.sentence = sentence


def compose(text: str) -> tuple[object, Place]:
    """Return the only value of a YAML text, None if it is empty, and its place.

    Raises MisfitError, and whatever ruamel raises about text that is no YAML.
    """
    return _Composer(text).document()


class _Composer:
    def __init__(self, text: str) -> None:
        if deep := _TOO_DEEP.search(text):
            raise MisfitError(place_behind(text[: deep.end()]), _NESTING)
        self._events: Iterator[Event] = YAML(typ="safe", pure=True).parse(text)
        self._event: Event = next(self._events)  # the one at hand
        self._anchors: dict[str, tuple[object, int] | None] = {}  # value and number of values; None while it is open
        self._values = 0  # so far; those behind aliases are counted each time

    def document(self) -> tuple[object, Place]:
        self._advance()
        if isinstance(self._event, StreamEndEvent):
            return None, Place(1, 1)
        if isinstance(self._event, DocumentStartEvent) and (self._event.version or self._event.tags):
            self._refuse("found a directive", "allowed: none, suites are YAML 1.2")
        self._advance()
        place = self._place
        value = self._value(0)
        self._advance()  # to the end of the document
        self._advance()
        if not isinstance(self._event, StreamEndEvent):
            self._refuse("found a second document", "allowed: one")
        return value, place

    def _advance(self) -> None:
        try:
            self._event = next(self._events)
        except (ValueError, OverflowError) as error:  # of ruamel: `\UFFFFFFFF` and `%YAML 1.999…` are no numbers for it
            sentence = f"not YAML: behind this, a number or a character's code is too large: {error}"
            raise MisfitError(self._behind, sentence) from None
        except AssertionError:  # of ruamel: `%YAML 1.3`
            sentence = "not YAML: behind this, a directive names a version that YAML does not have"
            raise MisfitError(self._behind, sentence) from None

    @property
    def _behind(self) -> Place:
        mark = self._event.end_mark
        return Place(mark.line + 1, mark.column + 1)

    @property
    def _place(self) -> Place:
        mark = self._event.start_mark
        return Place(mark.line + 1, mark.column + 1)

    def _refuse(self, found: str, remedy: str) -> Never:
        raise MisfitError(self._place, f"{found}; {remedy}")

    def _count(self, values: int) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            counted = f"allowed: {MAX_VALUES}, where those behind an alias count each time"
            self._refuse("found more values than a suite needs", counted)

    def _value(self, depth: int) -> object:
        """Return the value that begins with the event at hand, and leave its last event at hand."""
        event = self._event
        if isinstance(event, AliasEvent):
            return self._alias(event.anchor)
        if tag := getattr(event, "tag", None):
            word = quoted(str(tag).replace("tag:yaml.org,2002:", "!!"))
            self._refuse(f"found the tag {word}", "allowed: values without tags")
        if depth == MAX_DEPTH and not isinstance(event, ScalarEvent):
            raise MisfitError(self._place, _NESTING)
        anchor, before = getattr(event, "anchor", None), self._values
        if anchor:
            self._anchors[anchor] = None
        self._count(1)
        value: object
        if isinstance(event, MappingStartEvent):
            value = self._entries(depth + 1)
        elif isinstance(event, ScalarEvent):
            value = self._scalar(event)
        else:
            value = self._items(depth + 1)
        if anchor:
            self._anchors[anchor] = (value, self._values - before)
        return value

    def _alias(self, name: str) -> object:
        if name not in self._anchors:
            self._refuse(f"found the alias {quoted('*' + name)} of nothing", f"needed: {quoted('&' + name)} before it")
        known = self._anchors[name]
        if known is None:
            found = f"found the alias {quoted('*' + name)} within what it stands for"
            self._refuse(found, "allowed: aliases of what ends before them")
        value, size = known
        self._count(size)
        return value

    def _scalar(self, event: ScalarEvent) -> object:
        word: str = event.value
        if any("\ud800" <= character <= "\udfff" for character in word):
            self._refuse(f"found the text {quoted(word)}, half of a character", "allowed: Unicode")
        if not event.implicit[0]:  # it is quoted
            return word
        try:
            return meaning(word)
        except ValueError as error:
            raise MisfitError(self._place, f"found {error}") from None

    def _items(self, depth: int) -> Items:
        items = Items(self._place)
        self._advance()
        while not isinstance(self._event, SequenceEndEvent):
            place = self._place
            items.add(self._value(depth), place)
            self._advance()
        return items

    def _entries(self, depth: int) -> Entries:
        entries = Entries(self._place)
        merged: list[Entries] | None = None
        self._advance()
        while not isinstance(self._event, MappingEndEvent):
            key_at, (key, merges) = self._place, self._key()
            if key in entries or (merges and merged is not None):
                self._refuse(f"found the key {quoted(key)} a second time", "allowed: each key once")
            self._advance()
            place = key_at if self._is_empty() else self._place
            if merges:
                merged = self._mergeable(depth)
            else:
                entries.enter(key, self._value(depth), key_at, place)
            self._advance()
        for other in merged or ():
            entries.merge(other)
        return entries

    def _key(self) -> tuple[str, bool]:
        """Return the key at hand, and whether it is the `<<` that merges other mappings."""
        if not isinstance(self._event, ScalarEvent):
            self._refuse("found a key that is no word", _KEYS)
        key = self._value(MAX_DEPTH)
        if not isinstance(key, str):
            self._refuse(f"found {show(key)} as a key", _KEYS)
        return key, key == "<<" and self._event.implicit[0]

    def _is_empty(self) -> bool:
        """Tell whether nothing is written for the value at hand: ruamel places it at the next word."""
        return isinstance(self._event, ScalarEvent) and not self._event.value and self._event.implicit[0]

    def _mergeable(self, depth: int) -> list[Entries]:
        """Return the mappings that `<<` names, the first of which wins."""
        place = self._place
        value = self._value(depth)
        named = value if isinstance(value, Items) else [value]
        mappings = [item for item in named if isinstance(item, Entries)]
        if not mappings or len(mappings) < len(named):
            raise MisfitError(place, f"found {show(value)} to merge; allowed: a mapping, or a list of mappings")
        return mappings

"""Build the values of a YAML text, each with its position, from the part of YAML that a suite needs.

ruamel composes the nodes. Its constructors are not used: they report no position of a value that they cannot construct,
and read plain words as YAML 1.1 or with extensions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Never

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, ScalarEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from shflbench.suite.positions import Entries, Items, Position, keep_word, position_after
from shflbench.suite.quotes import quote, show

if TYPE_CHECKING:
    from ruamel.yaml.error import StreamMark

MAX_DEPTH = 50  # levels; a suite needs 7, and Python ends recursion at 1000
MAX_VALUES = 5000  # the largest suite here has 800; ruamel reads 20,000 a second, and aliases can expand to billions
MAX_DIGITS = 100  # no suite needs 20; Python refuses to print numbers of 4300 digits, and is slow from 10^5 on
# ruamel looks 1024 characters ahead, in a time quadratic in the brackets that open there: up to 2 s.
_TOO_DEEP = re.compile(rf"(?:[\[{{][ \t\n]*){{{MAX_DEPTH}}}(?=[\[{{])")
_NESTING = f"found too deep nesting; allowed: {MAX_DEPTH} levels"
_KEYS = "allowed: keys such as `launch`"


class UnsupportedYamlError(Exception):
    """A part of YAML that suites do not use: its position, what was found and what is allowed."""

    def __init__(self, position: Position, sentence: str) -> None:
        """Keep the position and the sentence, `found …; allowed: …`."""
        super().__init__(sentence)
        self.position = position
        self.sentence = sentence


def compose(text: str) -> tuple[object, Position]:
    """Return the only value of a YAML text, None if it is empty, and its position.

    Raises UnsupportedYamlError, and the errors of ruamel about text that is not YAML.
    """
    if deep := _TOO_DEEP.search(text):
        raise UnsupportedYamlError(position_after(text[: deep.end()]), _NESTING)
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _Composer
    try:
        root = yaml.compose(text)
    except ComposerError as error:  # the only ComposerError that _Composer leaves to ruamel
        _refuse(error.problem_mark, "found a second document; allowed: one")
    except (ValueError, OverflowError) as error:  # ruamel cannot convert the numbers in `\UFFFFFFFF` and `%YAML 1.999…`
        sentence = f"not YAML: after this, a number or the code of a character is too large: {error}"
        raise UnsupportedYamlError(_end_of_yaml(text), sentence) from None
    except AssertionError:  # ruamel asserts the version in `%YAML 1.3`
        sentence = "not YAML: after this, a directive names an unknown version of YAML"
        raise UnsupportedYamlError(_end_of_yaml(text), sentence) from None
    return (None, Position(1, 1)) if root is None else (_Values().value(root), _position(root))


def _end_of_yaml(text: str) -> Position:
    """Return the end of the last event before ruamel fails."""
    end = Position(1, 1)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            end = _at(event.end_mark)
    except (ValueError, OverflowError, AssertionError, YAMLError):
        return end
    return end


def _at(mark: StreamMark) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _position(node: Node) -> Position:
    return _at(node.start_mark)


def _refuse(mark: StreamMark, sentence: str) -> Never:
    raise UnsupportedYamlError(_at(mark), sentence)


class _Alias(Node):
    """An alias of the node `value`, at its own position; ruamel's composer would insert the node itself."""

    __slots__ = ()


class _Composer(Composer):
    """Refuses directives, tags, deep nesting and recursive aliases, which cannot be seen in the nodes."""

    def __init__(self, loader: object = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False  # an anchor may be used again

    def compose_document(self) -> Node:
        event = self.parser.peek_event()
        if event.version or event.tags:
            _refuse(event.start_mark, "found a directive; allowed: none, suites are YAML 1.2")
        node: Node = super().compose_document()
        return node

    def compose_node(self, parent: object, index: object) -> Node:
        event = self.parser.peek_event()
        if isinstance(event, AliasEvent):
            return self._compose_alias(self.parser.get_event())
        if event.tag:
            word = quote(event.tag.replace("tag:yaml.org,2002:", "!!"))
            _refuse(event.start_mark, f"found the tag {word}; allowed: values without tags")
        if self.depth == MAX_DEPTH and not isinstance(event, ScalarEvent):
            _refuse(event.start_mark, _NESTING)
        node: Node = super().compose_node(parent, index)
        return node

    def _compose_alias(self, event: AliasEvent) -> Node:
        name = event.anchor
        target = self.anchors.get(name)
        if target is None:
            sentence = f"unknown alias {quote('*' + name)}; needed: {quote('&' + name)} before it"
            _refuse(event.start_mark, sentence)
        if target.end_mark is None:
            fault = f"found the alias {quote('*' + name)} inside its own anchor"
            _refuse(event.start_mark, f"{fault}; allowed: aliases of values that end before them")
        return _Alias(None, target, event.start_mark, event.end_mark)


class _Values:
    """Builds the values of nodes and counts them; an alias counts as all values that it expands to."""

    def __init__(self) -> None:
        self._count = 0
        self._anchored: dict[int, tuple[object, int]] = {}  # id of a node → its value and number of values

    def value(self, node: Node) -> object:
        if isinstance(node, _Alias):
            value, count = self._anchored[id(node.value)]
            self._add(count, node)
            return value
        before = self._count
        self._add(1, node)
        match node:
            case MappingNode():
                value = self._entries(node)
            case SequenceNode():
                value = Items(_position(node))
                for item in node.value:
                    value.add(self.value(item), _position(item))
            case _:
                value = _scalar(node)
        if node.anchor:
            self._anchored[id(node)] = value, self._count - before
        return value

    def _add(self, count: int, node: Node) -> None:
        self._count += count
        if self._count > MAX_VALUES:
            allowed = f"allowed: {MAX_VALUES}, where aliases count as the values that they expand to"
            _refuse(node.start_mark, f"found too many values; {allowed}")

    def _entries(self, node: MappingNode) -> Entries:
        entries = Entries(_position(node))
        merged: list[Entries] | None = None
        for key_node, value_node in node.value:
            key = self._key(key_node)
            merges = key == "<<" and _is_plain(key_node)
            if key in entries or (merges and merged is not None):
                _refuse(key_node.start_mark, f"found the key {quote(key)} a second time; allowed: each key once")
            if merges:
                merged = self._mergeable(value_node)
                continue
            # ruamel gives an empty value the position of the next word.
            placed = key_node if _is_plain(value_node) and not value_node.value else value_node
            value_at, text_at = _position(placed), _text_position(value_node)
            entries.enter(key, self.value(value_node), _position(key_node), value_at, text_at)
        for other in merged or ():
            entries.merge(other)
        return entries

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode):
            _refuse(node.start_mark, f"found a key that is not a word; {_KEYS}")
        key = self.value(node)
        if not isinstance(key, str):
            _refuse(node.start_mark, f"found {show(key)} as a key; {_KEYS}")
        return key

    def _mergeable(self, node: Node) -> list[Entries]:
        """Return the mappings that `<<` names; the first has precedence."""
        value = self.value(node)
        items = value if isinstance(value, Items) else [value]
        mappings = [item for item in items if isinstance(item, Entries)]
        if not mappings or len(mappings) < len(items):
            _refuse(node.start_mark, f"found {show(value)} after `<<`; allowed: a mapping, or a list of mappings")
        return mappings


def _is_plain(node: Node) -> bool:
    """Return whether a node is an unquoted word, or empty."""
    return isinstance(node, ScalarNode) and node.style is None


def _text_position(node: Node) -> Position | None:
    """Return the position of a text's first character; None if the text is folded or has escapes."""
    start, end = node.start_mark, node.end_mark
    if not isinstance(node, ScalarNode) or start.line != end.line:
        return None
    quotes = 0 if _is_plain(node) else 1
    is_unchanged = end.column - start.column == len(node.value) + 2 * quotes
    return Position(start.line + 1, start.column + 1 + quotes) if is_unchanged else None


def _scalar(node: Node) -> object:
    word: str = node.value
    if any("\ud800" <= character <= "\udfff" for character in word):
        _refuse(node.start_mark, f"found the text {quote(word)}, half of a surrogate pair; allowed: Unicode characters")
    if not _is_plain(node):
        return word
    try:
        value = meaning(word)
    except ValueError as error:
        raise UnsupportedYamlError(_position(node), f"found {error}") from None
    return keep_word(value, word) if isinstance(value, (int, float)) else value


_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGERS = {10: re.compile(r"[-+]?[0-9]+"), 8: re.compile(r"0o[0-7]+"), 16: re.compile(r"0x[0-9a-fA-F]+")}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def meaning(word: str) -> bool | float | str | None:
    """Return the value of an unquoted word: nothing, a truth value, a number, or text.

    Raises ValueError for a number with too many digits. Source: YAML 1.2.2, section 10.3.2 "Tag Resolution" of the core
    schema. Unlike in YAML 1.1, `no`, `12:30` and dates are text.
    """
    if word in _WORDS:
        return _WORDS[word]
    base = next((base for base, form in _INTEGERS.items() if form.fullmatch(word)), None)
    if base is None and not _FLOAT.fullmatch(word):
        return word
    if len(word) > MAX_DIGITS:
        raise ValueError(f"a number of {len(word)} characters; allowed: at most {MAX_DIGITS}")
    return float(word) if base is None else int(word, base)

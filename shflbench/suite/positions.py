"""Find the line and column of a key or a value in a YAML document that ruamel has read."""

from __future__ import annotations

from ruamel.yaml.comments import CommentedMap, CommentedSeq

Loc = tuple[str | int, ...]  # keys and list indices from the top of the document, as pydantic reports them


def value_at(document: object, loc: Loc) -> object:
    """Return what stands at `loc`, or the value that stands there for a list or a mapping."""
    return _walk(document, loc)[0]


def value_position(document: object, loc: Loc) -> tuple[int, int]:
    """Return the line and column, from 1, of the value at `loc`, or of its key where the value is empty."""
    _, line, column = _walk(document, loc)
    return line + 1, column + 1


def key_position(document: object, loc: Loc) -> tuple[int, int]:
    """Return the line and column, from 1, of the key at `loc`, or of its mapping where the key is missing."""
    parent, line, column = _walk(document, loc[:-1])
    if isinstance(parent, CommentedMap) and _is_placed(parent, loc[-1]):
        line, column = parent.lc.key(loc[-1])
    return line + 1, column + 1


def _walk(node: object, loc: Loc) -> tuple[object, int, int]:
    """Follow `loc` as far as the document goes: one value may stand for a list of one, a text for a mapping."""
    line, column = (node.lc.line, node.lc.col) if isinstance(node, (CommentedMap, CommentedSeq)) else (0, 0)
    for part in loc:
        if isinstance(node, CommentedMap) and part in node:
            if _is_placed(node, part):
                # ruamel places an empty value at the next word, which may be on a later line.
                line, column = node.lc.key(part) if node[part] is None else node.lc.value(part)
            node = node[part]
        elif isinstance(node, CommentedSeq) and isinstance(part, int):
            line, column = node.lc.item(part)
            node = node[part]
    return node, line, column


def _is_placed(mapping: CommentedMap, key: str | int) -> bool:
    """Tell whether the key stands in this mapping: one that was merged with `<<` does not."""
    return key in (mapping.lc.data or {})

"""Parse CUDA C++ with tree-sitter's grammar, and walk the tree without recursion."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser, Query, QueryCursor
from tree_sitter_cuda import language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node, Tree

# Nodes whose children are declarations at the same level.
SCOPES = frozenset(
    {
        "translation_unit", "namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
        "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef",
    }
)  # fmt: skip


# tree-sitter frees the states of a text that it cannot read by recursion, one call per token (`stack_node_release` in
# its stack.c, 96 bytes per call in release 0.26.1): the 8 MiB of a usual stack end at 87,000 tokens.
_BYTES_PER_TOKEN = 256
_USUAL_TEXT = 8_192  # bytes, of which each can be a token: 2 MiB of stack
_LEAST_STACK = 1 << 20
_PAGE = 1 << 16
_STACK_SIZE = threading.Lock()  # the size of the next thread's stack is a setting of the process
_DEEP, _WIDE = 500, 500  # levels, and children of a node, that are no usual code
_SAMPLED = 250
_NODES_OF_QUERY = 20_000  # through which `walk` goes in the time that tree-sitter needs to compile a query, 13 ms


@cache
def _language() -> Language:
    return Language(language())


@cache
def _parser() -> Parser:
    return Parser(_language())


def parse(text: bytes) -> Tree:
    """Return the syntax tree of a text; parts that are no CUDA C++ are nodes of type `ERROR`."""
    if len(text) <= _USUAL_TEXT:
        return _parser().parse(text)
    with _STACK_SIZE, ThreadPoolExecutor(1) as executor:
        before = threading.stack_size((_LEAST_STACK + _BYTES_PER_TOKEN * len(text)) & -_PAGE)
        try:
            result = executor.submit(_parser().parse, text)
        finally:
            threading.stack_size(before)
        return result.result()


def walk(node: Node, enter: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Yield `node` and the nodes in it in order of the text; not those in a node for which `enter` is false."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        if enter is None or enter(item):
            stack.extend(reversed(item.children))


def nodes_of(node: Node, types: frozenset[str]) -> list[Node]:
    """Return those of `node` and the nodes in it that are of these types, in order of the text."""
    return _search(types).nodes(node)


@cache
def _search(types: frozenset[str]) -> _TypeSearch:
    return _TypeSearch(types)


def is_slow_to_query(node: Node) -> bool:
    """Whether a query would take a time that is quadratic in the size of a node.

    It goes through the levels around each node, and in what the grammar does not understand through the tokens behind
    it. One of so many nodes is looked at, so that nothing deeper, or wider, than twice their number is missed.
    """
    cursor, has_error = node.walk(), node.has_error
    for index in range(0, node.descendant_count, _SAMPLED):
        cursor.goto_descendant(index)
        if cursor.depth > _DEEP:
            return True
        while has_error and cursor.goto_parent():
            known = cursor.node
            if known is not None and known.type == "ERROR" and known.child_count > _WIDE:
                return True
    return False


class _TypeSearch:
    """Finds nodes of some types: by a query, which takes an eighth of the time, from that many nodes on."""

    def __init__(self, types: frozenset[str]) -> None:
        self._types = types
        self._walked = 0
        self._query: Query | None = None

    def nodes(self, node: Node) -> list[Node]:
        if self._query is None:
            self._walked += node.descendant_count
            if self._walked < _NODES_OF_QUERY:
                return [item for item in walk(node) if item.type in self._types]
            self._query = Query(_language(), f"[{' '.join(f'({name})' for name in sorted(self._types))}] @node")
        if is_slow_to_query(node):
            return [item for item in walk(node) if item.type in self._types]
        return [item for _, match in QueryCursor(self._query).matches(node) for item in match["node"]]


def root_of(node: Node) -> int:
    """Return the id of the root of a node's tree."""
    while node.parent is not None:
        node = node.parent
    return node.id


def belongs_to(node: Node, root: Node) -> bool:
    """Whether a node is one of the tree of a root, in a time like its depth; a climb to the root takes the square."""
    start, end = node.start_byte, node.end_byte
    item = root.descendant_for_byte_range(start, end)
    while item is not None and (item.start_byte, item.end_byte) == (start, end):
        if item.id == node.id:
            return True
        item = item.parent
    return start == end and root_of(node) == root.id  # of a token that the grammar misses


def condition_around(node: Node) -> Node | None:
    """Return the innermost `#if` or branch of one around a node, but for an include guard; None if there is none."""
    outer = node.parent
    while outer is not None:
        if outer.type.startswith("preproc_") and not _is_guard(outer):
            return outer
        outer = outer.parent
    return None


def _is_guard(node: Node) -> bool:
    is_plain = node.type == "preproc_ifdef" and node.child_by_field_name("alternative") is None
    is_outer = node.parent is not None and node.parent.type == "translation_unit"
    return is_plain and is_outer and text_of(node.children[0]) == "#ifndef"


def text_of(node: Node | None) -> str:
    """Return the text of a node, "" for none."""
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def line_of(node: Node) -> int:
    """Return the line where a node begins, from 1."""
    return node.start_point[0] + 1


def function_declarator(node: Node | None) -> Node | None:
    """Return the function that a declaration declares; None if it declares none, or only a pointer to one."""
    item = node.child_by_field_name("declarator") if node is not None else None
    while item is not None:
        if item.type == "function_declarator":
            inner = item.child_by_field_name("declarator")
            return None if inner is not None and inner.type == "parenthesized_declarator" else item
        if item.type not in {"pointer_declarator", "reference_declarator", "init_declarator", "attributed_declarator"}:
            return None
        inner = item.child_by_field_name("declarator")
        item = (
            inner
            if inner is not None
            else next((child for child in item.named_children if child.type.endswith("declarator")), None)
        )
    return None


def function_name(function: Node) -> str:
    """Return the name of a function by its definition, "" where there is none."""
    part = function.child_by_field_name("declarator")
    while part is not None and part.type not in {"identifier", "field_identifier", "qualified_identifier"}:
        part = part.child_by_field_name("declarator")
    return (part.text or b"").decode(errors="replace") if part is not None else ""


def enclosing_function(node: Node) -> Node | None:
    """Return the definition of the function that has a node in it, None if there is none."""
    outer = node.parent
    while outer is not None and outer.type != "function_definition":
        outer = outer.parent
    return outer

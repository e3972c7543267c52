"""Texts of a file in which a shuffle stands for an exchange through a shared array: candidates, to be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.exchanges.recorder import LaneRelation
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.exchanges.advice import ExchangeAdvice
    from shflbench.checker.exchanges.shared_use import SharedUse

MASK = "0xffffffff"
_OPERATORS = {"^": "xor", "+": "down", "-": "up"}


def shuffled_texts(text: bytes, use: SharedUse, exchange: ExchangeAdvice) -> Iterator[bytes]:
    """Yield a file's text with a shuffle instead of an array of shared memory, in ways of which some may be wrong.

    None where more than one shuffle is needed. A store sets a variable of the thread, which all lanes pass to the
    shuffle; a load under a condition moves before it.
    """
    if exchange.is_replaceable:
        value = use.unused_name(f"{use.name}_value")
        for shuffle in dict.fromkeys(_shuffles(use, exchange, value)):
            yield _edited(text, use, value, shuffle)


def _shuffles(use: SharedUse, exchange: ExchangeAdvice, value: str) -> Iterator[str]:
    """Yield calls of shuffles, the most specific first."""
    (*rows, mine), (*other_rows, source) = use.stored_at, use.loaded_from
    relations = {relation for relation, _ in exchange.relations} - {LaneRelation.THREAD}
    numbers = exchange.distances
    if rows == other_rows:
        for operator, first, second in _binary(use):
            if first == mine or (operator == "^" and second == mine):
                distance = second if first == mine else first
                yield f"__shfl_{_OPERATORS[operator]}_sync({MASK}, {value}, {distance})"
    if len(numbers) == 1 and relations == {LaneRelation.XOR}:
        yield f"__shfl_xor_sync({MASK}, {value}, {numbers[0]})"
    if len(numbers) == 1 and relations == {LaneRelation.SHIFT}:
        yield f"__shfl_{'down' if numbers[0] > 0 else 'up'}_sync({MASK}, {value}, {abs(numbers[0])})"
    if exchange.instead == f"__shfl_sync(mask, value, {numbers[0] if numbers else ''})":
        yield f"__shfl_sync({MASK}, {value}, {numbers[0]})"
    if LaneRelation.BROADCAST in relations:
        for condition in use.conditions:
            yield from (f"__shfl_sync({MASK}, {value}, {text_of(side)})" for side in reversed(condition.named_children))
    if rows == other_rows:
        yield f"__shfl_sync({MASK}, {value}, {source})"  # of which the shuffle takes the lowest five bits


def _binary(use: SharedUse) -> Iterator[tuple[str, str, str]]:
    """Yield operator and operands of the index of the load, if a shuffle can be said to do the same."""
    node = use.index
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    operator = text_of(node.child_by_field_name("operator")) if node.type == "binary_expression" else ""
    if operator in _OPERATORS:
        yield operator, text_of(node.named_children[0]), text_of(node.named_children[-1])


def _edited(text: bytes, use: SharedUse, value: str, shuffle: str) -> bytes:
    declared = (use.declaration.start_byte, use.declaration.end_byte)
    stored = (use.store.start_byte, use.store.children[0].end_byte)
    edits = {declared: f"{use.type} {value}{{}};", stored: value}
    if use.stores_before_load:
        edits = {_whole_line(text, *declared): "", stored: f"{use.type} {value}"}
    statement = use.conditional_statement
    if use.is_conditional and statement is not None:
        name = use.unused_name(f"{use.name}_read")
        end = "\r\n" if b"\r\n" in text else "\n"
        indent = text[text.rfind(b"\n", 0, statement.start_byte) + 1 : statement.start_byte].decode()
        if indent.strip():  # another statement stands before it
            indent, end = " ", ""
        before = f"{use.type} {name} = {shuffle};{end}{indent}"
        edits[statement.start_byte, statement.start_byte] = before
        shuffle = name
    edits[use.load.start_byte, use.load.end_byte] = shuffle
    for (start, stop), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new.encode() + text[stop:]
    return text


def _whole_line(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Return a range with the rest of its line, if nothing else is in it."""
    first = text.rfind(b"\n", 0, start) + 1
    last = text.find(b"\n", end) + 1
    is_alone = last > 0 and not text[first:start].strip() and not text[end:last].strip()
    return (first, last) if is_alone else (start, end)

"""Numbers of variables with which a program would perform launches that it does not perform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun

MOST_CHOICES = 16  # of one program; each is a run of it


def note_branch(run: HostRun, condition: Node | None, *, holds: bool) -> None:
    """Note with which numbers of its variables a condition would hold, or not hold, if that is certain."""
    numbers = _numbers(run, condition, holds=holds)
    if numbers:
        note_choice(run, numbers)


def note_choice(run: HostRun, numbers: Mapping[str, int]) -> None:
    """Note numbers of variables that select a launch."""
    key = tuple(sorted(numbers.items()))
    if len(run.choices) < MOST_CHOICES and key not in run.choices:
        run.choices.append(key)


def _numbers(run: HostRun, node: Node | None, *, holds: bool) -> Mapping[str, int] | None:
    while node is not None and node.type in {"condition_clause", "parenthesized_expression"}:
        node = next(reversed(items(node)), None)
    if node is None:
        return None
    if node.type == "identifier":
        return {text_of(node): int(holds)}
    sign = text_of(node.child_by_field_name("operator"))
    if node.type == "unary_expression" and sign in {"!", "not"}:
        return _numbers(run, node.child_by_field_name("argument"), holds=not holds)
    return _of_operands(run, node, sign, holds=holds) if node.type == "binary_expression" else None


def _of_operands(run: HostRun, node: Node, sign: str, *, holds: bool) -> Mapping[str, int] | None:
    first, second = node.child_by_field_name("left"), node.child_by_field_name("right")
    if (sign in {"&&", "and"} and holds) or (sign in {"||", "or"} and not holds):
        both = [_numbers(run, part, holds=holds) for part in (first, second)]
        return {**both[0], **both[1]} if both[0] is not None and both[1] is not None else None
    is_equal = (sign == "==" and holds) or (sign == "!=" and not holds)
    if not is_equal or first is None or first.type != "identifier" or second is None:
        return None
    value = run.expression(second)(HostFrame())
    return {text_of(first): value} if isinstance(value, int) else None

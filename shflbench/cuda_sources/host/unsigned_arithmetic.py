"""Unsigned arithmetic of 64 bits in host code, as of generators of random numbers, whose results wrap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.arithmetic import operate
from shflbench.cuda_sources.host.contents import items
from shflbench.cuda_sources.host.values import MOST_NUMBER, UNKNOWN
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

UNSIGNED_64 = "Q"  # the format of such numbers
_SUFFIX = re.compile(r"(?:ull?|ll?u)$", re.IGNORECASE)


def wrapped(sign: str, one: object, other: object) -> object:
    """Return the result of an operator on such numbers, as far as they are known."""
    result = operate(sign, one, other) if isinstance(one, int) and isinstance(other, int) else None
    return result % MOST_NUMBER if isinstance(result, int) else UNKNOWN


def is_unsigned_64(run: HostRun, node: Node) -> Callable[[HostFrame], bool]:
    """Return whether an expression is such a number, by the types of its variables and the suffixes of its numbers."""
    if node.type == "number_literal":
        has_suffix = _SUFFIX.search(text_of(node)) is not None
        return lambda frame: has_suffix  # noqa: ARG005
    if node.type in {"identifier", "field_expression"}:
        place = run.reference(node)
        return lambda frame: place(frame).type.format == UNSIGNED_64
    inside = items(node) if node.type in {"binary_expression", "parenthesized_expression"} else []
    is_shift = len(inside) > 1 and text_of(node.child_by_field_name("operator")) in {"<<", ">>"}
    parts = [is_unsigned_64(run, item) for item in (inside[:1] if is_shift else inside)]
    return lambda frame: any(part(frame) for part in parts)

"""The parts of an expression while it is parsed, and which kinds may be combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.claims.errors import ExpressionError
from shflbench.core.claims.functions import ValueKind

if TYPE_CHECKING:
    from shflbench.core.claims.expression import Expression
    from shflbench.core.claims.lexer import Token


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression, with its kind and position."""

    expression: Expression
    kind: ValueKind
    position: int

    def must_be(self, kind: ValueKind, operator: str) -> None:
        """Raise ExpressionError unless it has this kind, which the operator takes."""
        if self.kind is not kind:
            needed = f"needed: a {kind}" + (" such as `time(a) < time(b)`" if kind is ValueKind.TRUTH else "")
            raise ExpressionError(self.position, f"found a {self.kind} beside `{operator}`", needed)


def check_comparison(first: Part, sign: str, second: Part) -> None:
    """Raise ExpressionError unless the sign compares values of these kinds."""
    if first.kind is not second.kind:
        fault = f"found a {second.kind}, compared with a {first.kind}"
        raise ExpressionError(second.position, fault, f"needed: a {first.kind}")
    if first.kind is ValueKind.TEXT and sign not in {"==", "!="}:
        raise ExpressionError(first.position, f"found texts beside `{sign}`", "allowed: `==` and `!=` of texts")
    if first.kind is ValueKind.TRUTH:
        fault = f"found truth values beside `{sign}`"
        raise ExpressionError(first.position, fault, "needed: `and`, `or` and `not`, such as `a and not b`")


def what_may_follow(part: Part, token: Token, closing: str = "the end") -> str:
    """Return what may follow a part of an expression, as a remedy."""
    if part.kind is ValueKind.TRUTH and token.is_sign("<", "<=", ">", ">=", "==", "!="):
        return "allowed: one comparison at a time; join two by `and`"
    if token.is_sign("%"):
        return "allowed: `%` after `within`; write 50% as `0.5`"
    return f"needed: an operator such as `>` or `and`, or {closing}"

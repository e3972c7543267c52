"""Visit, change and write expressions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.claims.expression import Arithmetic, Both, Call, Constant, Either, Negative, Not, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.core.claims.expression import Expression

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")


def operands(expression: Expression) -> tuple[Expression, ...]:
    """Return the parts that a node combines, from left to right."""
    match expression:
        case Negative(operand) | Not(operand):
            return (operand,)
        case Arithmetic() | Relation() | Both() | Either():
            return (expression.left, expression.right)
        case _:
            return ()


def nodes(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its parts, each before its operands, from left to right."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(operands(node))


def calls(expression: Expression) -> Iterator[Call]:
    """Yield every call, from left to right."""
    return (node for node in nodes(expression) if isinstance(node, Call))


def with_calls(expression: Expression, change: Callable[[Call], Call]) -> Expression:
    """Return the expression with `change` applied to every call."""
    match expression:
        case Call():
            return change(expression)
        case Negative() | Not():
            return replace(expression, operand=with_calls(expression.operand, change))
        case Arithmetic() | Relation() | Both() | Either():
            first, second = with_calls(expression.left, change), with_calls(expression.right, change)
            return replace(expression, left=first, right=second)
        case Constant():
            return expression


def expression_text(expression: Expression) -> str:
    """Return the expression as a user writes it, with as few parentheses as needed."""
    match expression:
        case Constant():
            return _constant(expression.value)
        case Call():
            settings = (f"{name}={_word(value)}" for name, value in expression.settings)
            return f"{expression.function}({', '.join((*map(_word, expression.arguments), *settings))})"
        case Negative(operand):
            return f"-{_within(operand, _FACTOR)}"
        case Not(operand):
            return f"not {_within(operand, _NEGATION)}"
        case Relation():
            tolerance = f" within {100 * expression.tolerance:.10g}%" if expression.tolerance else ""
            return f"{_within(expression.left, _SUM)} {expression.sign} {_within(expression.right, _SUM)}{tolerance}"
    return _joined(expression)


_EITHER, _BOTH, _NEGATION, _COMPARISON, _SUM, _PRODUCT, _FACTOR = range(7)  # how tightly an operator binds


def _binding(expression: Expression) -> int:
    """Return how tightly the operator of a node binds."""
    match expression:
        case Either():
            return _EITHER
        case Both():
            return _BOTH
        case Not():
            return _NEGATION
        case Relation():
            return _COMPARISON
        case Arithmetic():
            return _SUM if expression.sign in {"+", "-"} else _PRODUCT
        case _:
            return _FACTOR


def _within(expression: Expression, binding: int) -> str:
    """Return an operand of an operator, in parentheses if its own operator binds less tightly."""
    text = expression_text(expression)
    return text if _binding(expression) >= binding else f"({text})"


def _joined(expression: Arithmetic | Both | Either) -> str:
    """Return two operands with their operator; the same operator at the right needs parentheses."""
    binding = _binding(expression)
    match expression:
        case Arithmetic():
            operator: str = expression.sign
        case Both():
            operator = "and"
        case Either():
            operator = "or"
    return f"{_within(expression.left, binding)} {operator} {_within(expression.right, binding + 1)}"


def _word(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else _quoted(word)


def _quoted(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


def _constant(value: float | str | bool) -> str:  # noqa: FBT001  (a value of an expression)
    if isinstance(value, str):
        return _quoted(value)
    return str(value).lower() if isinstance(value, bool) else f"{value:.15g}"

"""Evaluate an expression: arithmetic of intervals, and logic of three values (pure functions).

A comparison is true if it is true for all values within both intervals, false if it is false for all of them, else
unknown. `and`, `or` and `not` are those of Kleene's logic: false and unknown is false.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.analysis.claims.quantity_words import RATIO, unit_of
from shflbench.core.claims.expression import Arithmetic, Both, Call, Constant, Either, Negative, Not, Relation
from shflbench.core.claims.walk import calls, expression_text
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.core.claims.expression import ArithmeticSign, ComparisonSign, Expression

ROUNDING = 1e-9  # exact numbers that differ by this fraction are equal


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is not known, or a comparison that is not decided."""

    reason: str
    is_missing: bool = False  # because a case is missing, failed, not verified or not timed


Value: TypeAlias = Interval | str | bool | Unknown
Truth: TypeAlias = bool | Unknown
Lookup: TypeAlias = "Callable[[Call], Value]"


def exactly(number: float) -> Interval:
    """Return a number without uncertainty."""
    return Interval(number, number, number)


def evaluate(expression: Expression, lookup: Lookup) -> Value:
    """Return the value of an expression; `lookup` gives those of its calls."""
    match expression:
        case Constant(value=constant):
            return constant if isinstance(constant, bool | str) else exactly(float(constant))
        case Call():
            return lookup(expression)
        case Negative(operand=operand):
            value = evaluate(operand, lookup)
            return Interval(-value.value, -value.high, -value.low) if isinstance(value, Interval) else _no_number(value)
        case Arithmetic(sign=sign, left=first, right=second):
            return _calculate(sign, evaluate(first, lookup), evaluate(second, lookup))
        case _:
            return truth(expression, lookup)


def truth(expression: Expression, lookup: Lookup) -> Truth:
    """Return whether an expression is true."""
    match expression:
        case Not(operand=operand):
            value = truth(operand, lookup)
            return value if isinstance(value, Unknown) else not value
        case Both(left=first, right=second):
            return _both(truth(first, lookup), truth(second, lookup))
        case Either(left=first, right=second):
            return _either(truth(first, lookup), truth(second, lookup))
        case Relation(sign=sign, left=first, right=second, tolerance=tolerance):
            one, other = evaluate(first, lookup), evaluate(second, lookup)
            decided = compare(sign, one, other, tolerance)
            return _undecided(expression, one, other) if decided is None else decided
        case _:
            result = evaluate(expression, lookup)
            return result if isinstance(result, bool | Unknown) else Unknown("the expression is not true or false")


def _both(one: Truth, other: Truth) -> Truth:
    if one is False or other is False:
        return False
    return _worse(one, other)


def _either(one: Truth, other: Truth) -> Truth:
    if one is True or other is True:
        return True
    return _worse(one, other)


def _worse(one: Truth, other: Truth) -> Truth:
    """Return the one that is unknown, the missing one first; either if both are known."""
    unknown = [value for value in (one, other) if isinstance(value, Unknown)]
    return max(unknown, key=lambda value: value.is_missing) if unknown else one


def _no_number(*values: Value) -> Unknown:
    unknown = [value for value in values if isinstance(value, Unknown)]
    if unknown:
        return max(unknown, key=lambda value: value.is_missing)
    return Unknown("the expression calculates with something that is not a number")


def _calculate(sign: ArithmeticSign, one: Value, other: Value) -> Value:
    if not isinstance(one, Interval) or not isinstance(other, Interval):
        return _no_number(one, other)
    if sign == "/" and (other.low <= 0 <= other.high or other.value == 0):
        return Unknown("a divisor may be 0")
    operations: dict[str, Callable[[float, float], float]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
    }
    operate = operations[sign]
    corners = [operate(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    value = operate(one.value, other.value)
    if not all(map(math.isfinite, (*corners, value))):
        return Unknown("a number is too large")
    return Interval(value, min(corners), max(corners))


def compare(sign: ComparisonSign, one: Value, other: Value, tolerance: float = 0.0) -> Truth | None:
    """Return whether a comparison is true for all values of both sides, or false for all; None if for some."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return _no_number(one, other)
    if sign == "!=":
        equal = compare("==", one, other, tolerance)
        return not equal if isinstance(equal, bool) else equal
    if isinstance(one, Interval) and isinstance(other, Interval):
        return _equal(one, other, tolerance) if sign == "==" else _ordered(sign, one, other)
    if sign == "==" and type(one) is type(other):
        return one == other
    return Unknown("the expression compares values of different kinds")


def _ordered(sign: ComparisonSign, one: Interval, other: Interval) -> bool | None:
    if sign in {"<", "<="}:
        one, other, sign = other, one, ">" if sign == "<" else ">="
    if sign == ">":
        return True if one.low > other.high else False if one.high <= other.low else None
    return True if one.low >= other.high else False if one.high < other.low else None


def _equal(one: Interval, other: Interval, tolerance: float) -> bool | None:
    """Return whether one side is within a fraction of the other one."""
    part = max(tolerance, ROUNDING)
    ends = [end * (1 + sign * part) for end in (other.low, other.high) for sign in (-1, 1)]
    if one.high < min(ends) or one.low > max(ends):
        return False
    # Within the tolerance of the smallest and of the largest value of the other side, hence of all between.
    if all(abs(a - b) <= part * abs(b) for a in (one.low, one.high) for b in (other.low, other.high)):
        return True
    return None


_RELATIONS = {"<": "below", "<=": "below", ">": "above", ">=": "above", "==": "equal to", "!=": "different from"}


def _undecided(comparison: Relation, one: Value, other: Value) -> Unknown:
    """Say why a comparison of two intervals is not decided.

    For example `time(a) is 4.1 to 4.3 µs, not clearly below time(b), 4.2 to 4.4 µs`.
    """
    relation = _RELATIONS[comparison.sign]
    if comparison.tolerance:
        relation = f"{'within' if comparison.sign == '==' else 'beyond'} {100 * comparison.tolerance:g}% of"
    unit = unit_of(comparison.left) or unit_of(comparison.right)
    words = f"{expression_text(comparison.left)} is {_words(one, unit)}"
    is_measured = isinstance(other, Interval) and any(True for _ in calls(comparison.right))
    named = f"{expression_text(comparison.right)}, " if is_measured else ""
    return Unknown(f"{words}, not clearly {relation} {named}{_words(other, unit)}")


def _words(value: Value, unit: str) -> str:
    """Return an interval for a sentence: `0.9985× to 1.003×`, `4.1 to 4.3 µs`, or the number that it is."""
    if not isinstance(value, Interval):
        return str(value)
    scale = 100 if unit == "%" else 1
    ends = list(dict.fromkeys(f"{scale * end:.4g}" for end in (value.low, value.high)))
    if unit == RATIO:
        return " to ".join(f"{end}{unit}" for end in ends)
    return " to ".join(ends) + (unit if unit == "%" else f" {unit}" if unit else "")

"""How clearly an expression holds, to find the worst setting of a claim (pure functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.claims.evaluate import evaluate
from shflbench.core.claims.expression import Both, Either, Not, Relation
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from shflbench.analysis.claims.evaluate import Lookup
    from shflbench.core.claims.expression import Expression


def margin(expression: Expression, lookup: Lookup) -> float | None:
    """Return by which fraction of its right side an expression is satisfied, below 0 if it is not; None if unknown.

    Texts and truth values satisfy it by 1 or -1.
    """
    match expression:
        case Not(operand=operand):
            known = margin(operand, lookup)
            return None if known is None else -known
        case Both() | Either():
            sides = margin(expression.left, lookup), margin(expression.right, lookup)
            known_sides = [side for side in sides if side is not None]
            choose = min if isinstance(expression, Both) else max
            return choose(known_sides, default=None)
        case Relation():
            return _of_comparison(expression, lookup)
    value = evaluate(expression, lookup)
    return (1.0 if value else -1.0) if isinstance(value, bool) else None


def _of_comparison(comparison: Relation, lookup: Lookup) -> float | None:
    one, other = evaluate(comparison.left, lookup), evaluate(comparison.right, lookup)
    if isinstance(one, Interval) and isinstance(other, Interval):
        size = abs(other.value) or 1.0
        difference = (one.value - other.value) / size
        if comparison.sign in {"<", "<="}:
            return -difference
        if comparison.sign in {">", ">="}:
            return difference
        inside = comparison.tolerance - abs(difference)
        return inside if comparison.sign == "==" else -inside
    if isinstance(one, str | bool) and isinstance(other, str | bool):
        return 1.0 if (one == other) is (comparison.sign == "==") else -1.0
    return None

"""The measured quantity of a claim in words (pure functions)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.contest import times
from shflbench.claims.expression import Arithmetic, Call, Constant, Negative, Relation
from shflbench.claims.functions import FUNCTIONS
from shflbench.claims.walk import nodes
from shflbench.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.claims.claim import Claim
    from shflbench.claims.expression import Expression

RATIO = "×"
FRACTIONS = frozenset({"occupancy", "limit_fraction"})  # shown in percent
DIGITS = 3  # significant, of a quantity with a unit
NAMED = 4  # texts
WORDS = {True: "yes", False: "no"}


def truth_word(value: bool) -> str:  # noqa: FBT001  (a value of an expression)
    """Return a truth value for a reader."""
    return WORDS[value]


def measured_expression(claim: Claim) -> Expression | None:
    """Return the quantity that is printed as measured: the declared one, else the first side that is measured."""
    if claim.measure is not None or claim.holds is None:
        return claim.measure
    comparison = next((node for node in nodes(claim.holds) if isinstance(node, Relation)), None)
    if comparison is None:
        return next((node for node in nodes(claim.holds) if isinstance(node, Call)), None)
    return comparison.right if isinstance(comparison.left, Constant) else comparison.left


def measured_words(claim: Claim, values: Sequence[Interval | str | None]) -> str:
    """Return what was measured in all settings: `4.7×`, `1.8× to 5.3×`, `27.3 to 31.0 µs`, `exchange`."""
    expression = measured_expression(claim)
    numbers = [value.value for value in values if isinstance(value, Interval)]
    texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    if expression is None or not (numbers or texts):
        return ""
    if numbers:
        return quantity_words(numbers, unit_of(expression))
    return ", ".join(texts[:NAMED]) + (", …" if len(texts) > NAMED else "")


def interval_words(claim: Claim, value: Interval | str | None) -> str:
    """Return what was measured in one setting, with its interval: `4.71× (4.68× to 4.75×)`."""
    expression = measured_expression(claim)
    if expression is None or value is None:
        return ""
    if isinstance(value, str):
        return value
    unit = unit_of(expression)
    middle = quantity_words([value.value], unit)
    ends = quantity_words([value.low, value.high], unit)
    return middle if ends == middle else f"{middle} ({ends})"


def unit_of(expression: Expression) -> str:
    """Return the unit of a quantity: `µs`, `×` of a ratio, `%` of a fraction; empty of counts."""
    match expression:
        case Call(function=function):
            return "%" if function in FRACTIONS else FUNCTIONS[function].unit if function in FUNCTIONS else ""
        case Negative(operand=operand):
            return unit_of(operand)
        case Arithmetic(sign=sign, left=first, right=second):
            return _combined(sign, first, second)
    return ""


def _combined(sign: str, first: Expression, second: Expression) -> str:
    one, other = unit_of(first), unit_of(second)
    if sign in {"+", "-"}:
        return one or other
    if isinstance(second, Constant):
        return one
    if sign == "/":
        return RATIO if one == other else ""
    return other if isinstance(first, Constant) else ""


def quantity_words(values: Sequence[float], unit: str) -> str:
    """Return the least and the largest of some values with their unit, or the one that they are."""
    low, high = min(values), max(values)
    if unit == RATIO:
        ends = [_times(low), _times(high)]
        return ends[0] if ends[0] == ends[1] else " to ".join(ends)
    if unit == "%":
        low, high = 100 * low, 100 * high
    decimals = 0 if unit == "%" else _decimals(max(abs(low), abs(high)), whole=all(map(_is_whole, (low, high))))
    ends = [_number(end, decimals) for end in (low, high)]
    number = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    return f"{number}%" if unit == "%" else f"{number} {unit}".strip()


def _times(ratio: float) -> str:
    return times(ratio) if abs(ratio) < 1e6 else f"{ratio:.3g}×"  # noqa: PLR2004  (from here on, digits say nothing)


def _is_whole(value: float) -> bool:
    return value == round(value) if math.isfinite(value) else False


def _decimals(size: float, *, whole: bool) -> int:
    if whole or size == 0 or not math.isfinite(size):
        return 0
    return max(0, DIGITS - 1 - math.floor(math.log10(size)))


def _number(value: float, decimals: int) -> str:
    if abs(value) >= 1e15 or not math.isfinite(value):  # noqa: PLR2004  (a float has no further digits)
        return f"{value:.3g}"
    return f"{value:,.{min(decimals, 12)}f}"

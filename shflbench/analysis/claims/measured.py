"""The quantity that a claim prints as measured: the one that its condition tests, in the same direction.

`time(cub) <= 1.05 * time(shfl)` is a condition on `time(cub) / time(shfl)`. A suite that asks to print its inverse,
such as `speedup(cub, shfl)`, would show a range that lies on the other side of the condition (pure functions).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from shflbench.core.claims.expression import Arithmetic, Call, Constant, Relation
from shflbench.core.claims.walk import calls, expression_text, nodes

if TYPE_CHECKING:
    from shflbench.core.claims.claim import Claim
    from shflbench.core.claims.expression import ComparisonSign, Expression

MIRRORED: dict[ComparisonSign, ComparisonSign] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
# Functions whose values are above 0, so that a comparison of two is one of their ratio with a number.
POSITIVE = frozenset(
    {
        *("time", "p90", "ns_per_iteration", "cycles_per_iteration"),
        *("speedup", "gb_per_s", "limit_fraction", "load_efficiency"),
    }
)


class Condition(NamedTuple):
    """What a claim tests of the measured quantity: `<= 1.05`."""

    sign: ComparisonSign
    bound: float
    tolerance: float = 0.0  # of `==` and `!=`


class MeasuredQuantity(NamedTuple):
    """The quantity that is printed as measured."""

    expression: Expression
    condition: Condition | None = None  # of a claim that tests it against a number, alone or beside others
    name: str = ""  # where the condition of the claim does not contain it as it is, or contains several


class _Factors(NamedTuple):
    """A product: each factor's text with its power, and the constants."""

    powers: Counter[str]
    constant: float


def measured_quantity(claim: Claim) -> MeasuredQuantity | None:
    """Return the quantity to print: the declared one, else that of the first comparison; None if there is none.

    A declared quantity whose inverse is tested is inverted; one that is compared with another is their ratio.
    """
    if claim.holds is None:
        return MeasuredQuantity(claim.measure) if claim.measure else None
    relations = [node for node in nodes(claim.holds) if isinstance(node, Relation)]
    if claim.measure is not None:
        matches = (_match(claim.measure, relation) for relation in relations)
        return _named(claim, *next(filter(None, matches), (claim.measure, None)))
    if relations:
        return _named(claim, *_tested(relations[0]))
    call = next(calls(claim.holds), None)
    return MeasuredQuantity(call) if call else None


def _match(declared: Expression, relation: Relation) -> tuple[Expression, Condition | None] | None:
    """Return a declared quantity as a comparison tests it, with the condition; None if it tests another one."""
    quantity, condition = _tested(relation)
    text = expression_text(declared)
    if text in map(expression_text, (relation.left, relation.right)):
        return quantity, condition
    for one, other, sign in (
        (relation.left, relation.right, relation.sign),
        (relation.right, relation.left, MIRRORED[relation.sign]),
    ):
        if text == expression_text(Arithmetic("-", one, other)):
            return declared, Condition(sign, 0.0)
    factors, wanted = _factors(quantity), _factors(declared)
    if factors.powers == _inverse(wanted.powers):
        return quantity, condition
    return (declared, condition) if factors == wanted else None


def _named(claim: Claim, quantity: Expression, condition: Condition | None) -> MeasuredQuantity:
    assert claim.holds is not None  # noqa: S101  (a quantity of its comparisons)
    text = expression_text(quantity)
    known = condition is not None and any(expression_text(node) == text for node in nodes(claim.holds))
    known = known or isinstance(quantity, Call)
    tested = {expression_text(_tested(node)[0]) for node in nodes(claim.holds) if isinstance(node, Relation)}
    return MeasuredQuantity(quantity, condition, "" if known and len(tested) == 1 else text)


def _tested(relation: Relation) -> tuple[Expression, Condition | None]:
    """Return what a comparison tests, and against which number, if it is one."""
    first, right, sign = relation.left, relation.right, relation.sign
    if isinstance(first, Constant):
        first, right, sign = right, first, MIRRORED[sign]
    if isinstance(right, Constant):
        number = isinstance(right.value, int | float) and not isinstance(right.value, bool)
        return first, Condition(sign, float(right.value), relation.tolerance) if number else None
    if not all(call.function in POSITIVE for side in (first, right) for call in calls(side)):
        return first, None
    one, other = _factors(first), _factors(right)
    if min(one.constant, other.constant) <= 0:
        return first, None
    ratio = Arithmetic("/", _without_constant(first), _without_constant(right))
    return ratio, Condition(sign, other.constant / one.constant, relation.tolerance)


def _without_constant(expression: Expression) -> Expression:
    match expression:
        case Arithmetic("*", Constant(), operand) | Arithmetic("*" | "/", operand, Constant()):
            return _without_constant(operand)
        case _:
            return expression


def _factors(expression: Expression) -> _Factors:
    """Return an expression as a product; a sum, or what is no number, is one factor."""
    match expression:
        case Constant(value=value) if isinstance(value, int | float):
            return _Factors(Counter(), float(value))
        case Call("speedup", (one, other)):
            times = (expression_text(Call("time", (name,), expression.settings)) for name in (other, one))
            return _Factors(_powers(dict(zip(times, (1, -1), strict=True))), 1.0)
        case Arithmetic("*" | "/", left, right):
            first, second = _factors(left), _factors(right)
            if expression.sign == "*":
                return _Factors(_powers(_sum(first.powers, second.powers)), first.constant * second.constant)
            if second.constant:
                return _Factors(_powers(_sum(first.powers, _inverse(second.powers))), first.constant / second.constant)
    return _Factors(_powers({expression_text(expression): 1}), 1.0)


def _sum(one: Counter[str], other: Counter[str]) -> dict[str, int]:
    return {name: one[name] + other[name] for name in one.keys() | other.keys()}


def _powers(powers: dict[str, int]) -> Counter[str]:
    return Counter({name: power for name, power in powers.items() if power})


def _inverse(powers: Counter[str]) -> Counter[str]:
    return Counter({name: -power for name, power in powers.items()})

"""The measured quantity of a claim in words (pure functions)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.claims.measured import measured_quantity
from shflbench.analysis.ranking import times
from shflbench.core.claims.expression import Arithmetic, Call, Constant, Negative
from shflbench.core.claims.functions import FUNCTIONS
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.claims.measured import MeasuredQuantity
    from shflbench.core.claims.claim import Claim
    from shflbench.core.claims.expression import Expression

RATIO = "×"
FRACTIONS = frozenset({"occupancy", "limit_fraction", "load_efficiency"})  # shown in percent
PER_ITERATION, AND = " per iteration", " and "
OF, TOGETHER = "of ", " together"  # around the opcodes of a sum
PLURALS = frozenset({"hazards", "registers", "cycles"})
DEVICE_UNITS = {
    "sms": "SMs",
    "threads_per_sm": "threads per SM",
    "max_shared_bytes": "B",
    "memory_bytes": "B",
    "clock_mhz": "MHz",
    "l2_bytes": "B",
}
DIGITS = 3  # significant, of a quantity with a unit
NAMED = 4  # texts
WORDS = {True: "yes", False: "no"}


def truth_word(value: bool) -> str:  # noqa: FBT001  (a value of an expression)
    """Return a truth value for a reader."""
    return WORDS[value]


def measured_words(claim: Claim, values: Sequence[Interval | str | None]) -> str:
    """Return what was measured in all settings: `4.7×`, `1.8× to 5.3×`, `27.3 to 31.0 µs`, `exchange`."""
    quantity = measured_quantity(claim)
    numbers = [value.value for value in values if isinstance(value, Interval)]
    texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    if quantity is None or not (numbers or texts):
        return ""
    if numbers:
        return quantity_words(numbers, unit_of(quantity.expression))
    return ", ".join(texts[:NAMED]) + (", …" if len(texts) > NAMED else "")


def condition_words(quantity: MeasuredQuantity | None) -> str:
    """Return what is tested of a quantity, in the unit of its value: `<= 1.05`; empty if it is no number."""
    if quantity is None or quantity.condition is None:
        return ""
    condition = quantity.condition
    tolerance = f" within {100 * condition.tolerance:.10g}%" if condition.tolerance else ""
    return f"{condition.sign} {condition.bound:.10g}{tolerance}"


def interval_words(claim: Claim, value: Interval | str | None) -> str:
    """Return what was measured in one setting, with its interval: `4.71× (4.68× to 4.75×)`."""
    quantity = measured_quantity(claim)
    if quantity is None or value is None:
        return ""
    if isinstance(value, str):
        return value
    unit = unit_of(quantity.expression)
    middle = quantity_words([value.value], unit)
    ends = quantity_words([value.low, value.high], unit)
    return middle if ends == middle else f"{middle} ({ends})"


def unit_of(expression: Expression) -> str:
    """Return the unit of a quantity: `µs`, `×` of a ratio, `%` of a fraction, `SHFL per iteration`; empty of texts."""
    match expression:
        case Call("sass", (*_, opcode)):
            return f"{opcode}{PER_ITERATION}"
        case Call("device", (name, *_)):
            return DEVICE_UNITS.get(name, "")
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
        return _of_sum(one, other)
    if isinstance(second, Constant):
        return one
    if isinstance(first, Constant):
        return other if sign == "*" else f"1/({other})"
    if sign == "/" and (one == other or all(unit.endswith(PER_ITERATION) for unit in (one, other))):
        return RATIO
    return f"{one} {'·' if sign == '*' else '/'} {other}"


def _of_sum(one: str, other: str) -> str:
    """Return the unit of a sum: of counts of several opcodes, `of STS, BAR and LDS together per iteration`."""
    if one == other or not all(unit.endswith(PER_ITERATION) for unit in (one, other)):
        return one or other
    names = (unit.removesuffix(PER_ITERATION).removesuffix(TOGETHER).removeprefix(OF) for unit in (one, other))
    *opcodes, last = dict.fromkeys(opcode for part in names for opcode in part.replace(AND, ", ").split(", "))
    return f"{OF}{', '.join(opcodes)}{AND}{last}{TOGETHER}{PER_ITERATION}"


def quantity_words(values: Sequence[float], unit: str) -> str:
    """Return the least and the largest of some values with their unit, or the one that they are."""
    low, high = min(values), max(values)
    if unit == RATIO:
        ends = [_times(low), _times(high)]
        return ends[0] if ends[0] == ends[1] else " to ".join(ends)
    if unit == "%":
        low, high = 100 * low, 100 * high
    if unit == "%":  # a share that was counted, and is a whole tenth, such as 12.5%
        decimals = int(low == high and _is_whole(10 * low) and not _is_whole(low))
    else:
        decimals = _decimals(max(abs(low), abs(high)), whole=all(map(_is_whole, (low, high))))
    ends = [_number(end, decimals) for end in (low, high)]
    number = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    if number == "1" and unit in PLURALS:
        unit = unit.removesuffix("s")
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

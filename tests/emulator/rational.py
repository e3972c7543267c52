"""IEEE 754 arithmetic on Python's rationals, independent of the emulator's: one operation, one rounding.

A number is a Fraction unless it is a zero, an infinity or NaN: those are Python floats, whose own arithmetic is right.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from shflbench.emulator.opcodes.forms import Values

Number = Fraction | float
MODES = ("rn", "rz", "rm", "rp")
# Digits of the mantissa, exponent of the smallest subnormal number, exponent of the largest number.
FORMATS = {"f16": (11, -24, 15), "bf16": (8, -133, 127), "f32": (24, -149, 127), "f64": (53, -1074, 1023)}
SMALLEST_NORMAL = {"f16": Fraction(1, 2**14), "bf16": Fraction(1, 2**126), "f32": Fraction(1, 2**126)}


def number(value: float) -> Number:
    return Fraction(value) if value and math.isfinite(value) else value


def negative(value: Number) -> bool:
    return value < 0 if isinstance(value, Fraction) else math.copysign(1.0, value) < 0


def _plain(value: Number) -> float:
    """Return a float of the same kind and sign."""
    return value if isinstance(value, float) else -1.0 if negative(value) else 1.0


def total(a: Number, b: Number, mode: str = "rn") -> Number:
    """Return a + b; an exact zero of unequal signs is negative only if rounded down."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b or (-0.0 if mode == "rm" else 0.0)
    if not a and not b:
        return a if negative(a) == negative(b) else -0.0 if mode == "rm" else 0.0
    if not a or not b:
        return a or b
    return _plain(a) + _plain(b)


def product(a: Number, b: Number) -> Number:
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _plain(a) * _plain(b)


def quotient(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    if b:
        return _plain(a) / _plain(b)
    return math.copysign(math.inf, _plain(a)) * math.copysign(1.0, b) if a and not math.isnan(a) else math.nan


def settled(value: Number, type_: str, mode: str = "rn") -> float:
    """Return `value` in the format, rounded by comparing it with its two neighbors."""
    if not isinstance(value, Fraction):
        return value
    digits, lowest, highest = FORMATS[type_]
    numerator, denominator = abs(value.numerator), value.denominator
    exponent = max(lowest, numerator.bit_length() - denominator.bit_length() - digits - 1)  # of a step between numbers
    numerator, denominator = numerator << max(0, -exponent), denominator << max(0, exponent)
    while numerator >= denominator << digits:
        denominator, exponent = denominator * 2, exponent + 1
    steps, rest = divmod(numerator, denominator)
    down = {
        "rn": 2 * rest < denominator or (2 * rest == denominator and steps % 2 == 0),
        "rz": True,
        "rm": value > 0,
        "rp": value < 0,
    }[mode]
    steps += rest > 0 and not down
    if steps.bit_length() + exponent > highest + 1:
        over = mode == "rn" or (mode == "rm" and value < 0) or (mode == "rp" and value > 0)
        largest = math.ldexp(2**digits - 1, highest + 1 - digits)
        return math.copysign(math.inf if over else largest, _plain(value))
    return math.copysign(math.ldexp(steps, exponent), _plain(value))


def flushed(value: float, type_: str = "f32") -> float:
    """Return the result of `.ftz`: a zero of the same sign if the number is subnormal."""
    return math.copysign(0.0, value) if abs(value) < SMALLEST_NORMAL[type_] else value


def saturated(value: float) -> float:
    """Return the result of `.sat` for a number: the nearest from +0 to 1, and +0 for NaN."""
    return value if 0 < value < 1 else 1.0 if value >= 1 else 0.0


def smaller(a: float, b: float) -> float:
    """Return the minimum, where -0 is less than +0 and NaN is ignored."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=lambda x: (x, math.copysign(1.0, x)))


def larger(a: float, b: float) -> float:
    return -smaller(-a, -b)


def of_sizes(extreme: Callable[[float, float], float], a: float, b: float) -> float:
    """Return an extreme of the absolute values, with the sign of the product; NaN has a sign, too."""
    size = extreme(abs(a), abs(b))
    return math.copysign(size, math.copysign(1.0, a) * math.copysign(1.0, b))


def listed(values: Values, type_: str) -> list[float]:
    """Return the numbers of an array: an array of bfloat16 holds its bits."""
    if type_ == "bf16":
        values = (np.asarray(values).view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    numbers: list[float] = values.view({"f16": "f2", "f64": "f8"}.get(type_, "f4")).tolist()
    return numbers


def assert_same_numbers(got: Sequence[float], expected: Sequence[float]) -> None:
    """Require equal numbers with equal signs, where any NaN equals any other."""
    rows = enumerate(zip(got, expected, strict=True))
    wrong = [(place, a, b) for place, (a, b) in rows if repr(a) != repr(b)]  # as text, NaN equals NaN and 0.0 not -0.0
    assert not wrong, (len(wrong), wrong[:3])

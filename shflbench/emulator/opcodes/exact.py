"""Round exact rationals to binary floating point: slow, and needed only for rare elements."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from shflbench.emulator.opcodes.forms import Values

# NumPy type → (digits of the mantissa, exponent of the smallest normal number, largest exponent)
FORMATS = {"f2": (11, -14, 15), "f4": (24, -126, 127), "f8": (53, -1022, 1023), "bf16": (8, -126, 127)}


def round_to(value: Fraction, type_: str, mode: str = "rn") -> float:
    """Return `value` in the format `type_`, rounded to nearest even (rn), to zero (rz), down (rm) or up (rp)."""
    if not value:
        return 0.0
    digits, smallest, largest = FORMATS[type_]
    sign, size = (-1 if value < 0 else 1), abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    step = max(exponent, smallest) - digits + 1
    scaled = size / Fraction(2) ** step
    whole = math.floor(scaled)
    rest = scaled - whole
    upwards = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
        "rz": False,
        "rm": sign < 0 and rest > 0,
        "rp": sign > 0 and rest > 0,
    }[mode]
    whole += upwards
    if whole.bit_length() + step > largest + 1:
        to_infinity = mode == "rn" or (mode == "rp" and sign > 0) or (mode == "rm" and sign < 0)
        return sign * (math.inf if to_infinity else math.ldexp(2**digits - 1, largest - digits + 1))
    return sign * math.ldexp(whole, step) if whole else math.copysign(0.0, sign)


def elementwise(  # noqa: PLR0913, PLR0917  (a formula, its two ways of evaluation, and where the result goes)
    formula: Callable[..., Fraction],
    plain: Callable[..., Values],
    mode: str,
    operands: tuple[Values, ...],
    out: Values,
    signs: tuple[int, ...] = (),
) -> None:
    """Write `formula` of exact operands, rounded once.

    Where an operand is not finite, or the result is an exact zero whose sign the formula cannot tell, `plain` decides.
    `signs` are the operands whose change of sign changes the sign of a sum: x + (-x) is -0 when rounding down.
    """
    arrays = [np.broadcast_to(x, out.shape).ravel() for x in operands]
    mirrored = [-array if place in signs else array for place, array in enumerate(arrays)]
    with np.errstate(all="ignore"):
        result = np.array(plain(*arrays), out.dtype)
        zeros = -np.array(plain(*mirrored), out.dtype) if signs and mode == "rm" else result
    type_ = out.dtype.str[1:]
    for place, values in enumerate(zip(*(array.tolist() for array in arrays), strict=True)):
        if not all(math.isfinite(value) for value in values):
            continue
        try:
            exact = formula(*(Fraction(value) for value in values))
        except ZeroDivisionError:
            continue
        if exact:
            result[place] = round_to(exact, type_, mode)
        else:  # unless `plain` underflowed or overflowed on the way, it knows the sign
            result[place] = 0.0 if zeros[place] else zeros[place]
    np.copyto(out, result.reshape(out.shape))

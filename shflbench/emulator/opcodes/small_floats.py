"""Floating-point numbers of 8 bits: e4m3 and e5m2 (OCP, "8-bit Floating Point Specification", revision 1.0)."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from shflbench.emulator.opcodes.forms import Values

# type → (bits of the mantissa, bias of the exponent, largest number, code of NaN)
FORMATS: Mapping[str, tuple[int, int, float, int]] = {"e4m3": (3, 7, 448.0, 0x7F), "e5m2": (2, 15, 57344.0, 0x7F)}


@cache
def _table(type_: str) -> Values:
    """Return the number of each of the 256 codes."""
    mantissa, bias, _, _ = FORMATS[type_]
    codes = np.arange(256)
    exponent, fraction = codes >> mantissa & ((1 << (7 - mantissa)) - 1), codes & ((1 << mantissa) - 1)
    top = (1 << (7 - mantissa)) - 1
    sizes = np.where(
        exponent == 0,
        np.ldexp(fraction.astype(float), 1 - bias - mantissa),
        np.ldexp((fraction + (1 << mantissa)).astype(float), exponent - bias - mantissa),
    )
    if type_ == "e5m2":
        sizes = np.where(exponent == top, np.where(fraction == 0, np.inf, np.nan), sizes)
    else:
        sizes = np.where((exponent == top) & (fraction == 7), np.nan, sizes)  # noqa: PLR2004  (all ones)
    return np.where(codes & 0x80, -sizes, sizes)


def numbers(codes: Values, type_: str) -> Values:
    """Return the numbers that 8-bit codes represent, as doubles."""
    values: Values = _table(type_)[codes]
    return values


def encode(values: Values, type_: str) -> Values:
    """Return the nearest codes, ties to even; what is too large becomes the largest number (`.satfinite`)."""
    mantissa, bias, largest, nan = FORMATS[type_]
    sizes = np.minimum(np.abs(values), largest)
    _, exponent = np.frexp(sizes)
    step = np.maximum(exponent - 1, 1 - bias) - mantissa
    rounded = np.ldexp(np.rint(np.ldexp(sizes, -step)), step)
    fraction, exponent = np.frexp(np.minimum(rounded, largest))
    normal = exponent - 1 >= 1 - bias
    whole = np.ldexp(rounded, mantissa + bias - 1)  # of a subnormal number
    bits = np.where(
        normal,
        (exponent - 1 + bias) * (1 << mantissa) + np.rint(np.ldexp(2 * fraction - 1, mantissa)),
        np.rint(np.where(normal, 0, whole)),
    )
    bits = np.where(rounded == 0, 0, bits)
    code = np.where(np.isnan(values), nan, bits + np.where(np.signbit(values), 0x80, 0))
    return code.astype(np.uint8)

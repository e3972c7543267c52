"""Fused multiply-add: one rounding of the exact a·b + c, which NumPy does not offer.

Single precision: the product is exact in double precision, the sum is rounded there first. That changes the
result only where the double lies halfway between two singles, or is subnormal as a single; there, and for directed
roundings, the sum is rounded to odd (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE
Transactions on Computers 57(4), 2008). Double precision: error-free transformations and one rounding to odd, of the
mantissas alone where the numbers are very large or very small; subnormal results are computed with exact rationals.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from shflbench.emulator.opcodes import exact
from shflbench.emulator.opcodes.floating import ROUNDINGS, add_modifiers
from shflbench.emulator.opcodes.forms import Apply, Decoder, Pure, Values, last_type, only
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

_BELOW_SINGLE = np.uint64(0x1FFFFFFF)  # the 29 digits that a double has and a single has not
_HALFWAY = np.uint64(0x10000000)
POWER_OF_TWO = 0.5  # the mantissa that frexp gives
_SPLIT = 2.0**27 + 1  # Veltkamp's constant: cuts 53 digits into 26 and 26
# Products and splits of numbers between these neither overflow nor lose digits below the smallest double.
_SAFE_LOW, _SAFE_HIGH = 2.0**-400, 2.0**400
_NORMAL = 2.0**-1021  # a larger result was not rounded again for lack of digits
# Binary places between the product of two mantissas and a third number, beyond which the smaller one decides on nothing
# but the direction of a rounding: a product has 106 digits.
_FAR = 200


def _exact(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return a * b + c


def _plain(a: Values, b: Values, c: Values) -> Values:
    """Return what not finite operands give; a finite product that overflows is no match for an infinite `c`."""
    return np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, a * b + c)


def slowly(mode: str, a: Values, b: Values, c: Values, out: Values) -> None:
    """Write a·b + c with exact rationals."""
    exact.elementwise(_exact, _plain, mode, (a, b, c), out, signs=(0, 2))


def _repair(where: Values, operands: tuple[Values, Values, Values], out: Values) -> None:
    chosen = [np.broadcast_to(x, out.shape)[where] for x in operands]
    result = np.empty(chosen[0].shape, out.dtype)
    slowly("rn", chosen[0], chosen[1], chosen[2], result)
    out[where] = result


def _by_power_of_two(a: Values, b: Values, c: Values, out: Values) -> bool:
    """Write the result if `b` is one constant 2^-n and no product is subnormal: then every product is exact."""
    if not isinstance(b, np.floating) or (limits := _exact_products(b, out.dtype)) is None:
        return False
    one, least = limits
    # Without the sign, less one, so that zero is the largest: its product is exact, too.
    sizes = np.asarray(a).view(one.dtype) << one
    sizes -= one
    if np.minimum.reduce(sizes, axis=None) < least:
        return False
    np.add(np.multiply(a, b), c, out)
    return True


@lru_cache(maxsize=256, typed=True)
def _exact_products(b: "np.floating[Any]", dtype: "np.dtype[Any]") -> tuple[Values, Values] | None:
    """Return one and the least size of a factor whose product with `b`, if that is 2^-n, is exact: of their bits."""
    if abs(math.frexp(b)[0]) != POWER_OF_TWO or abs(b) > 1:
        return None
    bits = f"u{dtype.itemsize}"
    one: Values = np.ones((), bits)
    smallest = np.abs(np.finfo(dtype).smallest_normal / b).view(bits)
    return one, (smallest << one) - one


def _single(a: Values, b: Values, c: Values, out: Values) -> None:
    if _by_power_of_two(a, b, c, out):
        return
    wide = np.empty(out.shape, np.float64)
    np.multiply(a, b, wide, dtype=np.float64)
    np.add(wide, c, wide)
    doubtful = (wide.view(np.uint64) & _BELOW_SINGLE) == _HALFWAY
    if not np.abs(wide).min() >= 2.0**-126:  # also where there is a NaN
        doubtful |= (np.abs(wide) < 2.0**-126) & (wide != 0)
    if doubtful.any():
        x, y, z = (np.broadcast_to(v, out.shape)[doubtful].astype(np.float64) for v in (a, b, c))
        wide[doubtful] = _to_odd(x * y, z)
    np.copyto(out, wide, casting="unsafe")


def _single_directed(mode: str, a: Values, b: Values, c: Values, out: Values) -> None:
    """Write a·b + c in single precision, rounded to zero (rz), down (rm) or up (rp)."""
    x, y, z = (np.broadcast_to(v, out.shape).astype(np.float64) for v in (a, b, c))
    product = x * y  # exact
    wide = _to_odd(product, z)
    nearest = wide.astype(np.float32)
    down = nearest > wide if mode != "rp" else np.zeros(wide.shape, bool)
    up = nearest < wide if mode != "rm" else np.zeros(wide.shape, bool)
    if mode == "rz":
        down &= wide > 0
        up &= wide < 0
    result = np.where(down, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    result = np.where(up, np.nextafter(nearest, np.float32(np.inf)), result)
    if mode == "rm":  # x + (-x) is -0
        result = np.where((wide == 0) & (np.signbit(product) | np.signbit(z)), np.float32(-0.0), result)
    np.copyto(out, result)


def _two_sum(a: Values, b: Values) -> tuple[Values, Values]:
    """Return a + b rounded, and its error (Knuth)."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def _two_product(a: Values, b: Values) -> tuple[Values, Values]:
    """Return a · b rounded, and its error (Dekker)."""
    product = a * b
    scaled = a * _SPLIT
    a_high = scaled - (scaled - a)
    scaled = b * _SPLIT
    b_high = scaled - (scaled - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _to_odd(a: Values, b: Values) -> Values:
    """Return a + b rounded to odd: if inexact, the neighbor whose last digit is 1."""
    total, error = _two_sum(a, b)
    bits = total.view(np.int64)
    even = (error != 0) & (bits & 1 == 0) & np.isfinite(total)
    towards_zero = (error > 0) != (total > 0)
    adjusted: Values = np.where(even, bits + np.where(towards_zero, -1, 1), bits).view(np.float64)
    return adjusted


def _rounded(a: Values, b: Values, c: Values) -> Values:
    """Return a·b + c, rounded once, where no step overflows or lacks digits."""
    product, low = _two_product(a, b)
    total, error = _two_sum(c, low)
    high, rest = _two_sum(product, total)
    result: Values = high + _to_odd(rest, error)
    return result


def _of_mantissas(a: Values, b: Values, c: Values) -> Values:
    """Return a·b + c of finite numbers of any size, rounded once if it is normal."""
    (a, a_place), (b, b_place), (c, c_place) = (np.frexp(x) for x in (a, b, c))
    place = np.where((a == 0) | (b == 0), c_place, a_place + b_place)
    c_place = np.where(c == 0, place, c_place)
    scale = np.maximum(place, c_place - _FAR)
    result: Values = np.ldexp(_rounded(a, b, np.ldexp(c, np.clip(c_place - place, -_FAR, _FAR))), scale)
    return result


def _double(a: Values, b: Values, c: Values, out: Values) -> None:
    if _by_power_of_two(a, b, c, out):
        return
    x, y, z = (np.broadcast_to(v, out.shape) for v in (a, b, c))
    result = _rounded(x, y, z)
    sizes = [np.abs(v) for v in (x, y, z, result)]
    safe = np.logical_and.reduce([((size > _SAFE_LOW) | (size == 0)) & (size < _SAFE_HIGH) for size in sizes])
    zero = result == 0
    if zero.any():  # the transformations lose its sign; the product is exactly -c
        result = np.where(zero, x * y + z, result)
    if safe.all():
        np.copyto(out, result)
    else:
        operands = (np.array(x), np.array(y), np.array(z))
        result[~safe] = _of_mantissas(*(v[~safe] for v in operands))
        np.copyto(out, result)
        known = safe | ((np.abs(result) >= _NORMAL) & np.logical_and.reduce([np.isfinite(v) for v in operands]))
        if not known.all():
            _repair(~known, operands, out)


def _decode(instruction: PtxInstruction) -> Pure:
    only(instruction, *ROUNDINGS, "ftz", "sat")
    type_ = NUMPY[last_type(instruction, "f")]
    mode = next((word for word in instruction.modifiers if word in ROUNDINGS), "rn")
    apply: Apply = _single if type_ == "f4" else _double
    if mode != "rn":
        apply = partial(_single_directed if type_ == "f4" else slowly, mode)
    return Pure((type_,), (type_, type_, type_), add_modifiers(apply, instruction))


FORMS: Mapping[str, Decoder] = {"fma": _decode, "mad": _decode}

"""Floating-point forms against exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.backends.emulator.opcodes import fused
from tests.backends.emulator.forms import floats, run, run_in_place, same_bits

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.emulator.forms import Values

MODES = ("rn", "rz", "rm", "rp")
DIGITS = {4: (24, -149, 127), 8: (53, -1074, 1023)}
Exact = "Callable[..., Fraction]"


def nearest(value: Fraction, size: int, mode: str) -> float:
    """Return `value` rounded, by bisection between neighbouring floats: another way than the emulator's."""
    digits, lowest, highest = DIGITS[size]
    magnitude, sign = abs(value), 1 if value > 0 else -1
    step = Fraction(2) ** max(
        lowest, magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - digits - 1
    )
    while magnitude >= step * 2**digits:
        step *= 2
    below = magnitude // step * step
    above = below + step
    down = {"rn": magnitude - below < above - magnitude, "rz": True, "rm": value > 0, "rp": value < 0}[mode]
    if mode == "rn" and magnitude - below == above - magnitude:
        down = (below / step) % 2 == 0
    chosen = below if down or below == magnitude else above
    largest = (2 - Fraction(1, 2 ** (digits - 1))) * Fraction(2) ** highest
    if chosen > largest:
        over = mode == "rn" or (mode == "rm" and value < 0) or (mode == "rp" and value > 0)
        return math.copysign(math.inf if over else float(largest), sign)
    return math.copysign(float(chosen), sign)


def expected(
    formula: Callable[..., Fraction], plain: Callable[..., Values], size: int, mode: str, *operands: Values
) -> Values:
    with np.errstate(all="ignore"):
        result = np.array(plain(*operands)).astype(f"f{size}")
    for place, row in enumerate(zip(*(x.tolist() for x in operands), strict=True)):
        if all(map(math.isfinite, row)):
            try:
                exact = formula(*map(Fraction, row))
            except ZeroDivisionError:
                continue
            if exact:
                result[place] = nearest(exact, size, mode)
            elif result[place] != 0:
                result[place] = 0.0
            elif mode == "rm" and all(row) and not math.copysign(1, result[place]) < 0:
                result[place] = -0.0
    return result


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("opcode", "formula", "plain"),
    [
        ("add", lambda a, b: a + b, np.add),
        ("sub", lambda a, b: a - b, np.subtract),
        ("mul", lambda a, b: a * b, np.multiply),
        ("div", lambda a, b: a / b, np.divide),
    ],
)
def test_arithmetic_is_rounded_once(
    opcode: str, formula: Callable[..., Fraction], plain: Callable[..., Values], mode: str, size: int
) -> None:
    a, b = floats(size, 2)
    if mode != "rn":
        a, b = a[::3], b[::3]
    (got,) = run(f"{opcode}.{mode}.f{8 * size}", a, b)
    zero_operands = (a == 0) | (b == 0)
    wanted = expected(formula, plain, size, mode, a, b)
    chosen = ~zero_operands if mode == "rm" and opcode in {"add", "sub"} else np.ones(a.shape, bool)
    same_bits(got[chosen], wanted[chosen])


def fused_of_infinities(a: Values, b: Values, c: Values) -> Values:
    return np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, a * b + c)


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("mode", MODES)
def test_fused_multiply_and_add_is_rounded_once(mode: str, size: int) -> None:
    a, b, c = floats(size, 3)
    rng = np.random.default_rng(5)
    near = [x[-150:] for x in floats(size, 3, seed=9)]  # where c cancels most of the product
    with np.errstate(all="ignore"):
        a, b = np.concatenate([a, near[0]]), np.concatenate([b, near[1]])
        c = np.concatenate([c, -(near[0] * near[1]) * (1 + rng.integers(-2, 3, 150) * np.finfo(c.dtype).eps)]).astype(
            c.dtype
        )
    if mode != "rn":
        a, b, c = a[::4], b[::4], c[::4]
    (got,) = run(f"fma.{mode}.f{8 * size}", a, b, c)
    wanted = expected(lambda x, y, z: x * y + z, fused_of_infinities, size, mode, a, b, c)
    cancels = np.array([wanted[i] == 0 and mode == "rm" for i in range(a.size)])
    same_bits(got[~cancels], wanted[~cancels])


def test_the_double_rounding_of_single_precision_is_repaired() -> None:
    # The exact sum lies just above the middle of two singles, and its double exactly on it.
    a = np.array([1 + 2.0**-12], np.float32)
    c = np.array([2.0**-60], np.float32)
    b = np.array([1 + 2.0**-12], np.float32)  # a·b = 1 + 2^-11 + 2^-24: the middle
    (got,) = run("fma.rn.f32", a, b, c)
    naive = (a.astype(np.float64) * b + c).astype(np.float32)
    assert got[0] == np.float32(1 + 2.0**-11 + 2.0**-23)
    assert naive[0] != got[0]


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("factor", [0.5, 1 / 64, 2.0**-100, 3.0, 2.0])
def test_a_constant_factor_takes_the_short_cut_only_where_it_is_exact(factor: float, size: int) -> None:
    a, c = floats(size, 2)
    a, c = np.concatenate([a, np.zeros(3, a.dtype)]), np.concatenate([c, np.ones(3, c.dtype)])
    out = np.empty_like(a)
    scalar = a.dtype.type(factor)
    with np.errstate(all="ignore"):
        {4: fused._single, 8: fused._double}[size](a, scalar, c, out)  # noqa: SLF001
    wanted = expected(
        lambda x, z: x * Fraction(factor) + z, lambda x, z: fused_of_infinities(x, scalar, z), size, "rn", a, c
    )
    same_bits(out, wanted)
    finite = np.abs(np.concatenate([np.ones(5, a.dtype), np.zeros(2, a.dtype)]))
    out = np.empty_like(finite)
    {4: fused._single, 8: fused._double}[size](finite, scalar, np.ones_like(finite), out)  # noqa: SLF001
    assert out.tolist() == [factor + 1] * 5 + [1.0] * 2 or size == 4


@pytest.mark.parametrize("form", ["add.f32", "mul.f64", "fma.rn.f32", "fma.rn.f64", "min.f32", "sub.f64"])
def test_the_result_may_replace_an_operand(form: str) -> None:
    size = int(form[-2:]) // 8
    operands = floats(size, 3 if "fma" in form else 2)
    same_bits(run_in_place(form, *operands), run(form, *operands)[0])


def test_single_precision_makes_one_kind_of_nan() -> None:
    a = np.array([np.inf, 0x7F800001, 0xFFC00123, 1], np.float64)
    a32 = np.array([0x7F800000, 0x7F800001, 0xFFC00123, 0x3F800000], np.uint32).view(np.float32)
    b32 = np.array([0xFF800000, 0x3F800000, 0x3F800000, 0x3F800000], np.uint32).view(np.float32)
    assert a.size == a32.size
    for form in ("add.f32", "fma.rn.f32", "min.NaN.f32"):
        operands = (a32, b32, b32) if "fma" in form else (a32, b32)
        bits = run(form, *operands)[0].view(np.uint32).tolist()
        assert bits[1:3] == [0x7FFFFFFF] * 2
    assert run("add.f32", a32, b32)[0].view(np.uint32)[0] == 0x7FFFFFFF


@pytest.mark.parametrize("size", [4, 8])
def test_minimum_and_maximum_ignore_nan_and_order_zeros(size: int) -> None:
    type_ = f"f{8 * size}"
    a = np.array([0.0, -0.0, np.nan, 1.0, np.nan, 2.0], f"f{size}")
    b = np.array([-0.0, 0.0, 3.0, np.nan, np.nan, -2.0], f"f{size}")
    low, high = run(f"min.{type_}", a, b)[0], run(f"max.{type_}", a, b)[0]
    assert np.signbit(low[:2]).all()
    assert not np.signbit(high[:2]).any()
    assert low[2:4].tolist() == high[2:4].tolist() == [3.0, 1.0]
    assert np.isnan(low[4])
    assert (low[5], high[5]) == (-2.0, 2.0)
    propagated = run(f"max.NaN.{type_}", a, b)[0]
    assert np.isnan(propagated[2:5]).all()


def test_flush_to_zero_and_saturation() -> None:
    tiny, small = np.float32(2.0**-127), np.float32(2.0**-126)
    a = np.array([tiny, -tiny, small, small], np.float32)
    b = np.array([1, 1, 1, 0.5], np.float32)
    assert run("mul.ftz.f32", a, b)[0].tolist() == [0.0, 0.0, small, 0.0]
    assert np.signbit(run("mul.ftz.f32", a, b)[0]).tolist() == [False, True, False, False]
    c = np.array([-1, 0.25, 2, np.nan], np.float32)
    assert run("add.sat.f32", c, np.zeros(4, np.float32))[0].tolist() == [0.0, 0.25, 1.0, 0.0]


@pytest.mark.parametrize("size", [4, 8])
def test_roots_and_reciprocals(size: int) -> None:
    type_ = f"f{8 * size}"
    (a,) = floats(size, 1)
    with np.errstate(all="ignore"):
        same_bits(run(f"sqrt.rn.{type_}", a)[0], np.sqrt(a))
    wanted = expected(lambda x: 1 / x, lambda x: 1 / x, size, "rn", a)
    same_bits(run(f"rcp.rn.{type_}", a)[0], wanted)
    same_bits(run(f"neg.{type_}", a)[0].view(a.dtype), -a)
    same_bits(run(f"abs.{type_}", a)[0].view(a.dtype), np.abs(a))
    same_bits(run(f"copysign.{type_}", a, np.abs(a))[0], a)


@pytest.mark.parametrize(("form", "zeros"), [("add.rm.f32", "-+--"), ("add.rp.f32", "++-+"), ("add.rn.f32", "++-+")])
def test_sign_of_an_exact_zero_depends_on_the_rounding(form: str, zeros: str) -> None:
    a, b = np.array([-0.0, 0.0, -0.0, 1.0], np.float32), np.array([0.0, 0.0, -0.0, -1.0], np.float32)
    (total,) = run(form, a, b)
    assert "".join("-" if negative else "+" for negative in np.signbit(total.view(np.float32))) == zeros
    one = np.ones(4, np.float32)
    (fused,) = run(form.replace("add", "fma"), a, one, b)
    assert "".join("-" if negative else "+" for negative in np.signbit(fused.view(np.float32))) == zeros

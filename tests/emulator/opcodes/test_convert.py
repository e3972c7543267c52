"""Conversions against exact rationals."""

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.syntax import NUMPY
from tests.emulator.declared import each
from tests.emulator.forms import floats, integers, run
from tests.emulator.rational import (
    FORMATS,
    MODES,
    assert_same_numbers,
    flushed,
    listed,
    negative,
    number,
    saturated,
    settled,
)

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
WHOLE: Mapping[str, Callable[[Fraction], int]] = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
NARROWING = [("f16", "f32"), ("f16", "f64"), ("f32", "f64")]
WIDENING = [("f32", "bf16"), ("f32", "f16"), ("f64", "f16"), ("f64", "f32")]
NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF}  # the one that arithmetic makes


def edges() -> Iterator[float]:
    """Yield numbers around the middles between neighbors, and around the limits, of every type."""
    yield from (0.5, 1.5, 2.5, 127.5, 1e10)
    for digits, lowest, highest in FORMATS.values():
        for step in (1, 3, 5):
            for exponent in (0, 10, -20, lowest + digits - 1):
                yield math.ldexp(1 + math.ldexp(step, -digits), exponent)
                yield math.ldexp(1 + math.ldexp(step, -digits) + 2.0**-50, exponent)
            yield math.ldexp(step, lowest - 1)
        if highest < 1023:  # the middle between the largest number and infinity
            yield math.ldexp(2 - 2.0**-digits, highest)
            yield math.ldexp(2 - 2.0**-digits - 2.0**-52, highest)
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        yield from (2.0**bits, 2.0**bits - 1, 2.0**bits - 0.5, 2.0**bits + 1)


def source(type_: str) -> Values:
    """Return operands of a type of floats; bfloat16 as its bits."""
    corners = np.array([sign * x for x in edges() for sign in (1, -1)])
    with np.errstate(all="ignore"):
        if type_ == "bf16":
            singles = np.concatenate([floats(4, 1)[0], corners.astype(np.float32)])
            return (singles.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        return np.concatenate([floats(int(type_[1:]) // 8, 1)[0], corners.astype(NUMPY[type_])])


def parts(form: str) -> tuple[list[str], str, str]:
    """Return the modifiers of a form, its target and its source."""
    _, *words, target, of = form.split(".")
    return words, target, of


def whole(value: float, mode: str) -> float:
    """Return a number without its fraction, and with its sign."""
    exact = number(value)
    return math.copysign(float(WHOLE[mode](exact)), value) if isinstance(exact, Fraction) else value


@pytest.mark.parametrize("form", each(("cvt",), WHOLE, INTEGERS, ("f16", "bf16", "f32", "f64")))
def test_floats_saturate_to_integers(form: str) -> None:
    (mode,), target, of = parts(form)
    limits = np.iinfo(NUMPY[target])
    of_nan = 0
    if of == "f64" or target in {"u64", "s64"}:
        of_nan = limits.min if target[0] == "s" else 1 << (limits.bits - 1)
    a = source(of)
    for value, result in zip(listed(a, of), run(form, a)[0].tolist(), strict=True):
        if math.isnan(value):
            assert result == of_nan
        elif math.isinf(value):
            assert result == (limits.max if value > 0 else limits.min)
        else:
            assert result == min(max(WHOLE[mode](Fraction(value)), limits.min), limits.max), value


@pytest.mark.parametrize("form", each(("cvt",), ("", "sat"), INTEGERS, INTEGERS))
def test_integers_keep_their_low_bits_or_saturate(form: str) -> None:
    words, target, of = parts(form)
    (a,) = integers(of, 1)
    limits = np.iinfo(NUMPY[target])
    span = 1 << limits.bits
    expected = [
        min(max(x, limits.min), limits.max) if words else (x - limits.min) % span + limits.min for x in a.tolist()
    ]
    assert run(form, a)[0].tolist() == expected


@pytest.mark.parametrize(
    "form", [*each(("cvt",), MODES, ("f16", "f32", "f64"), INTEGERS), *each(("cvt.rn.bf16",), INTEGERS)]
)
def test_integers_are_rounded_once(form: str) -> None:
    (mode,), target, of = parts(form)
    (a,) = integers(of, 1)
    bits = 8 * a.itemsize
    middles = [(1 << size) + (step << (size - digits)) for digits in (8, 11, 24, 53) for step in (1, 2, 3)
               for size in range(digits, bits - 1)]  # fmt: skip
    a = np.concatenate([a, np.array(middles, np.uint64).astype(a.dtype)])
    got = listed(run(form, a)[0], target)
    assert_same_numbers(got, [settled(Fraction(x) if x else 0.0, target, mode) for x in a.tolist()])


@pytest.mark.parametrize(
    "form",
    [
        *(f"cvt.{mode}.{to}.{of}" for to, of in NARROWING for mode in MODES),
        *each(("cvt",), ("rn", "rz"), ("bf16",), ("f32", "f16")),
        *(f"cvt.{to}.{of}" for to, of in WIDENING),
        "cvt.rn.bf16.f64",
        "cvt.sat.f32.f32",
    ],
)
def test_floats_are_rounded_once(form: str) -> None:
    words, target, of = parts(form)
    mode = next((word for word in words if word in MODES), "rn")
    a = source(of)
    (got,) = run(form, a)
    expected = [settled(number(x), target, mode) for x in listed(a, of)]
    assert_same_numbers(listed(got, target), [saturated(x) for x in expected] if "sat" in words else expected)
    nan = np.isnan(listed(got, target))
    if target in NAN:
        assert (got.view(f"u{got.itemsize}")[nan] == NAN[target]).all()


@pytest.mark.parametrize("form", ["cvt.rn.f16x2.f32", "cvt.rn.bf16x2.f32", "cvt.rz.bf16x2.f32"])
def test_two_singles_become_a_pair_with_the_first_in_the_upper_half(form: str) -> None:
    words, target, of = parts(form)
    type_ = target.removesuffix("x2")
    first = source(of)
    second = np.roll(first, 5)
    (got,) = run(form, first, second)
    for operand, half in ((first, got >> np.uint32(16)), (second, got)):
        expected = [settled(number(x), type_, words[0]) for x in operand.tolist()]
        assert_same_numbers(listed(half.astype(np.uint16), type_), expected)


@pytest.mark.parametrize("form", [f"cvt.{mode}.{type_}.{type_}" for mode in WHOLE for type_ in FORMATS])
def test_rounding_to_whole_numbers(form: str) -> None:
    (mode,), target, of = parts(form)
    a = source(of)
    (got,) = run(form, a)
    assert_same_numbers(listed(got, target), [whole(x, mode) for x in listed(a, of)])


@pytest.mark.parametrize("form", each(("cvt",), WHOLE, ("ftz.f32.f32",)))
def test_rounding_to_whole_numbers_flushes_subnormal_numbers(form: str) -> None:
    mode = form.split(".")[1]
    a = source("f32")
    expected = [whole(flushed(x), mode) for x in a.tolist()]
    assert_same_numbers(run(form, a)[0].tolist(), expected)
    assert any(negative(x) for x in expected if not x)

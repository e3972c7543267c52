"""Conversions against exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.backends.emulator.ptx import NUMPY
from tests.backends.emulator.forms import floats, integers, run, same_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
WHOLE: Mapping[str, Callable[[Fraction], int]] = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


@pytest.mark.parametrize("of", [16, 32, 64])
@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("mode", WHOLE)
def test_floats_saturate_to_integers(of: int, to: str, mode: str) -> None:
    (a,) = floats(of // 8, 1)
    limits = np.iinfo(NUMPY[to])
    edges = [float(limits.min), float(limits.max), limits.max / 2, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e10, -1e10]
    with np.errstate(all="ignore"):
        a = np.concatenate([a, np.array(edges).astype(a.dtype)])
    (got,) = run(f"cvt.{mode}.{to}.f{of}", a)
    of_nan = 0
    if of == 64 or to in {"u64", "s64"}:
        of_nan = limits.min if to[0] == "s" else 1 << (limits.bits - 1)
    for value, result in zip(a.tolist(), got.tolist(), strict=True):
        if math.isnan(value):
            assert result == of_nan
        elif math.isinf(value):
            assert result == (limits.max if value > 0 else limits.min)
        else:
            assert result == min(max(WHOLE[mode](Fraction(value)), limits.min), limits.max)


@pytest.mark.parametrize("of", INTEGERS)
@pytest.mark.parametrize("to", INTEGERS)
def test_integers_keep_their_low_bits_or_saturate(of: str, to: str) -> None:
    (a,) = integers(of, 1)
    limits = np.iinfo(NUMPY[to])
    span = 1 << limits.bits
    wrapped = [(x - limits.min) % span + limits.min for x in a.tolist()]
    assert run(f"cvt.{to}.{of}", a)[0].tolist() == wrapped
    assert run(f"cvt.sat.{to}.{of}", a)[0].tolist() == [min(max(x, limits.min), limits.max) for x in a.tolist()]


@pytest.mark.parametrize("of", INTEGERS)
@pytest.mark.parametrize(("to", "digits"), [("f16", 11), ("f32", 24), ("f64", 53)])
@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_integers_are_rounded_once(of: str, to: str, digits: int, mode: str) -> None:
    (a,) = integers(of, 1)
    if to == "f16":
        a = a[np.abs(a.astype(np.float64)) < 65000]
    (got,) = run(f"cvt.{mode}.{to}.{of}", a)
    for value, result in zip(a.tolist(), got.tolist(), strict=True):
        step = max(1, 1 << max(0, abs(value).bit_length() - digits))
        below = value // step * step
        above = below if below == value else below + step
        choice = {
            "rm": below,
            "rp": above,
            "rz": below if value > 0 else above,
            "rn": below if value - below < above - value else above,
        }[mode]
        if mode == "rn" and value - below == above - value and below != above:
            choice = below if below // step % 2 == 0 else above
        assert result == choice, value


def test_doubles_are_rounded_to_singles_in_every_direction() -> None:
    a = np.array([1 + 2.0**-30, -1 - 2.0**-30, 1 + 2.0**-24, 1 + 3 * 2.0**-24, 1e300, -1e300, 1e-300, 0.1])
    one, up = 1.0, 1 + 2.0**-23
    largest = float(np.finfo(np.float32).max)
    assert run("cvt.rn.f32.f64", a)[0].tolist()[:4] == [one, -one, one, 1 + 2.0**-22]
    assert run("cvt.rz.f32.f64", a)[0].tolist()[:6] == [one, -one, one, up, largest, -largest]
    assert run("cvt.rp.f32.f64", a)[0].tolist()[:6] == [up, -one, up, 1 + 2.0**-22, math.inf, -largest]
    assert run("cvt.rm.f32.f64", a)[0].tolist()[:6] == [one, -up, one, up, largest, -math.inf]
    assert run("cvt.rp.f32.f64", a)[0].tolist()[6] == float(np.finfo(np.float32).smallest_subnormal)


@pytest.mark.parametrize(
    ("mode", "function"), [("rni", np.rint), ("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil)]
)
@pytest.mark.parametrize("size", [4, 8])
def test_rounding_to_whole_numbers(mode: str, function: np.ufunc, size: int) -> None:
    (a,) = floats(size, 1)
    same_bits(run(f"cvt.{mode}.f{8 * size}.f{8 * size}", a)[0], function(a))


def test_saturation_to_the_unit_interval() -> None:
    a = np.array([-1, -0.0, 0.5, 2, np.nan], np.float32)
    assert run("cvt.sat.f32.f32", a)[0].tolist() == [0, 0, 0.5, 1, 0]


def test_halves() -> None:
    a = np.array([1 + 2.0**-11, 1 + 3 * 2.0**-11, 65519.0, 65520.0, 2.0**-25, 2.0**-24, -0.0], np.float32)
    got = run("cvt.rn.f16.f32", a)[0]
    assert got.tolist() == [1.0, 1 + 2.0**-9, 65504.0, math.inf, 0.0, 2.0**-24, -0.0]
    assert run("cvt.f32.f16", got)[0].tolist() == got.astype(float).tolist()
    (packed,) = run("cvt.rn.f16x2.f32", np.array([1.5], np.float32), np.array([-2.0], np.float32))
    assert packed[0] == 0x3E00C000  # the first operand becomes the upper half


def test_brain_floats_round_to_even() -> None:
    bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x7F7FFFFF, 0x7F800000, 0xFFC00001], np.uint32)
    got = run("cvt.rn.bf16.f32", bits.view(np.float32))[0]
    assert got.tolist() == [0x3F80, 0x3F82, 0x3F81, 0x7F80, 0x7F80, 0x7FFF]
    assert run("cvt.rz.bf16.f32", bits.view(np.float32))[0].tolist()[:3] == [0x3F80, 0x3F81, 0x3F80]
    assert run("cvt.f32.bf16", got[:2])[0].view(np.uint32).tolist() == [0x3F800000, 0x3F820000]
    (whole,) = run("cvt.rn.bf16.s32", np.array([257, 259, 16777217], np.int32))
    assert whole.tolist() == [0x4380, 0x4382, 0x4B80]

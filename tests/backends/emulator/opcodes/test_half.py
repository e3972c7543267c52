"""Halves and brain floats against exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.backends.emulator.forms import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.emulator.forms import Values

FORMATS = {"f16": (11, -24, 65504.0), "bf16": (8, -133, float(2**128 - 2**120))}
COUNT = 400


def operands(seed: int) -> Values:
    corners = [
        0,
        0x8000,
        1,
        0x8001,
        0x03FF,
        0x0400,
        0x3C00,
        0x3C01,
        0x3F80,
        0x7BFF,
        0x7C00,
        0xFC00,
        0x7F7F,
        0x7F80,
        0x7FFF,
    ]
    rng = np.random.default_rng(seed)
    near = 0x3C00 + rng.integers(0, 1 << 11, COUNT // 2)
    wide = rng.integers(0, 1 << 16, COUNT)
    return np.concatenate([rng.permutation(corners * 8), near, wide]).astype(np.uint16)


def number(bits: int, type_: str) -> float:
    word = np.array(bits, np.uint16)
    if type_ == "f16":
        return float(word.view(np.float16))
    return float((word.astype(np.uint32) << np.uint32(16)).view(np.float32))


def nearest(value: Fraction, type_: str) -> float:
    digits, lowest, largest = FORMATS[type_]
    step = Fraction(2) ** lowest
    while abs(value) >= step * 2**digits:
        step *= 2
    rounded = round(value / step) * step  # Python rounds halves to even
    return math.copysign(math.inf, rounded) if abs(rounded) > largest else float(rounded)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
@pytest.mark.parametrize(
    ("opcode", "count", "formula"),
    [
        ("add.rn", 2, lambda a, b: a + b),
        ("sub", 2, lambda a, b: a - b),
        ("mul", 2, lambda a, b: a * b),
        ("fma.rn", 3, lambda a, b, c: a * b + c),
    ],
)
def test_arithmetic_is_rounded_once(opcode: str, count: int, formula: Callable[..., Fraction], type_: str) -> None:
    arrays = [operands(seed) for seed in range(count)]
    (got,) = run(f"{opcode}.{type_}", *arrays)
    for *row, result in zip(*(x.tolist() for x in arrays), got.tolist(), strict=True):
        values = [number(bits, type_) for bits in row]
        if all(map(math.isfinite, values)):
            assert number(result, type_) == nearest(formula(*map(Fraction, values)), type_), (values, result)
        elif any(map(math.isnan, values)):
            assert result == 0x7FFF


@pytest.mark.parametrize(("opcode", "reference"), [("min", min), ("max", max)])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_minimum_and_maximum(opcode: str, reference: Callable[[float, float], float], type_: str) -> None:
    a, b = operands(1), operands(2)
    (got,) = run(f"{opcode}.{type_}", a, b)
    for x, y, result in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        left, right = number(x, type_), number(y, type_)
        if math.isnan(left) or math.isnan(right):
            other = right if math.isnan(left) else left
            assert result == 0x7FFF if math.isnan(other) else number(result, type_) == other
        else:
            assert number(result, type_) == reference(left, right)


@pytest.mark.parametrize("form", ["add.rn.{}", "mul.{}", "fma.rn.{}", "max.{}", "neg.{}", "abs.{}"])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_pairs_are_two_singles(form: str, type_: str) -> None:
    count = 3 if "fma" in form else 1 if form[:3] in {"neg", "abs"} else 2
    low, high = [[operands(seed + place) for place in range(count)] for seed in (0, 7)]
    pairs = [h.astype(np.uint32) << np.uint32(16) | l for l, h in zip(low, high, strict=True)]  # noqa: E741
    (got,) = run(form.format(type_ + "x2"), *pairs)
    assert (got & np.uint32(0xFFFF)).tolist() == run(form.format(type_), *low)[0].tolist()
    assert (got >> np.uint32(16)).tolist() == run(form.format(type_), *high)[0].tolist()


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_comparisons(type_: str) -> None:
    a, b = operands(3), operands(4)
    less = run(f"setp.lt.{type_}", a, b)[0].tolist()
    unordered = run(f"setp.geu.{type_}", a, b)[0].tolist()
    for x, y, lt, geu in zip(a.tolist(), b.tolist(), less, unordered, strict=True):
        assert lt == (number(x, type_) < number(y, type_))
        assert geu == (not lt)

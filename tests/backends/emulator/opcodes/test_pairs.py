"""Instructions on the parts of a register: dot products of two halves, comparisons of halves that give numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.backends.emulator.parse import parse
from tests.backends.emulator.forms import floats, integers, run

if TYPE_CHECKING:
    from collections.abc import Callable

RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "ne": lambda a, b: a < b or a > b,
    "neu": lambda a, b: a != b,
    "gtu": lambda a, b: not a <= b,
    "nan": lambda a, b: math.isnan(a) or math.isnan(b),
}


def signed(value: int, bits: int) -> int:
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


@pytest.mark.parametrize("half", ["lo", "hi"])
@pytest.mark.parametrize("types", ["u32.u32", "s32.s32", "u32.s32", "s32.u32"])
def test_dot_product_of_two_halves_with_two_bytes(types: str, half: str) -> None:
    a, b, c = integers("u32", 3)
    (got,) = run(f"dp2a.{half}.{types}", a, b, c)
    first, second = (type_[0] == "s" for type_ in types.split("."))
    for x, y, z, result in zip(*(v.view(np.uint32).tolist() for v in (a, b, c, got)), strict=True):
        total = z
        for place in (0, 1):
            wide, byte = x >> 16 * place & 0xFFFF, y >> (8 * place + (16 if half == "hi" else 0)) & 0xFF
            total += (signed(wide, 16) if first else wide) * (signed(byte, 8) if second else byte)
        assert result == total % (1 << 32)


@pytest.mark.parametrize("relation", RELATIONS)
def test_comparisons_of_halves_give_one_or_all_ones(relation: str) -> None:
    a, b = floats(2, 2)
    holds = [RELATIONS[relation](x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    bits = [x.view(np.uint16) for x in (a, b)]
    (got,) = run(f"set.{relation}.f16.f16", *bits)
    assert got.tolist() == [0x3C00 if flag else 0 for flag in holds]
    pairs = [x.astype(np.uint32) << np.uint32(16) | np.roll(x, 1) for x in bits]
    (packed,) = run(f"set.{relation}.f16x2.f16x2", *pairs)
    (masks,) = run(f"set.{relation}.u32.f16x2", *pairs)
    for place, (pair, mask) in enumerate(zip(packed.tolist(), masks.tolist(), strict=True)):
        high, low = holds[place], holds[place - 1]
        assert pair == (0x3C000000 if high else 0) + (0x3C00 if low else 0)
        assert mask == (0xFFFF0000 if high else 0) + (0xFFFF if low else 0)


@pytest.mark.parametrize("relation", ["lt", "nan", "neu"])
def test_comparisons_of_brain_floats(relation: str) -> None:
    a, b = (x.view(np.uint32) >> np.uint32(16) for x in floats(4, 2))
    singles = [(x << np.uint32(16)).view(np.float32).tolist() for x in (a, b)]
    (got,) = run(f"set.{relation}.bf16.bf16", *(x.astype(np.uint16) for x in (a, b)))
    assert got.tolist() == [0x3F80 if RELATIONS[relation](x, y) else 0 for x, y in zip(*singles, strict=True)]


@pytest.mark.parametrize(
    ("mode", "function"), [("rni", round), ("rzi", math.trunc), ("rmi", math.floor), ("rpi", math.ceil)]
)
def test_brain_floats_become_whole_numbers(mode: str, function: Callable[[float], int]) -> None:
    values = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 127.5, -3.25, 1e30, math.inf, -math.inf]
    single = np.array(values, np.float32)
    bits = (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    kept = (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).tolist()
    (got,) = run(f"cvt.{mode}.bf16.bf16", bits)
    for value, result in zip(kept, (got.astype(np.uint32) << np.uint32(16)).view(np.float32).tolist(), strict=True):
        wanted = value if math.isinf(value) or abs(value) > 1e9 else float(function(value))
        assert (result, math.copysign(1, result)) == (wanted, math.copysign(1, value))
    assert run(f"cvt.{mode}.bf16.bf16", np.array([0x7FC1], np.uint16))[0].tolist() == [0x7FFF]


@pytest.mark.parametrize("half", ["lo", "hi"])
@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_both_halves_of_a_product_of_24_bits(type_: str, half: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(f"mul24.{half}.{type_}", a, b)
    for x, y, result in zip(*(v.view(np.uint32).tolist() for v in (a, b, got)), strict=True):
        p, q = (signed(v, 24) if type_ == "s32" else v % (1 << 24) for v in (x, y))
        assert result == (p * q >> (16 if half == "hi" else 0)) % (1 << 32)


def test_capital_letters_in_a_form_are_read() -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one()\n{\n.reg .b16 %h<4>;\n"
    module = parse(text + "min.NaN.f16 %h1, %h2, %h3;\nret;\n}\n")
    assert module.functions["one"].instructions[0].modifiers == ("NaN", "f16")

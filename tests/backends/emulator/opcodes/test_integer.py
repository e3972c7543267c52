"""Integer forms against Python's own integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.backends.emulator.ptx import NUMPY
from tests.backends.emulator.forms import integers, run

if TYPE_CHECKING:
    from collections.abc import Callable

BOTH = ("u", "s")


def wrap(value: int, type_: str) -> int:
    bits = int(type_[1:])
    value %= 1 << bits
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value


def check(form: str, operand_type: str, result_type: str, count: int, reference: Callable[..., int]) -> None:
    operands = integers(operand_type, count)
    (got,) = run(form, *operands)
    expected = [wrap(reference(*values), result_type) for values in zip(*(x.tolist() for x in operands), strict=True)]
    assert got.view(NUMPY[result_type]).tolist() == expected


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize(
    ("opcode", "reference"),
    [
        ("add", lambda a, b: a + b),
        ("sub", lambda a, b: a - b),
        ("mul.lo", lambda a, b: a * b),
        ("min", min),
        ("max", max),
        ("div", quotient),
        ("rem", lambda a, b: a if b == 0 else a - quotient(a, b) * b),
    ],
)
def test_arithmetic_wraps(opcode: str, reference: Callable[..., int], type_: str) -> None:
    check(f"{opcode}.{type_}", type_, type_, 2, reference)


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_the_upper_half_of_a_product(type_: str) -> None:
    check(f"mul.hi.{type_}", type_, type_, 2, lambda a, b: (a * b) >> int(type_[1:]))


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32"])
def test_a_wide_product_keeps_all_bits(type_: str) -> None:
    wide = f"{type_[0]}{2 * int(type_[1:])}"
    check(f"mul.wide.{type_}", type_, wide, 2, lambda a, b: a * b)


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize("half", ["lo", "hi"])
def test_multiply_and_add(type_: str, half: str) -> None:
    bits = int(type_[1:])
    shift = bits if half == "hi" else 0
    check(f"mad.{half}.{type_}", type_, type_, 3, lambda a, b, c: ((a * b) >> shift) + c)


def test_multiply_wide_and_add() -> None:
    a, b = integers("s32", 2)
    c = np.resize(integers("s64", 1)[0], a.shape)
    (got,) = run("mad.wide.s32", a, b, c)
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    assert got.tolist() == [wrap(x * y + z, "s64") for x, y, z in rows]


@pytest.mark.parametrize(("opcode", "sign"), [("add", 1), ("sub", -1)])
def test_saturation_stops_at_the_limits(opcode: str, sign: int) -> None:
    check(f"{opcode}.sat.s32", "s32", "s32", 2, lambda a, b: min(max(a + sign * b, -(2**31)), 2**31 - 1))


@pytest.mark.parametrize("type_", ["s16", "s32", "s64"])
def test_signs(type_: str) -> None:
    check(f"neg.{type_}", type_, type_, 1, lambda a: -a)
    check(f"abs.{type_}", type_, type_, 1, abs)


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_sum_of_absolute_differences(type_: str) -> None:
    check(f"sad.{type_}", type_, type_, 3, lambda a, b, c: abs(a - b) + c)


@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_multiplication_of_24_bits(type_: str) -> None:
    narrow = f"{type_[0]}24"
    check(f"mul24.lo.{type_}", type_, type_, 2, lambda a, b: wrap(a, narrow) * wrap(b, narrow))


@pytest.mark.parametrize("types", ["u32.u32", "s32.s32", "s32.u32", "u32.s32"])
def test_dot_product_of_bytes(types: str) -> None:
    a_type, b_type = types.split(".")

    def bytes_of(word: int, type_: str) -> list[int]:
        return [wrap(word >> shift, f"{type_[0]}8") for shift in (0, 8, 16, 24)]

    def dot(a: int, b: int, c: int) -> int:
        return c + sum(x * y for x, y in zip(bytes_of(a, a_type), bytes_of(b, b_type), strict=True))

    check(f"dp4a.{types}", "u32", "u32", 3, dot)


@pytest.mark.parametrize("type_", ["u32", "s32", "u64", "s64"])
def test_carry_and_borrow(type_: str) -> None:
    bits = int(type_[1:])
    a, b = (x.view(f"u{bits // 8}") for x in integers(type_, 2))
    flag = np.arange(a.size) % 2 == 1
    plain, carried = f"u{bits}", 1 << bits
    for form, sign in (("add.cc", 1), ("sub.cc", -1)):
        value, over = run(f"{form}.{type_}", a, b, results=2)
        exact = [x + sign * y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert value.tolist() == [wrap(x, plain) for x in exact]
        assert over.tolist() == [not 0 <= x < carried for x in exact]
    for form, sign in (("addc.cc", 1), ("subc.cc", -1)):
        value, over = run(f"{form}.{type_}", a, b, flag, results=2)
        exact = [x + sign * (y + int(z)) for x, y, z in zip(a.tolist(), b.tolist(), flag.tolist(), strict=True)]
        assert value.tolist() == [wrap(x, plain) for x in exact]
        assert over.tolist() == [not 0 <= x < carried for x in exact]


@pytest.mark.parametrize("half", ["lo", "hi"])
def test_multiply_and_add_with_carry(half: str) -> None:
    a, b, c = integers("u32", 3)
    flag = np.arange(a.size) % 2 == 0
    value, over = run(f"madc.{half}.cc.u32", a, b, c, flag, results=2)
    for x, y, z, f, got, carry in zip(*(v.tolist() for v in (a, b, c, flag, value, over)), strict=True):
        part = (x * y) >> 32 if half == "hi" else (x * y) & 0xFFFFFFFF
        assert (got, carry) == (wrap(part + z + f, "u32"), part + z + f >= 1 << 32)


@pytest.mark.parametrize(("opcode", "reference"), [("add", lambda a, b: a + b), ("min", min), ("max", max)])
@pytest.mark.parametrize("type_", ["u16x2", "s16x2"])
def test_pairs_of_short_integers(opcode: str, reference: Callable[[int, int], int], type_: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(f"{opcode}.{type_}", a, b)
    half = type_[:3]
    for x, y, z in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        for shift in (0, 16):
            expected = reference(wrap(x >> shift, half), wrap(y >> shift, half))
            assert wrap(z >> shift, half) == wrap(expected, half)

"""Conversions to and from small numbers against exact rationals: every code, every halfway case."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from tests.emulator.declared import each
from tests.emulator.forms import floats, integers, run

FORMATS = {"e4m3": (3, 7), "e5m2": (2, 15)}  # bits of the mantissa, bias (OCP 8-bit floating point, table 1)


def decoded(code: int, type_: str) -> float:
    """Return the number of a code."""
    mantissa, bias = FORMATS[type_]
    sign = -1.0 if code & 0x80 else 1.0
    exponent, fraction = code >> mantissa & (0x7F >> mantissa), code & ((1 << mantissa) - 1)
    if type_ == "e4m3" and code & 0x7F == 0x7F:
        return math.nan
    if type_ == "e5m2" and exponent == 0x1F:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias)


@cache
def positive(type_: str) -> list[Fraction]:
    """Return the numbers of the codes from 0 on, in ascending order, without infinity and NaN."""
    numbers = [decoded(code, type_) for code in range(0x80)]
    return [Fraction(number) for number in numbers if math.isfinite(number)]


def nearest(value: float, type_: str) -> int:
    """Return the code nearest to `value`: ties to the even code, what is too large to the largest number."""
    if math.isnan(value):
        return 0x7F
    sizes = positive(type_)
    size = Fraction(value if abs(value) < sizes[-1] else sizes[-1]) if math.isfinite(value) else sizes[-1]
    size = abs(size)
    above = bisect_left(sizes, size)
    best = min((above - 1, above) if above else (above,), key=lambda code: (abs(sizes[code] - size), code & 1))
    return best | (0x80 if math.copysign(1.0, value) < 0 else 0)


def samples(type_: str) -> list[float]:
    """Return all numbers of a type, those halfway between, their neighbors, and numbers outside of its range."""
    numbers = [float(number) for number in positive(type_)]
    halfway = [(one + other) / 2 for one, other in pairwise(numbers)]
    near = [float(np.nextafter(np.float32(value), np.float32(end))) for value in halfway for end in (0, 1e9)]
    sizes = [*numbers, *halfway, *near, 1e-9, 1e9, math.inf]
    return [*sizes, *(-size for size in sizes), math.nan]


@pytest.mark.parametrize("form", each(("cvt.rn.satfinite",), ("", "relu"), ("e4m3x2", "e5m2x2"), ("f32",)))
def test_two_singles_become_two_8_bit_floats(form: str) -> None:
    type_ = form.split(".")[-2].removesuffix("x2")
    values = np.array(samples(type_), np.float32)
    (got,) = run(form, values, values[::-1].copy())
    expected = [
        nearest(0.0 if "relu" in form and value <= 0 else value, type_) for value in values.astype(np.float64).tolist()
    ]
    assert (got >> 8).tolist() == expected
    assert (got & 0xFF).tolist() == expected[::-1]


@pytest.mark.parametrize("form", each(("cvt.rn.satfinite",), ("e4m3x2", "e5m2x2"), ("f16x2", "bf16x2")))
def test_a_pair_of_halves_becomes_two_8_bit_floats(form: str) -> None:
    type_ = form.split(".")[-2].removesuffix("x2")
    bits = np.arange(0, 1 << 16, 61, dtype=np.uint16)
    half = bits.view(np.float16) if "bf16" not in form else (bits.astype(np.uint32) << 16).view(np.float32)
    (got,) = run(form, bits.astype(np.uint32) << 16 | bits[::-1])
    expected = [nearest(value, type_) for value in half.tolist()]
    assert (got >> 8).tolist() == expected
    assert (got & 0xFF).tolist() == expected[::-1]


@pytest.mark.parametrize("form", each(("cvt.rn",), ("", "relu"), ("f16x2",), ("e4m3x2", "e5m2x2")))
def test_two_8_bit_floats_become_halves(form: str) -> None:
    type_ = form.rsplit(".", maxsplit=1)[-1].removesuffix("x2")
    codes = np.arange(256, dtype=np.uint16)
    (got,) = run(form, codes << 8 | codes[::-1])
    for shift, order in ((16, codes), (0, codes[::-1])):
        halves = (got >> np.uint32(shift)).astype(np.uint16).view(np.float16)
        for code, half in zip(order.tolist(), halves.tolist(), strict=True):
            number = decoded(code, type_)
            if math.isnan(number):
                assert math.isnan(half)
            else:
                assert half == (max(number, 0.0) if "relu" in form else number)


def tf32(value: float, mode: str) -> float:
    """Return the number of 11 digits that `value` rounds to."""
    if not value or not math.isfinite(value):
        return value
    exponent = max(math.floor(math.log2(abs(value))), -126)
    step = Fraction(2) ** (exponent - 10)
    count, rest = divmod(abs(Fraction(value)), step)
    up = {"rna": 2 * rest >= step, "rn": 2 * rest > step or (2 * rest == step and count % 2), "rz": False}[mode]
    size = (count + bool(up)) * step
    return math.copysign(math.inf if size >= Fraction(2) ** 128 else float(size), value)


@pytest.mark.parametrize("form", each(("cvt",), ("rna", "rn", "rz"), ("tf32.f32",)))
def test_singles_lose_13_bits(form: str) -> None:
    rng = np.random.default_rng(2)
    bits = np.concatenate([rng.integers(0, 1 << 32, 300, dtype=np.uint32), np.arange(0x3F800000, 0x3F810000, 0x0C00)])
    bits = np.concatenate([bits, [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 1, 0x1000, 0x7FC00001]])
    values = bits.astype(np.uint32).view(np.float32)
    (got,) = run(form, values)
    for value, result in zip(values.tolist(), got.view(np.float32).tolist(), strict=True):
        expected = tf32(value, form.split(".")[1])
        assert result == expected or (math.isnan(result) and math.isnan(expected))


@pytest.mark.parametrize("form", [*each(("cvt.pack.sat",), ("s8", "u8"), ("s32.b32",)), "cvt.pack.sat.s16.s32"])
def test_integers_are_saturated_and_packed(form: str) -> None:
    name = form.split(".")[3]
    bits = int(name[1:])
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
    count = 3 if bits == 8 else 2
    operands = integers("s32", count)
    (got,) = run(form, *operands)
    for row, result in zip(zip(*(x.tolist() for x in operands), strict=True), got.tolist(), strict=True):
        first, second = (min(max(value, low), high) % (1 << bits) for value in row[:2])
        above = row[2] << 16 if count == 3 else 0
        assert result == (above | first << bits | second) % (1 << 32)


@pytest.mark.parametrize("form", each(("cvt.rn.relu",), ("f16.f32", "bf16.f32")))
def test_negative_results_become_zero(form: str) -> None:
    values = np.array([1.5, -1.5, -0.0, 0.0, -1e-30, -math.inf, math.inf, 3.0], np.float32)
    (got,) = run(form, values)
    plain = run(form.replace(".relu", ""), values)[0]
    half = plain.view(np.float16 if form.endswith("n.relu.f16.f32") else np.uint16)
    kept = [True, False, False, True, False, False, True, True]
    assert got.view(np.uint16).tolist() == [
        bits if keep else 0 for bits, keep in zip(half.view(np.uint16).tolist(), kept, strict=True)
    ]


OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vavrg": lambda a, b: (a + b + 1) // 2,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}


def parts(word: int, bits: int, signed: bool) -> list[int]:  # noqa: FBT001  (a property of the type)
    fields = [word >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]
    return [value - (1 << bits) if signed and value >> (bits - 1) else value for value in fields]


@pytest.mark.parametrize(
    "form",
    each(
        tuple(f"{name}{count}" for name in OPERATIONS for count in (2, 4)), ("u32.u32.u32", "s32.s32.s32"), ("", "add")
    ),
)
def test_parts_of_words_at_once(form: str) -> None:
    name, *words = form.split(".")
    bits, signed = 32 // int(name[-1]), words[0] == "s32"
    operands: list[Values] = integers("u32", 3)
    (got,) = run(form, *operands)
    for a, b, c, result in zip(*(x.tolist() for x in operands), got.tolist(), strict=True):
        fields = [
            OPERATIONS[name[:-1]](x, y) for x, y in zip(parts(a, bits, signed), parts(b, bits, signed), strict=True)
        ]
        if "add" in words:
            assert result == (sum(fields) + c) % (1 << 32)
        else:
            assert result == sum(value % (1 << bits) << bits * place for place, value in enumerate(fields))


@pytest.mark.parametrize("form", each(("bmsk",), ("clamp", "wrap"), ("b32",)))
def test_mask_of_ones(form: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(form, a, b)
    for position, length, result in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        start, count = (min(x, 32) if "clamp" in form else x % 32 for x in (position, length))
        assert result == sum(1 << place for place in range(start, start + count) if place < 32)


@pytest.mark.parametrize("form", each(("szext",), ("clamp", "wrap"), ("u32", "s32")))
def test_extension_of_low_bits(form: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(form, a, b)
    for word, length, result in zip(a.tolist(), b.tolist(), got.view(np.uint32).tolist(), strict=True):
        count = min(length, 32) if "clamp" in form else length % 32
        field = word % (1 << count)
        negative = form.endswith("s32") and count and field >> (count - 1)
        assert result == (field - (1 << count) if negative else field) % (1 << 32)


@pytest.mark.parametrize("form", each(("prmt.b32",), ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")))
def test_bytes_are_permuted_by_one_of_four_patterns(form: str) -> None:
    """The bytes that PTX ISA 9.0 lists for each mode, from the highest to the lowest."""
    patterns = {
        "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
        "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
        "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
        "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
        "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
        "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)),
    }[form.rsplit(".", 1)[1]]
    a, b, selector = integers("u32", 3)
    (got,) = run(form, a, b, selector)
    for low, high, number, result in zip(*(x.tolist() for x in (a, b, selector)), got.tolist(), strict=True):
        both = (high << 32 | low).to_bytes(8, "little")
        assert result == int.from_bytes(bytes(both[place] for place in patterns[number & 3]), "big")


@pytest.mark.parametrize("form", each(("mad24",), ("lo", "hi"), ("u32", "s32")))
def test_product_of_24_bits_plus_a_number(form: str) -> None:
    operands = integers(form.rsplit(".", 1)[1], 3)
    (got,) = run(form, *operands)
    signed = form.endswith("s32")
    for a, b, c, result in zip(*(x.tolist() for x in operands), got.tolist(), strict=True):
        low, high = ((x % (1 << 24) - (x % (1 << 24) >> 23 << 24 if signed else 0)) for x in (a, b))
        product = low * high >> (16 if ".hi." in form else 0)
        assert (result - product - c) % (1 << 32) == 0


@pytest.mark.parametrize("form", each(("tanh.approx", "ex2.approx"), ("f16", "f16x2")))
def test_approximations_of_halves_round_the_function(form: str) -> None:
    halves = np.arange(0, 1 << 16, 97, dtype=np.uint16)
    packed = halves.astype(np.uint32) << 16 | halves if form.endswith("x2") else halves
    (got,) = run(form, packed)
    function = math.tanh if form.startswith("tanh") else math.exp2 if hasattr(math, "exp2") else lambda x: 2.0**x
    for value, bits in zip(halves.view(np.float16).tolist(), (got & 0xFFFF).astype(np.uint16).tolist(), strict=True):
        result = float(np.array(bits, np.uint16).view(np.float16))
        if math.isnan(value):
            assert math.isnan(result)
        else:
            with np.errstate(over="ignore"):
                try:
                    expected = float(np.float16(function(value)))
                except OverflowError:
                    expected = math.inf
            assert result == expected


@pytest.mark.parametrize("form", each(("add", "sub", "mul", "fma"), ("rn",), ("f32x2",)))
def test_two_singles_of_a_register_are_computed_apart(form: str) -> None:
    """Against the property-tested instruction of one single, for each half."""
    count = 3 if form.startswith("fma") else 2
    low, high = floats(4, count), floats(4, count, seed=9)
    words = [
        x.view(np.uint32).astype(np.uint64) | y.view(np.uint32).astype(np.uint64) << 32
        for x, y in zip(low, high, strict=True)
    ]
    (got,) = run(form, *words)
    for shift, operands in ((0, low), (32, high)):
        (single,) = run(form.replace("f32x2", "f32"), *operands)
        assert (got >> np.uint64(shift)).astype(np.uint32).tolist() == single.view(np.uint32).tolist()

"""Halves and bfloat16 against exact rationals."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError
from tests.emulator.declared import each
from tests.emulator.forms import run
from tests.emulator.rational import (
    Number,
    assert_same_numbers,
    flushed,
    larger,
    listed,
    number,
    of_sizes,
    product,
    saturated,
    settled,
    smaller,
    total,
)

TYPES = ("f16", "bf16")
PAIRS = ("f16x2", "bf16x2")
NAN = 0x7FFF
CORNERS = [0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x3C00, 0x3C01, 0x3F80, 0x7BFF, 0x7C00, 0xFC00, 0x7F7F, 0x7F80, 0x7FFF]
COUNT = 400
ARITHMETIC: Mapping[str, tuple[int, Callable[..., Number]]] = {
    "add": (2, total),
    "sub": (2, lambda a, b: total(a, -b)),
    "mul": (2, product),
    "fma": (3, lambda a, b, c: total(product(a, b), c)),
}
EXTREMES = {"min": smaller, "max": larger}
ROUNDED = [
    *each(("add", "sub", "mul"), ("", "rn"), ("", "ftz", "sat", "ftz.sat"), ("f16",)),
    *each(("add", "sub", "mul"), ("", "rn"), ("bf16",)),
    *each(("fma.rn",), ("", "ftz", "sat", "relu"), ("f16",)),
    *each(("fma.rn",), ("", "relu"), ("bf16",)),
]
ORDERED = [*each(EXTREMES, ("", "NaN"), TYPES), *each(EXTREMES, ("ftz",), ("f16",))]
OF_SIZES = [
    *each(EXTREMES, ("", "NaN"), ("xorsign.abs",), TYPES),
    *each(EXTREMES, ("ftz", "ftz.NaN"), ("xorsign.abs",), ("f16",)),
]
SIGNS = each(("neg", "abs"), TYPES)


def operands(seed: int) -> Values:
    rng = np.random.default_rng(seed)
    near = 0x3C00 + rng.integers(0, 1 << 11, COUNT // 2)
    wide = rng.integers(0, 1 << 16, COUNT)
    return np.concatenate([rng.permutation(CORNERS * 8), near, wide]).astype(np.uint16)


def columns(form: str) -> list[Values]:
    """Return as many operands as a form has."""
    opcode = form.split(".", maxsplit=1)[0]
    return [operands(seed) for seed in range({"fma": 3, "neg": 1, "abs": 1}.get(opcode, 2))]


def numbers(array: Values, form: str) -> list[float]:
    """Return an operand as the form sees it: without subnormal numbers, where it flushes them."""
    *words, type_ = form.split(".")
    values = listed(array, type_)
    return [flushed(x, type_) for x in values] if "ftz" in words else values


@pytest.mark.parametrize("form", ROUNDED)
def test_arithmetic_is_rounded_once(form: str) -> None:
    opcode, *words, type_ = form.split(".")
    _, formula = ARITHMETIC[opcode]
    arrays = columns(form)
    (got,) = run(form, *arrays)
    rows = zip(*([number(x) for x in numbers(array, form)] for array in arrays), strict=True)
    exact = [formula(*row) for row in rows]
    if "relu" in words:
        exact = [0.0 if x <= 0 else x for x in exact]  # an H200 makes +0 of -0, too
    expected = [settled(x, type_) for x in exact]
    if "ftz" in words:
        expected = [flushed(x, type_) for x in expected]
    if "sat" in words:
        expected = [saturated(x) for x in expected]
    assert_same_numbers(listed(got, type_), expected)
    assert set(got[np.isnan(expected)].tolist()) <= {NAN}


def test_a_sum_beside_the_middle_of_two_bfloat16_numbers_is_rounded_to_the_nearer_one() -> None:
    """In single precision, the sums round to odd neighbors of the middle, which the second rounding has to see."""
    rows = np.array([[9.0, 7.0], [29.0, 37.0], [7 * 2.0**-18, -7 * 2.0**-18]], np.float32)
    (got,) = run("fma.rn.bf16", *(rows.view(np.uint32) >> np.uint32(16)).astype(np.uint16))
    assert listed(got, "bf16") == [262.0, 258.0]


@pytest.mark.parametrize("form", ORDERED)
def test_minimum_and_maximum(form: str) -> None:
    opcode, *words, type_ = form.split(".")
    a, b = columns(form)
    (got,) = run(form, a, b)
    expected = [
        math.nan if "NaN" in words and (math.isnan(x) or math.isnan(y)) else EXTREMES[opcode](x, y)
        for x, y in zip(numbers(a, form), numbers(b, form), strict=True)
    ]
    assert_same_numbers(listed(got, type_), expected)
    assert set(got[np.isnan(expected)].tolist()) <= {NAN}


@pytest.mark.parametrize("form", OF_SIZES)
def test_extreme_of_sizes_with_the_sign_of_the_product(form: str) -> None:
    opcode, *words, type_ = form.split(".")
    a, b = columns(form)
    (got,) = run(form, a, b)
    expected = [
        math.nan if "NaN" in words and (math.isnan(x) or math.isnan(y)) else of_sizes(EXTREMES[opcode], x, y)
        for x, y in zip(numbers(a, form), numbers(b, form), strict=True)
    ]
    assert_same_numbers(listed(got, type_), expected)
    assert set(got[np.isnan(expected)].tolist()) <= {NAN}


@pytest.mark.parametrize("words", ["xorsign", "abs"])
def test_extremes_of_sizes_have_both_words(words: str) -> None:
    with pytest.raises(EmulatorError, match="does not support"):
        run(f"max.{words}.f16", *columns("max"))


@pytest.mark.parametrize("form", SIGNS)
def test_signs_are_one_bit(form: str) -> None:
    (a,) = columns(form)
    change: Callable[[int], int] = (lambda x: x ^ 0x8000) if form.startswith("neg") else (lambda x: x & 0x7FFF)
    assert run(form, a)[0].tolist() == [change(x) for x in a.tolist()]


@pytest.mark.parametrize("form", [f"{form}x2" for form in [*ROUNDED, *ORDERED, *OF_SIZES, *SIGNS]])
def test_pairs_are_two_singles(form: str) -> None:
    low = columns(form)
    high = [np.roll(x, 11 + place) for place, x in enumerate(low)]
    pairs = [h.astype(np.uint32) << np.uint32(16) | l for l, h in zip(low, high, strict=True)]  # noqa: E741
    (got,) = run(form, *pairs)
    single = form.removesuffix("x2")
    assert (got & np.uint32(0xFFFF)).tolist() == run(single, *low)[0].tolist()
    assert (got >> np.uint32(16)).tolist() == run(single, *high)[0].tolist()


def test_forms_with_capital_letters_are_decoded() -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one()\n{\n.reg .b16 %h<4>;\n"
    module = parse(text + "min.NaN.f16 %h1, %h2, %h3;\nret;\n}\n")
    assert module.functions["one"].instructions[0].modifiers == ("NaN", "f16")

"""Comparisons and selections against Python's own."""

import math
import operator
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.syntax import NUMPY
from tests.emulator.declared import each
from tests.emulator.forms import floats, integers, run
from tests.emulator.rational import flushed, listed

ORDERED: Mapping[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
UNSIGNED: Mapping[str, Callable[[float, float], bool]] = {
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
FLOAT = (*ORDERED, *(f"{name}u" for name in ORDERED if name != "ne"), "neu", "num", "nan")
COMBINE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
SINGLE = {"f32": (0x3F800000, 32), "u32": (0xFFFFFFFF, 32), "s32": (0xFFFFFFFF, 32)}
HALF = {"f16": (0x3C00, 16), "bf16": (0x3F80, 16)}


def holds(name: str, x: float, y: float) -> bool:
    """Return a relation of numbers: with a NaN the plain ones are false, and those that end in `u` true."""
    if name in UNSIGNED:
        return UNSIGNED[name](x, y)
    unordered = math.isnan(x) or math.isnan(y)
    if name in {"num", "nan"}:
        return unordered == (name == "nan")
    return name.endswith("u") if unordered else ORDERED[name.removesuffix("u")](x, y)


def halves() -> tuple[Values, Values]:
    """Return bits that make numbers of every kind, in pairs, as halves and as bfloat16."""
    corners = [0, 0x8000, 1, 0x8001, 0x3C00, 0xBC00, 0x3F80, 0x7BFF, 0x7C00, 0xFC00, 0x7C01, 0x7F80, 0xFF80, 0x7FC0]
    a, b = np.meshgrid(corners, corners)
    drawn = np.random.default_rng(3).integers(0, 1 << 16, (2, 200))
    return np.append(a, drawn[0]).astype(np.uint16), np.append(b, drawn[1]).astype(np.uint16)


def pairs(type_: str) -> tuple[list[Values], list[tuple[float, float]]]:
    """Return two operands of a type as an instruction takes them, and the numbers that stand side by side in them."""
    if type_ in HALF:
        operands = [*halves()]
        columns = [listed(x, type_) for x in operands]
    else:
        operands = floats(int(type_[1:]) // 8, 2) if type_[0] == "f" else integers(type_, 2)
        columns = [x.tolist() for x in operands]
    return operands, list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "form",
    [
        *each(("setp",), ORDERED, ("u16", "s16", "u32", "s32", "u64", "s64")),
        *each(("setp",), ("eq", "ne"), ("b16", "b32", "b64")),
        *each(("setp",), UNSIGNED, ("u16", "u32", "u64")),
        *each(("setp",), FLOAT, ("f32", "f64", "f16", "bf16")),
        *each(("setp",), FLOAT, ("ftz",), ("f32", "f16")),
    ],
)
def test_numbers_compare_as_their_type_and_as_ordered_or_unordered(form: str) -> None:
    _, name, *flush, type_ = form.split(".")
    operands, rows = pairs(type_)
    expected = [holds(name, *(flushed(x, type_) for x in row)) if flush else holds(name, *row) for row in rows]
    assert run(form, *operands)[0].tolist() == expected


@pytest.mark.parametrize("form", each(("setp.lt",), COMBINE, ("s32",)))
def test_a_third_predicate_is_combined_with_both_results(form: str) -> None:
    combine = COMBINE[form.split(".")[2]]
    a, b = integers("s32", 2)
    third = np.arange(a.size) % 2 == 0
    first, second = run(form, a, b, third, results=2)
    rows = list(zip(a.tolist(), b.tolist(), third.tolist(), strict=True))
    assert first.tolist() == [combine(x < y, z) for x, y, z in rows]
    assert second.tolist() == [combine(not x < y, z) for x, y, z in rows]


@pytest.mark.parametrize(
    "form",
    [
        *each(("set",), FLOAT, SINGLE, ("f32",)),
        *each(("set",), ORDERED, SINGLE, ("u32", "s32")),
        *(form for type_ in HALF for form in each(("set",), FLOAT, (type_,), (type_,))),
    ],
)
def test_comparisons_give_one_or_all_ones(form: str) -> None:
    _, name, target, type_ = form.split(".")
    true, bits = {**SINGLE, **HALF}[target]
    operands, rows = pairs(type_)
    expected = [true if holds(name, *row) else 0 for row in rows]
    assert run(form, *operands)[0].view(f"u{bits // 8}").tolist() == expected


@pytest.mark.parametrize(
    "form", [form for type_ in ("f16x2", "bf16x2") for form in each(("set",), FLOAT, (type_, "u32"), (type_,))]
)
def test_comparisons_of_pairs_give_one_or_all_ones_in_each_half(form: str) -> None:
    _, name, target, packed = form.split(".")
    type_, low = packed.removesuffix("x2"), halves()
    true = 0xFFFF if target == "u32" else HALF[type_][0]
    pairs = [np.roll(x, 1).astype(np.uint32) << np.uint32(16) | x for x in low]  # the upper half is the one before
    each_half = [
        true if holds(name, x, y) else 0 for x, y in zip(listed(low[0], type_), listed(low[1], type_), strict=True)
    ]
    expected = [each_half[place - 1] << 16 | value for place, value in enumerate(each_half)]
    assert run(form, *pairs)[0].tolist() == expected


@pytest.mark.parametrize(
    "form", each(("selp",), ("b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"))
)
def test_selections(form: str) -> None:
    a, b = integers(f"u{form[6:]}", 2)
    chosen = np.arange(a.size) % 3 == 0
    expected = [x if flag else y for x, y, flag in zip(a.tolist(), b.tolist(), chosen.tolist(), strict=True)]
    assert run(form, a, b, chosen)[0].tolist() == expected


@pytest.mark.parametrize("form", ["slct.u32.s32"])
def test_selections_by_sign(form: str) -> None:
    a, b = np.array([1, 2, 3], np.uint32), np.array([10, 20, 30], np.uint32)
    assert run(form, a, b, np.array([0, -1, 1], np.int32))[0].tolist() == [1, 20, 3]


PROPERTIES: Mapping[str, Callable[[float, float], bool]] = {
    "finite": lambda x, _: math.isfinite(x),
    "infinite": lambda x, _: math.isinf(x),
    "number": lambda x, _: not math.isnan(x),
    "notanumber": lambda x, _: math.isnan(x),
    "normal": lambda x, smallest: smallest <= abs(x) < math.inf,
    "subnormal": lambda x, smallest: 0 < abs(x) < smallest,
}


@pytest.mark.parametrize("form", each(("testp",), PROPERTIES, ("f32", "f64")))
def test_properties_of_floats(form: str) -> None:
    _, name, type_ = form.split(".")
    (a,) = floats(int(type_[1:]) // 8, 1)
    smallest = float(np.finfo(NUMPY[type_]).smallest_normal)
    assert run(form, a)[0].tolist() == [PROPERTIES[name](x, smallest) for x in a.tolist()]

"""Comparisons and selections against Python's own."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.backends.emulator.forms import floats, integers, run

if TYPE_CHECKING:
    from collections.abc import Callable

ORDERED = {"eq": operator.eq, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
UNSIGNED = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}


@pytest.mark.parametrize("type_", ["u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize(("name", "relation"), [*ORDERED.items(), ("ne", operator.ne)])
def test_integers_compare_as_their_type(name: str, relation: Callable[[int, int], bool], type_: str) -> None:
    a, b = integers(type_, 2)
    expected = [relation(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert run(f"setp.{name}.{type_}", a, b)[0].tolist() == expected


@pytest.mark.parametrize(("name", "relation"), UNSIGNED.items())
def test_unsigned_relations_have_names_of_their_own(name: str, relation: Callable[[int, int], bool]) -> None:
    a, b = integers("u32", 2)
    expected = [relation(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert run(f"setp.{name}.u32", a, b)[0].tolist() == expected


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("name", [*ORDERED, "ne", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"])
def test_floats_compare_as_ordered_or_unordered(name: str, size: int) -> None:
    a, b = floats(size, 2)

    def holds(x: float, y: float) -> bool:
        unordered = math.isnan(x) or math.isnan(y)
        if name in {"num", "nan"}:
            return unordered == (name == "nan")
        if unordered:
            return name.endswith("u")
        plain = name.removesuffix("u")
        relation: Callable[[float, float], bool] = operator.ne if plain == "ne" else ORDERED[plain]
        return relation(x, y)

    expected = [holds(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert run(f"setp.{name}.f{8 * size}", a, b)[0].tolist() == expected


@pytest.mark.parametrize(("name", "combine"), [("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)])
def test_a_third_predicate_is_combined_with_both_results(name: str, combine: Callable[[bool, bool], bool]) -> None:
    a, b = integers("s32", 2)
    third = np.arange(a.size) % 2 == 0
    first, second = run(f"setp.lt.{name}.s32", a, b, third, results=2)
    rows = list(zip(a.tolist(), b.tolist(), third.tolist(), strict=True))
    assert first.tolist() == [combine(x < y, z) for x, y, z in rows]
    assert second.tolist() == [combine(not x < y, z) for x, y, z in rows]


def test_subnormal_numbers_are_zeros_where_flushed() -> None:
    a, b = np.array([2.0**-130], np.float32), np.array([0.0], np.float32)
    assert run("setp.gt.f32", a, b)[0].tolist() == [True]
    assert run("setp.gt.ftz.f32", a, b)[0].tolist() == [False]


def test_set_gives_all_ones_or_one() -> None:
    a, b = np.array([1, 5], np.int32), np.array([2, 2], np.int32)
    assert run("set.lt.u32.s32", a, b)[0].tolist() == [0xFFFFFFFF, 0]
    assert run("set.lt.f32.s32", a, b)[0].tolist() == [1.0, 0.0]


def test_selections() -> None:
    a, b = np.array([1, 2], np.uint32), np.array([10, 20], np.uint32)
    assert run("selp.b32", a, b, np.array([True, False]))[0].tolist() == [1, 20]
    assert run("slct.u32.s32", a, b, np.array([0, -1], np.int32))[0].tolist() == [1, 20]


def test_properties_of_floats() -> None:
    a = np.array([0, 1, np.inf, np.nan, 2.0**-130], np.float32)
    expected = {
        "finite": [1, 1, 0, 0, 1],
        "infinite": [0, 0, 1, 0, 0],
        "number": [1, 1, 1, 0, 1],
        "notanumber": [0, 0, 0, 1, 0],
        "normal": [0, 1, 0, 0, 0],
        "subnormal": [0, 0, 0, 0, 1],
    }
    for name, flags in expected.items():
        assert run(f"testp.{name}.f32", a)[0].astype(int).tolist() == flags

"""Loads, stores, atomics and barriers that count, inside a kernel of a few instructions, against Python's integers."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.backends.emulator.cohort import Shape
from shflbench.backends.emulator.launch import Launch, execute
from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from shflbench.backends.emulator.policies import POLICIES

if TYPE_CHECKING:
    from collections.abc import Callable

# Each thread has 32 bytes of shared memory at %r5, two operands in %a and %b, and hands %x and %y back.
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .b64 %a, %b, %x, %y;
    .reg .b32 %a32, %b32, %x32, %y32; .reg .f32 %f<4>; .reg .f64 %g<4>;
    .shared .align 16 .b8 room[2048];
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r3, %tid.x;
    mul.wide.u32 %d3, %r3, 16; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ld.global.v2.u64 {%a, %b}, [%d4]; cvt.u32.u64 %a32, %a; cvt.u32.u64 %b32, %b;
    mov.u32 %r4, room; mad.lo.u32 %r5, %r3, 32, %r4;
    mov.u64 %x, 0; mov.u64 %y, 0; mov.u32 %x32, 0; mov.u32 %y32, 0;
    CODE
    st.global.v2.u64 [%d5], {%x, %y};
    ret;
}
"""
TO_64_BITS = "cvt.u64.u32 %x, %x32; cvt.u64.u32 %y, %y32;"
CORNERS = [0, 1, 2, 31, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
THREADS = 64


def operands(seed: int = 5) -> list[tuple[int, int]]:
    """Return two numbers for each thread: corners, at first equal ones, then random."""
    corners = [(CORNERS[i % 10], CORNERS[(i + i // 10 * 3) % 10]) for i in range(40)]
    drawn = np.random.default_rng(seed).integers(0, (1 << 64) - 1, (THREADS - 40, 2), dtype=np.uint64).tolist()
    return [*corners, *((a, b) for a, b in drawn)]


def run(code: str, rows: list[tuple[int, int]], policy: str = "lock step") -> list[tuple[int, int]]:
    """Return %x and %y of each thread."""
    module = parse(KERNEL.replace("CODE", code))
    values = np.array(rows, np.uint64)
    launch = Launch(link(module, "one"), Shape(1, THREADS), 0, [values], [(2 * THREADS, "u8")], 0)
    out = execute(launch, POLICIES[policy]).outputs[0].reshape(THREADS, 2).tolist()
    return [(x, y) for x, y in out]


def number(value: int, type_: str) -> int:
    """Return the low bits of `value` as the type's number."""
    bits = int(type_[1:])
    value %= 1 << bits
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value


ATOMICS: dict[str, tuple[tuple[str, ...], Callable[[int, int], int]]] = {
    "add": (("u32", "s32", "u64"), lambda old, x: old + x),
    "min": (("u32", "s32", "u64", "s64"), min),
    "max": (("u32", "s32", "u64", "s64"), max),
    "and": (("b32", "b64"), lambda old, x: old & x),
    "or": (("b32", "b64"), lambda old, x: old | x),
    "xor": (("b32", "b64"), lambda old, x: old ^ x),
    "exch": (("b32", "b64"), lambda _, x: x),
    "inc": (("u32",), lambda old, limit: 0 if old >= limit else old + 1),
    "dec": (("u32",), lambda old, limit: limit if old == 0 or old > limit else old - 1),
}
CASES = [(name, type_) for name, (types, _) in ATOMICS.items() for type_ in types]


@pytest.mark.parametrize("hints", ["", "relaxed.gpu."])
@pytest.mark.parametrize(("name", "type_"), CASES)
def test_atomics_return_the_old_value_and_leave_the_new_one(name: str, type_: str, hints: str) -> None:
    rows = operands()
    suffix, bits = ("32", 32) if type_.endswith("32") else ("", 64)
    code = f"""
        st.shared.b{bits} [%r5], %a{suffix};
        atom.{hints}shared.{name}.{type_} %x{suffix}, [%r5], %b{suffix};
        ld.shared.b{bits} %y{suffix}, [%r5]; {TO_64_BITS if suffix else ""}"""
    function = ATOMICS[name][1]
    for (a, b), (old, new) in zip(rows, run(code, rows), strict=True):
        assert old == a % (1 << bits)
        assert new == function(number(a, type_), number(b, type_)) % (1 << bits)


@pytest.mark.parametrize(("name", "type_"), [case for case in CASES if case[0] != "exch"])
def test_reductions_leave_what_atomics_leave(name: str, type_: str) -> None:
    rows = operands(6)
    suffix, bits = ("32", 32) if type_.endswith("32") else ("", 64)
    code = f"""
        st.shared.b{bits} [%r5], %a{suffix}; red.shared.{name}.{type_} [%r5], %b{suffix};
        ld.shared.b{bits} %x{suffix}, [%r5]; {TO_64_BITS if suffix else ""}"""
    function = ATOMICS[name][1]
    expected = [function(number(a, type_), number(b, type_)) % (1 << bits) for a, b in rows]
    assert [x for x, _ in run(code, rows)] == expected


@pytest.mark.parametrize("bits", [32, 64])
def test_compare_and_swap_swaps_only_where_equal(bits: int) -> None:
    rows = [(a, a if place % 2 else b) for place, (a, b) in enumerate(operands())]
    suffix = "32" if bits == 32 else ""
    code = f"""
        st.shared.b{bits} [%r5], %a{suffix}; atom.shared.cas.b{bits} %x{suffix}, [%r5], %b{suffix}, 77;
        ld.shared.b{bits} %y{suffix}, [%r5]; {TO_64_BITS if suffix else ""}"""
    mask = (1 << bits) - 1
    expected = [(a & mask, 77 if a & mask == b & mask else a & mask) for a, b in rows]
    assert run(code, rows) == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_atomics_on_one_place_happen_one_after_the_other(policy: str) -> None:
    code = f"""
        st.shared.u32 [room], 0; bar.sync 0; atom.shared.add.u32 %x32, [room], %a32; bar.sync 0;
        ld.shared.u32 %y32, [room]; {TO_64_BITS}"""
    rows = [(1 << thread % 16, 0) for thread in range(THREADS)]
    got = run(code, rows, policy)
    total = sum(a for a, _ in rows)
    assert {y for _, y in got} == {total}
    olds = sorted((old, old + a) for (old, _), (a, _) in zip(got, rows, strict=True))
    assert olds[0][0] == 0
    assert olds[-1][1] == total
    assert all(first[1] == second[0] for first, second in pairwise(olds))


@pytest.mark.parametrize(("type_", "letter", "format_"), [("f32", "f", "<f"), ("f64", "g", "<d")])
def test_atomic_sums_of_floats(type_: str, letter: str, format_: str) -> None:
    values = [(1.5, -0.25), (0.0, -0.0), (1e30, -1e30), (3.0, 2.0**-20)] * (THREADS // 4)
    bits = int(type_[1:])
    integer = {32: "<I", 64: "<Q"}[bits]
    rows = [tuple(struct.unpack(integer, struct.pack(format_, x))[0] for x in pair) for pair in values]
    suffix = "32" if bits == 32 else ""
    code = f"""
        st.shared.b{bits} [%r5], %a{suffix}; mov.b{bits} %{letter}1, %b{suffix};
        atom.shared.add.{type_} %{letter}2, [%r5], %{letter}1; mov.b{bits} %x{suffix}, %{letter}2;
        ld.shared.b{bits} %y{suffix}, [%r5]; {TO_64_BITS if suffix else ""}"""
    for (a, b), (old, new) in zip(values, run(code, [(x, y) for x, y in rows]), strict=True):
        assert struct.pack(integer, old) == struct.pack(format_, a)
        assert struct.pack(integer, new) == struct.pack(format_, a + b)


@pytest.mark.parametrize("type_", ["u8", "s8", "u16", "s16", "u32", "s32", "b8", "b16"])
def test_narrow_loads_extend_by_their_type(type_: str) -> None:
    rows = operands(7)
    size = int(type_[1:]) // 8
    code = f"st.shared.b64 [%r5], %a; ld.shared.{type_} %x32, [%r5+{size}]; {TO_64_BITS}"
    for (a, _), (got, _) in zip(rows, run(code, rows), strict=True):
        assert got == number(a >> 8 * size, type_) % (1 << 32)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_narrow_stores_leave_their_neighbours(bits: int) -> None:
    rows = operands(8)
    code = f"st.shared.b64 [%r5], %a; st.shared.b{bits} [%r5+4], %b32; ld.shared.b64 %x, [%r5];"
    mask = (1 << bits) - 1
    expected = [a & ~(mask << 32) | (b & mask) << 32 for a, b in rows]
    assert [x for x, _ in run(code, rows)] == expected


@pytest.mark.parametrize("space", ["shared", "generic"])
def test_vectors_lie_in_order(space: str) -> None:
    rows = operands(9)
    code = """
        st.shared.v2.b64 [%r5], {%a, %b}; ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];
        mov.b64 %x, {%r7, %r6}; mov.b64 %y, {%r9, %r8};"""
    if space == "generic":
        code = code.replace("ld.shared", "cvta.shared.u64 %d6, %d7; ld").replace("[%r5];", "[%d6];", 1)
        code = "cvt.u64.u32 %d7, %r5;" + code
    swapped = [tuple(x >> 32 | (x & 0xFFFFFFFF) << 32 for x in pair) for pair in rows]
    assert run(code, rows) == swapped


def test_a_guard_keeps_threads_from_storing() -> None:
    rows = operands(10)
    code = """
        st.shared.b64 [%r5], %a; setp.lt.u64 %p1, %a, %b; @%p1 st.shared.b64 [%r5], %b; ld.shared.b64 %x, [%r5];
        mov.u64 %y, 9; @!%p1 ld.shared.b64 %y, [%r5];"""
    assert run(code, rows) == [(max(a, b), 9 if a < b else a) for a, b in rows]


@pytest.mark.parametrize("policy", ["lock step", "lanes at random", "warps in reverse"])
def test_barriers_count_and_combine(policy: str) -> None:
    for chosen in (0, 1, 20, THREADS):
        rows = [(int(thread < chosen), 0) for thread in range(THREADS)]
        code = f"""
            setp.ne.u64 %p1, %a, 0; bar.red.popc.u32 %x32, 0, %p1; bar.red.and.pred %p2, 0, %p1;
            bar.red.or.pred %p3, 0, %p1; selp.u32 %r6, 2, 0, %p2; selp.u32 %r7, 1, 0, %p3; or.b32 %y32, %r6, %r7;
            {TO_64_BITS}"""
        flags = 2 * (chosen == THREADS) + (chosen > 0)
        assert run(code, rows, policy) == [(chosen, flags)] * THREADS

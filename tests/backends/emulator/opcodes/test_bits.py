"""Logic, shifts and bit fields against Python's own integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.backends.emulator.forms import integers, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.emulator.forms import Values

SIZES = (16, 32, 64)


def counts(size: int) -> Values:
    """Return shift counts around all limits."""
    base = [0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1 << 20, (1 << 32) - 1]
    return np.resize(np.array(base, np.uint32), size)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.parametrize(
    ("opcode", "count", "reference"),
    [
        ("and", 2, lambda a, b: a & b),
        ("or", 2, lambda a, b: a | b),
        ("xor", 2, lambda a, b: a ^ b),
        ("not", 1, lambda a: ~a),
        ("cnot", 1, lambda a: int(a == 0)),
    ],
)
def test_logic(opcode: str, count: int, reference: Callable[..., int], bits: int) -> None:
    operands = integers(f"u{bits}", count)
    (got,) = run(f"{opcode}.b{bits}", *operands)
    rows = zip(*(x.tolist() for x in operands), strict=True)
    assert got.tolist() == [reference(*row) % (1 << bits) for row in rows]


def test_logic_of_predicates() -> None:
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    assert run("and.pred", a, b)[0].tolist() == [False, False, False, True]
    assert run("xor.pred", a, b)[0].tolist() == [False, True, True, False]
    assert run("not.pred", a)[0].tolist() == [True, True, False, False]


@pytest.mark.parametrize("bits", SIZES)
def test_shift_counts_clamp(bits: int) -> None:
    (a,) = integers(f"u{bits}", 1)
    a = np.repeat(a, 18)
    n = counts(a.size)
    rows = list(zip(a.tolist(), n.tolist(), strict=True))
    assert run(f"shl.b{bits}", a, n)[0].tolist() == [(x << min(c, bits)) % (1 << bits) for x, c in rows]
    assert run(f"shr.u{bits}", a, n)[0].tolist() == [x >> min(c, bits) for x, c in rows]
    assert run(f"shr.s{bits}", a, n)[0].tolist() == [signed(x, bits) >> min(c, bits) for x, c in rows]


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_funnel_shifts(mode: str) -> None:
    low, high = integers("u32", 2)
    n = counts(low.size)
    for x, y, c, left, right in zip(
        *(
            v.tolist()
            for v in (
                low,
                high,
                n,
                run(f"shf.l.{mode}.b32", low, high, n)[0],
                run(f"shf.r.{mode}.b32", low, high, n)[0],
            )
        ),
        strict=True,
    ):
        count = min(c, 32) if mode == "clamp" else c & 31
        both = y << 32 | x
        assert left == both << count >> 32 & 0xFFFFFFFF
        assert right == both >> count & 0xFFFFFFFF


@pytest.mark.parametrize("table", [0, 0x01, 0x80, 0xE8, 0x96, 0xFE, 0xFF, 0x2A])
def test_logic_of_three_operands(table: int) -> None:
    a, b, c = integers("u32", 3)
    (got,) = run("lop3.b32", a, b, c, np.full(a.shape, table, np.uint32))
    for x, y, z, result in zip(*(v.tolist() for v in (a, b, c, got)), strict=True):
        expected = sum(
            (table >> ((x >> bit & 1) << 2 | (y >> bit & 1) << 1 | z >> bit & 1) & 1) << bit for bit in range(32)
        )
        assert result == expected


def test_permutation_of_bytes() -> None:
    a, b, selector = integers("u32", 3)
    (got,) = run("prmt.b32", a, b, selector)
    for x, y, s, result in zip(*(v.tolist() for v in (a, b, selector, got)), strict=True):
        source = (y << 32 | x).to_bytes(8, "little")
        picked = []
        for place in range(4):
            nibble = s >> 4 * place & 15
            byte = source[nibble & 7]
            picked.append((0xFF if byte & 0x80 else 0) if nibble & 8 else byte)
        assert result == int.from_bytes(bytes(picked), "little")


@pytest.mark.parametrize("type_", ["u32", "s32", "u64", "s64"])
def test_extraction_of_a_field(type_: str) -> None:
    bits = int(type_[1:])
    (a,) = integers(f"u{bits}", 1)
    a = np.repeat(a, 40)
    position = np.resize(np.array([0, 1, 7, 30, 31, 32, 33, 63, 64, 200, 256], np.uint32), a.size)
    length = np.resize(np.array([0, 1, 2, 8, 31, 32, 33, 63, 64, 65, 255, 257, 16], np.uint32), a.size)
    (got,) = run(f"bfe.{type_}", a, position, length)
    for x, p, n, result in zip(*(v.tolist() for v in (a, position, length, got.view(f"u{bits // 8}"))), strict=True):
        # The pseudo-code of the PTX ISA, bit by bit.
        pos, size = p & 0xFF, n & 0xFF
        top = min(pos + size - 1, bits - 1)
        fill = 0 if type_[0] == "u" or size == 0 else x >> top & 1
        expected = sum(
            ((x >> (pos + bit) & 1) if bit < size and pos + bit <= bits - 1 else fill) << bit for bit in range(bits)
        )
        assert result == expected, (x, p, n)


@pytest.mark.parametrize("bits", [32, 64])
def test_insertion_of_a_field(bits: int) -> None:
    a, b = integers(f"u{bits}", 2)
    position = np.resize(np.array([0, 1, 7, 30, 31, 32, 33, 63, 64, 200], np.uint32), a.size)
    length = np.resize(np.array([0, 1, 2, 8, 31, 32, 33, 63, 64, 65, 255, 16, 3], np.uint32), a.size)
    (got,) = run(f"bfi.b{bits}", a, b, position, length)
    for x, y, p, n, result in zip(*(v.tolist() for v in (a, b, position, length, got)), strict=True):
        mask = ((1 << min(n & 0xFF, bits)) - 1) << (p & 0xFF) & ((1 << bits) - 1)
        assert result == (y & ~mask) | (x << (p & 0xFF) & mask), (x, y, p, n)


@pytest.mark.parametrize("bits", [32, 64])
def test_counting_and_reversing(bits: int) -> None:
    (a,) = integers(f"u{bits}", 1)
    values = a.tolist()
    assert run(f"popc.b{bits}", a)[0].tolist() == [x.bit_count() for x in values]
    assert run(f"clz.b{bits}", a)[0].tolist() == [bits - x.bit_length() for x in values]
    assert run(f"brev.b{bits}", a)[0].tolist() == [int(f"{x:0{bits}b}"[::-1], 2) for x in values]


@pytest.mark.parametrize("type_", ["u32", "s32", "u64", "s64"])
def test_finding_the_first_bit(type_: str) -> None:
    bits = int(type_[1:])
    (a,) = integers(type_, 1)
    sizes = [x if x >= 0 else ~x for x in a.tolist()]
    nothing = 0xFFFFFFFF
    assert run(f"bfind.{type_}", a)[0].tolist() == [x.bit_length() - 1 if x else nothing for x in sizes]
    assert run(f"bfind.shiftamt.{type_}", a)[0].tolist() == [bits - x.bit_length() if x else nothing for x in sizes]


def test_finding_the_nth_bit() -> None:
    mask = np.full(8, 0b10110100, np.uint32)
    base = np.array([0, 0, 3, 7, 7, 2, 3, 0], np.uint32)
    offset = np.array([1, 4, 1, -1, -2, 0, 0, 5], np.int32)
    (got,) = run("fns.b32", mask, base, offset)
    none = 0xFFFFFFFF
    assert got.tolist() == [2, 7, 4, 7, 5, 2, none, none]

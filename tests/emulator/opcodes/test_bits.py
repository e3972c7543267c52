"""Logic, shifts and bit fields against Python's own integers."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from tests.emulator.declared import each
from tests.emulator.forms import integers, run

LOGIC: Mapping[str, Callable[..., int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a: -1 - a,
    "cnot": lambda a: int(a == 0),
}
COUNTS: Mapping[str, Callable[[int, int], int]] = {
    "popc": lambda a, _: a.bit_count(),
    "clz": lambda a, bits: bits - a.bit_length(),
    "brev": lambda a, bits: int(f"{a:0{bits}b}"[::-1], 2),
}


def counts(size: int) -> Values:
    """Return shift counts around all limits."""
    base = [0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1 << 20, (1 << 32) - 1]
    return np.resize(np.array(base, np.uint32), size)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def type_of(form: str) -> tuple[str, int]:
    """Return the letter and the bits of a form's type."""
    type_ = form.rsplit(".", 1)[1]
    return type_[0], int(type_[1:])


@pytest.mark.parametrize("form", each(LOGIC, ("b16", "b32", "b64")))
def test_logic(form: str) -> None:
    bits, reference = type_of(form)[1], LOGIC[form.split(".", maxsplit=1)[0]]
    operands = integers(f"u{bits}", 1 if "not" in form else 2)
    (got,) = run(form, *operands)
    rows = zip(*(x.tolist() for x in operands), strict=True)
    assert got.tolist() == [reference(*row) % (1 << bits) for row in rows]


@pytest.mark.parametrize("form", each(("and", "or", "xor", "not"), ("pred",)))
def test_logic_of_predicates(form: str) -> None:
    a, b = [False, False, True, True], [False, True, False, True]
    operands = (a,) if "not" in form else (a, b)
    (got,) = run(form, *(np.array(x, np.bool_) for x in operands))
    assert got.tolist() == [LOGIC[form.split(".", maxsplit=1)[0]](*row) % 2 == 1 for row in zip(*operands, strict=True)]


@pytest.mark.parametrize(
    "form", [*each(("shl",), ("b16", "b32", "b64")), *each(("shr",), ("u16", "s16", "u32", "s32", "u64", "s64"))]
)
def test_shift_counts_clamp(form: str) -> None:
    letter, bits = type_of(form)
    (a,) = integers(f"u{bits}", 1)
    a = np.repeat(a, 18)
    n = counts(a.size)
    (got,) = run(form, a, n)
    for x, count, result in zip(a.tolist(), n.tolist(), got.view(a.dtype).tolist(), strict=True):
        number = signed(x, bits) if letter == "s" else x
        shifted = number << min(count, bits) if form.startswith("shl") else number >> min(count, bits)
        assert result == shifted % (1 << bits), (x, count)


@pytest.mark.parametrize("form", each(("shf",), "lr", ("clamp", "wrap"), ("b32",)))
def test_funnel_shifts(form: str) -> None:
    low, high = integers("u32", 2)
    n = counts(low.size)
    (got,) = run(form, low, high, n)
    for x, y, c, result in zip(*(v.tolist() for v in (low, high, n, got)), strict=True):
        count = min(c, 32) if "clamp" in form else c & 31
        both = y << 32 | x
        assert result == (both << count >> 32 if ".l." in form else both >> count) & 0xFFFFFFFF


@pytest.mark.parametrize("form", ["lop3.b32"])
@pytest.mark.parametrize("table", [0, 0x01, 0x80, 0xE8, 0x96, 0xFE, 0xFF, 0x2A])
def test_logic_of_three_operands(form: str, table: int) -> None:
    a, b, c = integers("u32", 3)
    (got,) = run(form, a, b, c, np.full(a.shape, table, np.uint32))
    for x, y, z, result in zip(*(v.tolist() for v in (a, b, c, got)), strict=True):
        expected = sum(
            (table >> ((x >> bit & 1) << 2 | (y >> bit & 1) << 1 | z >> bit & 1) & 1) << bit for bit in range(32)
        )
        assert result == expected


@pytest.mark.parametrize("form", ["prmt.b32"])
def test_permutation_of_bytes(form: str) -> None:
    a, b, selector = integers("u32", 3)
    (got,) = run(form, a, b, selector)
    for x, y, s, result in zip(*(v.tolist() for v in (a, b, selector, got)), strict=True):
        source = (y << 32 | x).to_bytes(8, "little")
        picked = []
        for place in range(4):
            nibble = s >> 4 * place & 15
            byte = source[nibble & 7]
            picked.append((0xFF if byte & 0x80 else 0) if nibble & 8 else byte)
        assert result == int.from_bytes(bytes(picked), "little")


@pytest.mark.parametrize("form", each(("bfe",), ("u32", "s32", "u64", "s64")))
def test_extraction_of_a_field(form: str) -> None:
    letter, bits = type_of(form)
    (a,) = integers(f"u{bits}", 1)
    a = np.repeat(a, 40)
    position = np.resize(np.array([0, 1, 7, 30, 31, 32, 33, 63, 64, 200, 256], np.uint32), a.size)
    length = np.resize(np.array([0, 1, 2, 8, 31, 32, 33, 63, 64, 65, 255, 257, 16], np.uint32), a.size)
    (got,) = run(form, a, position, length)
    for x, p, n, result in zip(*(v.tolist() for v in (a, position, length, got.view(f"u{bits // 8}"))), strict=True):
        # The pseudo-code of the PTX ISA, bit by bit.
        pos, size = p & 0xFF, n & 0xFF
        top = min(pos + size - 1, bits - 1)
        fill = 0 if letter == "u" or size == 0 else x >> top & 1
        expected = sum(
            ((x >> (pos + bit) & 1) if bit < size and pos + bit <= bits - 1 else fill) << bit for bit in range(bits)
        )
        assert result == expected, (x, p, n)


@pytest.mark.parametrize("form", each(("bfi",), ("b32", "b64")))
def test_insertion_of_a_field(form: str) -> None:
    bits = type_of(form)[1]
    a, b = integers(f"u{bits}", 2)
    position = np.resize(np.array([0, 1, 7, 30, 31, 32, 33, 63, 64, 200], np.uint32), a.size)
    length = np.resize(np.array([0, 1, 2, 8, 31, 32, 33, 63, 64, 65, 255, 16, 3], np.uint32), a.size)
    (got,) = run(form, a, b, position, length)
    for x, y, p, n, result in zip(*(v.tolist() for v in (a, b, position, length, got)), strict=True):
        mask = ((1 << min(n & 0xFF, bits)) - 1) << (p & 0xFF) & ((1 << bits) - 1)
        assert result == (y & ~mask) | (x << (p & 0xFF) & mask), (x, y, p, n)


@pytest.mark.parametrize("form", each(COUNTS, ("b32", "b64")))
def test_counting_and_reversing(form: str) -> None:
    bits = type_of(form)[1]
    (a,) = integers(f"u{bits}", 1)
    assert run(form, a)[0].tolist() == [COUNTS[form.split(".", maxsplit=1)[0]](x, bits) for x in a.tolist()]


@pytest.mark.parametrize("form", each(("bfind",), ("", "shiftamt"), ("u32", "s32", "u64", "s64")))
def test_finding_the_first_bit(form: str) -> None:
    letter, bits = type_of(form)
    (a,) = integers(f"{letter}{bits}", 1)
    sizes = [(x if x >= 0 else ~x).bit_length() for x in a.tolist()]
    expected = [bits - size if "shiftamt" in form else size - 1 for size in sizes]
    assert run(form, a)[0].tolist() == [x if size else 0xFFFFFFFF for x, size in zip(expected, sizes, strict=True)]


@pytest.mark.parametrize("form", ["fns.b32"])
def test_finding_the_nth_bit(form: str) -> None:
    mask, base, offset = integers("u32", 3)
    base, offset = base % np.uint32(32), (offset % np.uint32(12)).astype(np.int32) - np.int32(5)
    (got,) = run(form, mask, base, offset)
    for word, start, count, result in zip(*(x.tolist() for x in (mask, base, offset, got)), strict=True):
        # The pseudo-code of the PTX ISA: walk from the base until enough ones were met.
        place, left, step = start, abs(count), 1 if count >= 0 else -1
        if count == 0:
            assert result == (start if word >> start & 1 else 0xFFFFFFFF)
            continue
        while 0 <= place < 32 and left:
            left -= word >> place & 1
            place += step
        assert result == (0xFFFFFFFF if left else place - step)

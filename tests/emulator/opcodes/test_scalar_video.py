"""Scalar video instructions on parts of registers, against Python's integers as PTX ISA 9.0 describes them."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.emulator.link.linker import link
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Register
from shflbench.errors import EmulatorError
from tests.emulator.forms import instruction, integers, run

OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vmad": lambda a, b: a * b,
}
SUMS = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
SECOND: Mapping[str, Callable[[int, int], int]] = {"add": lambda a, c: a + c, "min": min, "max": max}


def part(word: int, name: str, type_: str) -> int:
    """Return a byte `b2`, a half `h1` or the whole of a word as a number of a type."""
    bits = {"b": 8, "h": 16, "": 32}[name[:1]]
    value = word >> bits * int(name[1:] or 0) & ((1 << bits) - 1)
    return value - (1 << bits) if type_ == "s32" and value >> (bits - 1) else value


def expected(form: str, a: int, b: int, c: int) -> int:
    name, target, first, second, *words = form.split(".")
    parts = dict(word.split("-") for word in words if "-" in word)
    value = OPERATIONS[name](part(a, parts.get("a", ""), first), part(b, parts.get("b", ""), second))
    merged = parts.get("d", "")
    bits = {"b": 8, "h": 16, "": 32}[merged[:1]]
    if "sat" in words:
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if target == "s32" else (0, (1 << bits) - 1)
        value = min(max(value, low), high)
    then = next((word for word in words if word in SECOND), "add" if name == "vmad" else "")
    if then:
        value = SECOND[then](value, part(c, "", target))
    if merged:
        shift = bits * int(merged[1:])
        mask = ((1 << bits) - 1) << shift
        value = (value << shift & mask) | (c & ~mask)
    return value % (1 << 32)


@pytest.mark.parametrize(
    "form",
    [
        *(f"{name}.{types}" for name in SUMS for types in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32")),
        *(f"vadd.s32.s32.s32.a-h{one}.b-h{two}" for one in (0, 1) for two in (0, 1)),
        *(f"vsub.s32.u32.u32.a-h{one}.b-h{two}" for one in (0, 1) for two in (0, 1)),
        *(f"vadd.u32.u32.u32.a-b{place}" for place in range(4)),
        "vabsdiff.u32.s32.s32.sat.a-b3.b-b1",
        "vadd.u32.s32.s32.sat",
        "vadd.s32.u32.u32.sat",
    ],
)
def test_one_operation_on_parts(form: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(form, a, b)
    assert got.tolist() == [expected(form, x, y, 0) for x, y in zip(a.tolist(), b.tolist(), strict=True)]


@pytest.mark.parametrize(
    "form",
    [
        *("vadd.u32.u32.u32.add", "vsub.u32.u32.u32.add", "vadd.u32.s32.s32.sat.min", "vsub.s32.s32.s32.sat.max"),
        *(f"{name}.u32.u32.u32.{then}" for name in ("vmin", "vmax") for then in SECOND),
        *(f"{name}.s32.s32.s32.{then}" for name in ("vmin", "vmax") for then in SECOND),
        *("vadd.u32.s32.s32.sat.d-b0", "vadd.u32.s32.s32.sat.d-b2", "vadd.s32.s32.s32.sat.d-h1"),
        *("vadd.u32.u32.u32.d-b0", "vsub.u32.u32.u32.d-b0", "vadd.s32.s32.s32.d-h0.a-b1"),
        *(f"vmad.u32.u32.u32.a-b{place}" for place in range(4)),
        *("vmad.u32.u32.u32.a-b1.b-b3", "vmad.s32.s32.s32", "vmad.s32.s32.u32.a-h1.b-b0"),
    ],
)
def test_a_second_operation_or_a_merge(form: str) -> None:
    a, b, c = integers("u32", 3)
    (got,) = run(form, a, b, c)
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    assert got.tolist() == [expected(form, x, y, z) for x, y, z in rows]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("vadd.s32.s32.s32.min", 4),  # of a sum that may not fit in 32 bits
        ("vmin.s32.u32.s32.max", 4),
        ("vadd.s32.s32.s32", 4),
        ("vadd.s32.s32.s32.add", 3),
        ("vadd.s32.s32.s32.add.d-b0", 4),
        ("vadd.s32.s32.s32.a-h2", 3),
        ("vadd.s32.s32.s32.c-b0", 3),
        ("vadd.s32.s16.s32", 3),
        ("vmad.s32.s32.s32.sat", 4),
        ("vmad.s32.s32.s32.shr7", 4),
        ("vmad.s32.s32.s32.d-b0", 4),
    ],
)
def test_what_the_isa_leaves_open_or_does_not_have_is_refused(text: str, count: int) -> None:
    with pytest.raises(EmulatorError):
        decode(instruction(text, (Register("%a"),) * count))


def test_parts_of_registers_are_read_from_the_text() -> None:
    body = "vadd.u32.s32.s32.sat %r0.b2, %r1.h1, %r2, %r3;\nret;"
    text = f".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n.reg .b32 %r<4>;\n{body}\n}}\n"
    module = parse(text)
    read = module.functions["k"].instructions[0]
    assert read.modifiers == ("u32", "s32", "s32", "sat", "d-b2", "a-h1")
    assert read.operands == tuple(Register(f"%r{number}") for number in range(4))
    assert link(module, "k").name == "k"
    assert np.uint32(expected("vadd.u32.s32.s32.sat.d-b2.a-h1", 0x7FFF0000, 1, 0x11223344)) == 0x11FF3344

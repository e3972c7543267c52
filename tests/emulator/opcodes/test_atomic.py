"""Atomics inside a kernel of a few instructions, against Python's integers."""

import struct
from collections.abc import Callable
from itertools import pairwise

import pytest

from shflbench.emulator.machine.policies import POLICIES
from tests.emulator.declared import each
from tests.emulator.threads import THREADS, TO_64_BITS, number, operands, run

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
HINTS = ("", "relaxed.gpu")
BOTH = "acq_rel.gpu"  # of an atomic, not of a reduction
RELEASING = ("atom.release.gpu.global.add.u32", "red.release.gpu.global.add.u32")


SPACES = {"shared": "%r5", "global": "%d5"}  # where each thread has 16 bytes


def forms(opcode: str, hints: tuple[str, ...], *names: str) -> list[str]:
    return [form for name in names for form in each((opcode,), hints, SPACES, (name,), ATOMICS[name][0])]


def place(form: str) -> tuple[str, str]:
    """Return the space that a form works on, and an address there."""
    space = next(word for word in form.split(".") if word in SPACES)
    return space, SPACES[space]


def registers(type_: str) -> tuple[str, int]:
    """Return how the names of the registers end, and how many bits an access has."""
    return ("32", 32) if type_.endswith("32") else ("", 64)


@pytest.mark.parametrize(
    "form",
    [
        *RELEASING,
        *forms("atom", (*HINTS, BOTH), *ATOMICS),
        *forms("red", HINTS, *(name for name in ATOMICS if name != "exch")),
    ],
)
def test_atomics_leave_the_new_value_and_return_the_old_one_unless_they_are_reductions(form: str) -> None:
    (name, type_), (space, at) = form.split(".")[-2:], place(form)
    rows, (suffix, bits) = operands(), registers(type_)
    returned = f"%x{suffix}, " if form.startswith("atom") else ""
    code = f"""
        st.{space}.b{bits} [{at}], %a{suffix}; {form} {returned}[{at}], %b{suffix};
        ld.{space}.b{bits} %y{suffix}, [{at}]; {TO_64_BITS if suffix else ""}"""
    function = ATOMICS[name][1]
    for (a, b), (old, new) in zip(rows, run(code, rows), strict=True):
        assert old == (a % (1 << bits) if returned else 0)
        assert new == function(number(a, type_), number(b, type_)) % (1 << bits)


@pytest.mark.parametrize("form", each(("atom",), HINTS, ("shared.cas",), ("b32", "b64")))
def test_compare_and_swap_swaps_only_where_equal(form: str) -> None:
    suffix, bits = registers(form)
    rows = [(a, a if place % 2 else b) for place, (a, b) in enumerate(operands())]
    code = f"""
        st.shared.b{bits} [%r5], %a{suffix}; {form} %x{suffix}, [%r5], %b{suffix}, 77;
        ld.shared.b{bits} %y{suffix}, [%r5]; {TO_64_BITS if suffix else ""}"""
    mask = (1 << bits) - 1
    expected = [(a & mask, 77 if a & mask == b & mask else a & mask) for a, b in rows]
    assert run(code, rows) == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_atomics_on_one_address_execute_one_after_the_other(policy: str) -> None:
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


@pytest.mark.parametrize("form", each(("atom",), HINTS, SPACES, ("add",), ("f32", "f64")))
def test_atomic_sums_of_floats(form: str) -> None:
    (space, at), (suffix, bits) = place(form), registers(form)
    letter, format_, integer = ("f", "<f", "<I") if bits == 32 else ("g", "<d", "<Q")
    values = [(1.5, -0.25), (0.0, -0.0), (1e30, -1e30), (3.0, 2.0**-20)] * (THREADS // 4)
    rows = [tuple(struct.unpack(integer, struct.pack(format_, x))[0] for x in pair) for pair in values]
    code = f"""
        st.{space}.b{bits} [{at}], %a{suffix}; mov.b{bits} %{letter}1, %b{suffix};
        {form} %{letter}2, [{at}], %{letter}1; mov.b{bits} %x{suffix}, %{letter}2;
        ld.{space}.b{bits} %y{suffix}, [{at}]; {TO_64_BITS if suffix else ""}"""
    for (a, b), (old, new) in zip(values, run(code, [(x, y) for x, y in rows]), strict=True):
        assert struct.pack(integer, old) == struct.pack(format_, a)
        assert struct.pack(integer, new) == struct.pack(format_, a + b)

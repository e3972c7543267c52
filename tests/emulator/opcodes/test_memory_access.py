"""Loads and stores inside a kernel of a few instructions: what lies in memory afterwards, byte by byte."""

import pytest

from tests.emulator.declared import each
from tests.emulator.threads import THREADS, TO_64_BITS, number, operands, run

# Where 16 bytes of each thread lie; generic addresses (without a space) are those of its shared memory.
ADDRESS = {"shared": "%r5", "global": "%d5", "local": "own"}
GENERIC = "cvt.u64.u32 %d6, %r5; cvta.shared.u64 %d7, %d6;"
TYPES = (*("b8", "u8", "s8", "b16", "u16", "s16"), *("b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"))
SPACES = ("shared", "global", "local", "")
VECTORS = {
    "v2.b32": "{%r6, %r7}",
    "v2.u32": "{%r6, %r7}",
    "v2.b64": "{%a, %b}",
    "v2.u64": "{%a, %b}",
    "v4.b32": "{%r6, %r7, %r8, %r9}",
    "v4.u32": "{%r6, %r7, %r8, %r9}",
    "v2.f32": "{%f0, %f1}",
    "v4.f32": "{%f0, %f1, %f2, %f3}",
    "v2.f64": "{%g0, %g1}",
}
# The registers of floats hold the bits of the others.
TO_FLOATS = " ".join(f"mov.b32 %f{i}, %r{6 + i};" for i in range(4)) + " mov.b64 %g0, %a; mov.b64 %g1, %b;"
FROM_FLOATS = {
    "v2.f32": "mov.b32 %r6, %f0; mov.b32 %r7, %f1;",
    "v4.f32": " ".join(f"mov.b32 %r{6 + i}, %f{i};" for i in range(4)),
    "v2.f64": "mov.b64 %x, %g0; mov.b64 %y, %g1;",
}


def place(form: str) -> tuple[str, str, str]:
    """Return the space to look into, the address there, and the address that the form takes."""
    space = next((word for word in form.split(".") if word in ADDRESS), "")
    return space or "shared", ADDRESS[space or "shared"], ADDRESS.get(space, "%d7")


def register(type_: str, name: str) -> tuple[str, str]:
    """Return a register for the type, and the integer one that holds the same bits: narrow types take 32."""
    integer = f"%{name}" if type_.endswith("64") else f"%{name}32"
    return {"f32": "%f1", "f64": "%g1"}.get(type_, integer), integer


def value(data: int, type_: str) -> int:
    """Return the result of loading the low bytes of `data`; types narrower than 32 bits are extended."""
    return number(data, type_) % (1 << max(int(type_[1:]), 32))


@pytest.mark.parametrize(
    "form",
    [
        *each(("st",), SPACES, TYPES),
        *each(("st.volatile",), ("shared", "global"), TYPES),
        "st.relaxed.gpu.global.u64",
    ],
)
def test_stores_do_not_change_adjacent_bytes(form: str) -> None:
    rows, type_ = operands(8), form.rsplit(".", 1)[1]
    (space, at, address), (source, integer) = place(form), register(type_, "b")
    code = f"""
        {GENERIC} st.{space}.b64 [{at}], %a; st.{space}.b64 [{at}+8], %a;
        {f"mov.b{type_[1:]} {source}, {integer};" if source != integer else ""} {form} [{address}+8], {source};
        ld.{space}.b64 %x, [{at}]; ld.{space}.b64 %y, [{at}+8];"""
    mask = (1 << int(type_[1:])) - 1
    assert run(code, rows) == [(a, (a & ~mask) | (b & mask)) for a, b in rows]


@pytest.mark.parametrize(
    "form",
    [
        *each(("ld",), SPACES, TYPES),
        *each(("ld.volatile",), ("shared", "global"), TYPES),
        *each(("ld.global",), ("ca", "cg", "cs"), TYPES),
        "ld.acquire.gpu.global.u32",
        "ld.relaxed.gpu.global.u64",
    ],
)
def test_loads_extend_by_their_type(form: str) -> None:
    rows, type_ = operands(7), form.rsplit(".", 1)[1]
    (space, at, address), (target, integer) = place(form), register(type_, "x")
    code = f"""
        {GENERIC} st.{space}.b64 [{at}], %a; st.{space}.b64 [{at}+8], %b; {form} {target}, [{address}+8];
        {f"mov.b{type_[1:]} {integer}, {target};" if target != integer else ""}
        {TO_64_BITS if integer == "%x32" else ""}"""
    assert [x for x, _ in run(code, rows)] == [value(b, type_) for _, b in rows]


@pytest.mark.parametrize("form", each(("ld.global.nc",), TYPES))
def test_loads_of_read_only_memory(form: str) -> None:
    rows, type_ = operands(7), form.rsplit(".", 1)[1]
    target, integer = register(type_, "x")
    code = f"""
        {form} {target}, [%d4+8]; {f"mov.b{type_[1:]} {integer}, {target};" if target != integer else ""}
        {TO_64_BITS if integer == "%x32" else ""}"""
    assert [x for x, _ in run(code, rows)] == [value(b, type_) for _, b in rows]


@pytest.mark.parametrize("form", each(("ld.const",), TYPES))
def test_constants_have_the_values_of_the_module(form: str) -> None:
    type_ = form.split(".")[2]
    table = bytes((37 * place + 129) % 256 for place in range(8 * THREADS))
    declaration = f".const .align 8 .b8 table[{len(table)}] = {{{', '.join(map(str, table))}}};"
    target, integer = register(type_, "x")
    code = f"""
        mov.u64 %d6, table; mul.wide.u32 %d7, %r3, 8; add.u64 %d6, %d6, %d7; {form} {target}, [%d6];
        {f"mov.b{type_[1:]} {integer}, {target};" if target != integer else ""}
        {TO_64_BITS if integer == "%x32" else ""}"""
    words = [int.from_bytes(table[8 * thread : 8 * thread + 8], "little") for thread in range(THREADS)]
    assert [x for x, _ in run(code, operands(), functions=declaration)] == [value(word, type_) for word in words]


def kept(a: int, b: int, type_: str, rest: int) -> tuple[int, int]:
    """Return 16 bytes of which a vector wrote the first or all."""
    return a, rest if type_ in {"v2.b32", "v2.u32", "v2.f32"} else b


@pytest.mark.parametrize(
    "form", [*each(("st",), SPACES, VECTORS), *each(("st.volatile",), ("shared", "global"), VECTORS)]
)
def test_vectors_are_stored_in_order(form: str) -> None:
    rows, type_ = operands(9), ".".join(form.split(".")[-2:])
    space, at, address = place(form)
    code = f"""
        {GENERIC} mov.b64 {{%r6, %r7}}, %a; mov.b64 {{%r8, %r9}}, %b; {TO_FLOATS}
        st.{space}.b64 [{at}+8], %a;
        {form} [{address}], {VECTORS[type_]}; ld.{space}.b64 %x, [{at}]; ld.{space}.b64 %y, [{at}+8];"""
    assert run(code, rows) == [kept(a, b, type_, a) for a, b in rows]


@pytest.mark.parametrize(
    "form",
    [
        *each(("ld",), (*SPACES, "global.nc"), VECTORS),
        *each(("ld.volatile",), ("shared", "global"), VECTORS),
        *each(("ld.global",), ("ca", "cg", "cs"), VECTORS),
    ],
)
def test_vectors_are_loaded_in_order(form: str) -> None:
    rows, type_ = operands(9), ".".join(form.split(".")[-2:])
    space, at, address = place(form)
    if ".nc." in form:  # the read-only path sees what no thread writes: the operands
        at = address = "%d4"
    target = VECTORS[type_].replace("%a", "%x").replace("%b", "%y")
    code = f"""
        {GENERIC} {"" if at == "%d4" else f"st.{space}.b64 [{at}], %a; st.{space}.b64 [{at}+8], %b;"}
        mov.u32 %r8, 0; mov.u32 %r9, 0; {form} {target}, [{address}]; {FROM_FLOATS.get(type_, "")}
        {"" if "64" in type_ else "mov.b64 %x, {%r6, %r7}; mov.b64 %y, {%r8, %r9};"}"""
    assert run(code, rows) == [kept(a, b, type_, 0) for a, b in rows]


@pytest.mark.parametrize("form", each(("ld",), ("global", "shared"), ("v2", "v4"), ("b16", "u16")))
def test_vectors_of_halves_are_loaded_in_order(form: str) -> None:
    rows, count = operands(9), 4 if ".v4." in form else 2
    names = ", ".join(f"%h{place}" for place in range(count))
    space, at, address = place(form)
    code = f"""
        st.{space}.b64 [{at}], %a; mov.u16 %h2, 0; mov.u16 %h3, 0; {form} {{{names}}}, [{address}];
        mov.b64 %x, {{%h0, %h1, %h2, %h3}}; mov.u64 %y, %b;"""
    assert run(code, rows) == [(a % (1 << 16 * count), b) for a, b in rows]


@pytest.mark.parametrize("form", each(("st",), ("global", "shared"), ("v2",), ("b16", "u16")))
def test_pairs_of_halves_are_stored_in_order(form: str) -> None:
    rows = operands(9)
    space, at, address = place(form)
    code = f"""
        st.{space}.b64 [{at}], %b; mov.b64 {{%h0, %h1, %h2, %h3}}, %a; {form} [{address}], {{%h0, %h1}};
        ld.{space}.b64 %x, [{at}]; mov.u64 %y, %b;"""
    assert run(code, rows) == [(b >> 32 << 32 | a % (1 << 32), b) for a, b in rows]


def test_a_guard_keeps_threads_from_storing() -> None:
    rows = operands(10)
    code = """
        st.shared.b64 [%r5], %a; setp.lt.u64 %p1, %a, %b; @%p1 st.shared.b64 [%r5], %b; ld.shared.b64 %x, [%r5];
        mov.u64 %y, 9; @!%p1 ld.shared.b64 %y, [%r5];"""
    assert run(code, rows) == [(max(a, b), 9 if a < b else a) for a, b in rows]


def test_a_variable_begins_at_a_multiple_of_its_alignment() -> None:
    code = """.shared .align 16384 .b8 tile[16384]; mov.u32 %r6, tile;
    rem.u32 %x32, %r6, 16384; setp.ne.u32 %p1, %r6, %r4; selp.u32 %y32, 1, 0, %p1; """
    assert set(run(code + TO_64_BITS, operands())) == {(0, 1)}  # and apart from the other variable

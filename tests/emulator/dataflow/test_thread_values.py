"""Integers per thread of a block: what is calculated, and what stays a multiple of a symbol."""

import numpy as np
import pytest

from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.dataflow.symbolic_numbers import ThreadValue
from shflbench.emulator.dataflow.thread_values import KnownParameter, ThreadValues
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op
from shflbench.emulator.ptx.parse import parse

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{{
    .reg .pred %p<9>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<9>;
    .shared .align 4 .b8 s[4096];
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [in];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    ld.global.u32 %r4, [%rd1];
    {code}
    st.shared.u32 [%r9], %r2;
    ret;
}}
"""
THREADS = np.arange(64)


def value(code: str, parameters: dict[int, KnownParameter] | None = None) -> ThreadValue:
    """Return the address of the store to shared memory."""
    values, store = of(code, parameters)
    return values.address(store)


def of(code: str, parameters: dict[int, KnownParameter] | None = None) -> tuple[ThreadValues, Op]:
    slicer = Slicer(link(parse(PTX.format(code=code)), "k"))
    store = next(op for op in slicer.ops if op.place is not None and op.place.space == "shared")
    return ThreadValues(slicer, (64, 1, 1), parameters), store


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("shl.b32 %r9, %r2, 2;", THREADS * 4),
        ("shr.u32 %r5, %r2, 5; mul.lo.u32 %r9, %r5, 132;", THREADS // 32 * 132),
        ("xor.b32 %r5, %r2, 31; sub.s32 %r9, %r5, 100;", (THREADS ^ 31) - 100),
        ("setp.lt.u32 %p1, %r2, 8; selp.b32 %r9, %r2, 5, %p1;", np.where(THREADS < 8, THREADS, 5)),
    ],
)
def test_what_follows_from_the_thread_is_calculated(code: str, expected: np.ndarray) -> None:
    result = value(code)
    assert not result.multiples
    assert result.number.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("code", "symbol", "multiple"),
    [
        ("mad.lo.u32 %r9, %r3, 64, %r2;", "=%ctaid.x", 64),
        ("mad.lo.u32 %r5, %r3, 64, %r2; xor.b32 %r9, %r5, 33;", "=%ctaid.x", 64),  # bits that the symbol has no part in
        ("mul.lo.u32 %r9, %r1, 4;", "=@8", 4),
        ("and.b32 %r9, %r4, 24;", "at most 3 of line 15", 8),
    ],
)
def test_what_nobody_knows_is_a_multiple_of_a_symbol(code: str, symbol: str, multiple: int) -> None:
    result = value(code)
    assert {name: values.tolist() for name, values in result.multiples.items()} == {symbol: [multiple] * 64}


def test_a_uniform_symbol_cancels_and_another_one_does_not() -> None:
    twice = "add.s32 %r5, %{0}, 4; sub.s32 %r9, %r5, %{0};"
    assert not value(twice.format("r1")).multiples
    assert [values.tolist() for values in value(twice.format("r4")).multiples.values()] == [[1] * 64]


def test_a_loop_adds_multiples_of_its_step() -> None:
    loop = "mov.u32 %r5, %r2;\nL: {0}\nadd.u32 %r5, %r5, 64; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L;"
    inside = value(loop.format("shl.b32 %r9, %r5, 2;"))
    assert inside.number.tolist() == (4 * THREADS).tolist()
    assert [values.tolist() for values in inside.multiples.values()] == [[256] * 64]
    before = value("mov.u32 %r5, %r2; shl.b32 %r9, %r5, 2;\n" + loop.format("").partition("\n")[2])
    assert not before.multiples  # the loop has not begun


def test_the_last_value_of_a_variable_is_not_the_one_before() -> None:
    loop = (
        "mov.u32 %r5, 0;\nL: mov.u32 %r6, %r5; add.u32 %r5, %r5, %r4; sub.s32 %r9, %r5, %r6; setp.lt.u32 %p1, %r5, %r1;"
    )
    assert value(loop + " @%p1 bra L;").multiples


def test_a_value_that_a_loop_halves_has_a_few_choices() -> None:
    loop = "mov.u32 %r5, 32;\nL: shl.b32 %r9, %r5, 2; shr.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;"
    values, store = of(loop)
    assert values.address(store).multiples
    ((changed, choices),) = values.choices.items()
    assert sorted(int(item.number[0]) for item in choices) == [0, 1, 2, 4, 8, 16, 32]
    known = values.assuming({changed: choices[0]}).address(store)
    assert not known.multiples


def test_a_known_parameter_is_a_number_or_a_place_in_a_buffer() -> None:
    result = value("mad.lo.u32 %r9, %r1, 4, %r2;", {8: KnownParameter(number=10)})
    assert (result.number - THREADS).tolist() == [40] * 64
    moved = value("cvt.u32.u64 %r9, %rd1;", {0: KnownParameter("a", 16)})
    assert (list(moved.multiples), moved.number.tolist()) == (["=a"], [16] * 64)


def test_a_guard_may_hold_for_some_threads() -> None:
    code = "setp.lt.u32 %p1, %r2, 8; setp.lt.u32 %p2, %r2, %r1; and.pred %p3, %p1, %p2; mov.u32 %r9, 0; @%p3 "
    values, store = of(code)
    may, may_not = values.truth(store)
    assert np.flatnonzero(may).tolist() == list(range(8))
    assert may_not.all()

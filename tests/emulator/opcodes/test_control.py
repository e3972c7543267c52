"""Jumps, calls and barriers, inside a kernel of a few instructions, under several orders of the threads."""

import pytest

from shflbench.emulator.machine.policies import POLICIES
from shflbench.errors import EmulatorError
from tests.emulator.declared import each
from tests.emulator.threads import THREADS, TO_64_BITS, operands, run

SOME = ["lockstep", "lanes at random", "warps in reverse"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["bra", "bra.uni"])
def test_each_thread_runs_its_number_of_iterations(form: str, policy: str) -> None:
    code = f"""
        $again: setp.eq.u64 %p1, %a, 0; @%p1 bra $done; shr.u64 %a, %a, 1; add.u64 %x, %x, 1; {form} $again;
        $done: setp.gt.u64 %p2, %x, 32; @%p2 bra $long; mov.u64 %y, 7; $long: add.u64 %y, %y, 1;"""
    rows = operands()
    assert run(code, rows, policy) == [(a.bit_length(), 1 if a.bit_length() > 32 else 8) for a, _ in rows]


@pytest.mark.parametrize(("value", "guard", "y"), [(-1, "%p1", 7), (-1, "!%p1", 8), (0, "%p1", 8), (0, "!%p1", 7)])
def test_a_guard_may_be_a_constant(value: int, guard: str, y: int) -> None:
    code = f"mov.u64 %x, 0; mov.u64 %y, 7; mov.pred %p1, {value}; @{guard} bra $end; add.u64 %y, %y, 1; $end:"
    assert run(code, operands()) == [(0, y)] * len(operands())


CALLED = """
.func (.param .align 16 .b8 result[16]) called(.param .align 16 .b8 given[16])
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<2>; .reg .f64 %g<2>;
    CODE
    ret;
}
"""
CALL = """
    {
    .param .align 16 .b8 given[16];
    st.param.b64 [given+0], %a;
    st.param.b64 [given+8], %b;
    .param .align 16 .b8 taken[16];
    call.uni (taken),
    called,
    (
    given
    );
    ld.param.b64 %x, [taken+0];
    ld.param.b64 %y, [taken+8];
    }
"""
# How a form loads the bytes at an offset into %d1, and stores them at another offset.
PARAMETERS = {
    **dict.fromkeys(("b32", "u32", "s32"), ("%r1", "cvt.u64.u32 %d1, %r1;", "cvt.u32.u64 %r1, %d1;")),
    **dict.fromkeys(("b64", "u64", "s64"), ("%d1", "", "")),
    "f32": ("%f1", "mov.b32 %r1, %f1; cvt.u64.u32 %d1, %r1;", "cvt.u32.u64 %r1, %d1; mov.b32 %f1, %r1;"),
    "f64": ("%g1", "mov.b64 %d1, %g1;", "mov.b64 %g1, %d1;"),
    **dict.fromkeys(("v2.b32", "v2.u32"), ("{%r1, %r2}", "mov.b64 %d1, {%r1, %r2};", "mov.b64 {%r1, %r2}, %d1;")),
}


@pytest.mark.parametrize("form", each(("ld.param", "st.param"), PARAMETERS))
def test_parameters_of_functions_lie_at_their_offsets(form: str) -> None:
    opcode, _, type_ = form.split(".", 2)
    registers, after_load, before_store = PARAMETERS[type_]
    load = f"{form} {registers}, [given+8]; {after_load}" if opcode == "ld" else "ld.param.b64 %d1, [given+8];"
    store = f"{before_store} {form} [result+0], {registers};" if opcode == "st" else "st.param.b64 [result+0], %d1;"
    code = f"mov.u64 %d2, 0; st.param.b64 [result+0], %d2; st.param.b64 [result+8], %d2; {load} {store}"
    rows = operands(11)
    bits = 64 if type_.startswith("v2.") else int(type_[1:])
    assert run(CALL, rows, functions=CALLED.replace("CODE", code)) == [(b % (1 << bits), 0) for _, b in rows]


@pytest.mark.parametrize("policy", SOME)
@pytest.mark.parametrize("form", ["call.uni", "ret"])
def test_each_thread_returns_from_a_function_on_its_own_condition(form: str, policy: str) -> None:
    code = """
        ld.param.b64 %d1, [given+0]; ld.param.b64 %d2, [given+8]; setp.lt.u64 %p1, %d1, %d2;
        st.param.b64 [result+8], %d2; st.param.b64 [result+0], %d1; @%p1 ret; st.param.b64 [result+8], %d1;"""
    assert f"{form} " in CALL or f"{form};" in CALLED
    rows = operands(12)
    assert run(CALL, rows, policy, CALLED.replace("CODE", code)) == [(a, max(a, b)) for a, b in rows]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["bar.sync", "barrier.sync", "bar.warp.sync"])
def test_barriers_let_threads_read_what_others_wrote(form: str, policy: str) -> None:
    distance = 31 if "warp" in form else 63  # to the other end of the warp, or of the block
    code = f"""
        st.shared.b64 [%r5], %a; {form} {-1 if "warp" in form else 0}; xor.b32 %r6, %r3, {distance};
        mad.lo.u32 %r6, %r6, 32, %r4; ld.shared.b64 %x, [%r6];"""
    rows = operands(13)
    assert run(code, rows, policy) == [(rows[thread ^ distance][0], 0) for thread in range(THREADS)]


@pytest.mark.parametrize("policy", SOME)
@pytest.mark.parametrize("chosen", [0, 1, 20, THREADS - 1, THREADS])
@pytest.mark.parametrize("form", ["bar.red.popc.u32", "bar.red.and.pred", "bar.red.or.pred"])
def test_barriers_count_and_combine(form: str, chosen: int, policy: str) -> None:
    rows = [(int(thread < chosen), 0) for thread in range(THREADS)]
    result = "%x32" if "popc" in form else "%p2"
    code = f"""
        setp.ne.u64 %p1, %a, 0; {form} {result}, 0, %p1;
        {"" if "popc" in form else "selp.u32 %x32, 1, 0, %p2;"} {TO_64_BITS}"""
    expected = {"popc": chosen, "and": int(chosen == THREADS), "or": int(chosen > 0)}[form.split(".")[2]]
    assert run(code, rows, policy) == [(expected, 0)] * THREADS


@pytest.mark.parametrize("form", ["griddepcontrol.launch_dependents", "griddepcontrol.wait"])
def test_control_of_other_grids_changes_nothing_in_a_single_launch(form: str) -> None:
    rows = operands(14)
    code = f"mov.u64 %x, %a; {form}; setp.lt.u64 %p1, %a, %b; @%p1 {form}; add.u64 %y, %x, 1;"
    assert run(code, rows) == [(a, (a + 1) % (1 << 64)) for a, _ in rows]


def test_another_control_of_grids_is_refused() -> None:
    with pytest.raises(EmulatorError, match=r"griddepcontrol\.leave"):
        run("griddepcontrol.leave;", operands())

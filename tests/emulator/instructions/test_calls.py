"""Calls that cannot be inlined: recursion, pointers, and functions that several names or kernels share."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.emulator.problems import problems

HEAD = """
.version 8.4
.target sm_90
.address_size 64
"""
# fibonacci(n), with its argument and a predicate needed after the first call.
RECURSION = """
.func (.param .b32 result) fibonacci(.param .b32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<2>;
    .local .align 8 .b8 depot[8];
    ld.param.b32 %r1, [n]; setp.lt.s32 %p1, %r1, 2; setp.gt.s32 %p2, %r1, 6;
    mov.u64 %rd1, depot; st.local.b32 [%rd1], %r1;
    @%p1 bra small;
    sub.s32 %r2, %r1, 1;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fibonacci, (a); ld.param.b32 %r3, [b]; }
    ld.local.b32 %r4, [%rd1];
    sub.s32 %r4, %r4, 2;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call.uni (b), fibonacci, (a); ld.param.b32 %r5, [b]; }
    add.s32 %r6, %r3, %r5;
    @%p2 add.s32 %r6, %r6, 1000;
    st.param.b32 [result], %r6;
    ret;
small:
    st.param.b32 [result], %r1;
    ret;
}
"""
POINTERS = """
.func (.param .b32 result) increased(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.s32 %r2, %r1, 1; st.param.b32 [result], %r2; ret; }
.func (.param .b32 result) tripled(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mul.lo.s32 %r2, %r1, 3; st.param.b32 [result], %r2; ret; }
.func (.param .b64 result) other(.param .b64 a)
{ .reg .b64 %rd<3>; ld.param.b64 %rd1, [a]; st.param.b64 [result], %rd1; ret; }
.alias again, tripled;
.global .align 8 .u64 table[4] = {increased, tripled, 0, other};
"""
KERNEL = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<8>; .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.b32 %r2, [%rd1];
    CODE
    st.global.b32 [%rd2], %r3;
    ret;
}
"""
DIRECT = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), NAME, (a); ld.param.b32 %r3, [b]; }"
INDIRECT = """
    mov.u64 %rd4, table; and.b32 %r4, %r1, MASK; mul.wide.u32 %rd5, %r4, 8; add.u64 %rd4, %rd4, %rd5;
    ld.global.u64 %rd6, [%rd4];
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;
      prototype : .callprototype (.param .b32 _) _ (.param .b32 _);
      call (b), %rd6, (a), prototype; ld.param.b32 %r3, [b]; }
"""


def launch(functions: str, code: str, values: list[int]) -> EmulatedLaunch:
    program = link(parse(HEAD + functions + KERNEL.replace("CODE", code)), "k")
    return EmulatedLaunch(program, Shape(1, 32), 0, [np.array(values, np.int32)], [(32, "i4")], 0, order=(0, 1))


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2) + (1000 if n > 6 else 0)


@pytest.mark.parametrize("policy", ["lockstep", "lanes in order", "lanes at random"])
def test_registers_and_local_variables_survive_recursive_calls(policy: str) -> None:
    values = [i % 10 for i in range(32)]
    (out,) = execute(launch(RECURSION, DIRECT.replace("NAME", "fibonacci"), values), POLICIES[policy])
    assert out.tolist() == [fibonacci(value) for value in values]


def test_a_recursion_that_is_too_deep_stops_the_kernel() -> None:
    with pytest.raises(KernelFault, match="thread 0 of block 0 calls functions deeper than its stack") as raised:
        execute(launch(RECURSION, DIRECT.replace("NAME", "fibonacci"), [100_000] * 32))
    assert raised.value.kind is FaultKind.STACK


@pytest.mark.parametrize("policy", ["lockstep", "odd lanes first"])
def test_a_call_through_a_table_reaches_the_function_of_each_thread(policy: str) -> None:
    values = list(range(100, 132))
    (out,) = execute(launch(POINTERS, INDIRECT.replace("MASK", "1"), values), POLICIES[policy])
    assert out.tolist() == [value * 3 if i % 2 else value + 1 for i, value in enumerate(values)]


def test_a_call_through_a_null_pointer_stops_the_kernel() -> None:
    with pytest.raises(KernelFault, match="thread 2 of block 0 calls address 0x0, where no function of this type lies"):
        execute(launch(POINTERS, INDIRECT.replace("MASK", "2"), [1] * 32))


def test_a_function_of_another_type_is_not_called() -> None:
    with pytest.raises(KernelFault, match="no function of this type"):
        execute(launch(POINTERS, INDIRECT.replace("MASK", "3"), [1] * 32), POLICIES["lanes in order"])


def test_a_pointer_from_the_host_to_a_function_is_refused() -> None:
    code = INDIRECT.replace("mov.u64 %rd4, table;", "").replace("MASK", "1")
    (problem,) = problems(parse(HEAD + KERNEL.replace("CODE", code)), "k")
    assert "a function pointer cannot be given as an argument" in problem


def test_an_alias_is_another_name_of_a_function() -> None:
    (out,) = execute(launch(POINTERS, DIRECT.replace("NAME", "again"), [7] * 32))
    assert out.tolist() == [21] * 32


def test_functions_whose_copies_would_be_too_many_are_not_copied() -> None:
    """Each of 20 functions calls the next one twice: a million copies."""
    last = POINTERS.partition(".func (.param .b32 result) tripled")[0].replace("increased", "f20")
    functions = [last]
    call = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), NEXT, (a); ld.param.b32 %r1, [b]; }"
    for number in range(19, -1, -1):
        twice = 2 * call.replace("NEXT", f"f{number + 1}") if number >= 16 else call.replace("NEXT", f"f{number + 1}")
        body = f"{{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; {twice} st.param.b32 [result], %r1; ret; }}"
        functions.append(f".func (.param .b32 result) f{number}(.param .b32 a)\n{body}\n")
    (out,) = execute(launch("".join(functions), DIRECT.replace("NAME", "f0"), [5] * 32))
    assert out.tolist() == [5 + 16] * 32


def test_nothing_is_inlined_where_copies_multiply() -> None:
    last = POINTERS.partition(".func (.param .b32 result) tripled")[0].replace("increased", "f18")
    functions = [last]
    call = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), NEXT, (a); ld.param.b32 %r1, [b]; }"
    for number in range(17, -1, -1):
        body = f"{{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; {2 * call.replace('NEXT', f'f{number + 1}')} ret; }}"
        functions.append(f".func (.param .b32 result) f{number}(.param .b32 a)\n{body}\n")
    module = parse(HEAD + "".join(functions) + KERNEL.replace("CODE", DIRECT.replace("NAME", "f0")))
    assert problems(module, "k") == []
    assert len(link(module, "k").blocks) < 1000


CLUSTER = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .shared .align 4 .b8 room[128];
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    mov.u32 %r2, room; mad.lo.u32 %r3, %r1, 4, %r2; mapa.shared::cluster.u32 %r3, %r3, 0;
    mov.u32 %r4, %cluster_nctarank; add.u32 %r4, %r4, %r1; st.shared.b32 [%r3], %r4;
    CODE
    xor.b32 %r5, %r1, 31; mad.lo.u32 %r3, %r5, 4, %r2; ld.shared.b32 %r6, [%r3]; st.global.b32 [%rd1], %r6;
    ret;
}
"""


def cluster(code: str) -> EmulatedLaunch:
    program = link(parse(HEAD + CLUSTER.replace("CODE", code)), "k")
    return EmulatedLaunch(program, Shape(1, 32), 0, [np.zeros(32, np.int32)], [(32, "i4")], 0, order=(0, 1))


def test_a_launch_without_clusters_has_clusters_of_one_block() -> None:
    report = explore(cluster("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"))
    assert report.hazards == ()
    assert all(result.outputs[0].tolist() == list(range(32, 0, -1)) for result in report.results)


def test_a_block_may_work_between_arrival_and_wait_of_a_cluster() -> None:
    report = explore(cluster("barrier.cluster.arrive.aligned; mov.u32 %r7, 1; barrier.cluster.wait.aligned;"))
    assert report.hazards == ()

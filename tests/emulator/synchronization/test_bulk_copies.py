"""Bulk copies and asynchronous stores in short programs, most of them of two warps."""

import numpy as np
import pytest

from shflbench.emulator.explore import Exploration, explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races import proxy_fences
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.errors import EmulatorError
from tests.emulator.synchronization.kernels import kinds

SCHEDULES = (LOCKSTEP, POLICIES["warps in reverse"])
# %p1: thread 0, %p2: thread 32; %r3: shared memory, with a barrier for one arrival at byte 128; %d1: the output
FRAME = """.version 8.8
.target sm_90
.address_size 64
VARIABLES
.visible .entry k(.param .u64 memory)
{
    .shared .align 16 .b8 s[256];
    .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [memory];
    mov.u32 %r1, %tid.x; mov.u32 %r3, s; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32;
    @!%p1 bra ready;
    mbarrier.init.shared.b64 [%r3+128], 1; fence.proxy.async;
ready:
    barrier.sync 0;
    BODY
end:
    ret;
}
"""
STORE = "cp.async.bulk.global.shared::cta.bulk_group"
COMMIT = "cp.async.bulk.commit_group;"
WAIT = "cp.async.bulk.wait_group 0;"
FILL = "st.shared.v4.u32 [%r3], {1, 2, 3, 4}; fence.proxy.async;"
PHASE = "again: mbarrier.try_wait.parity.shared.b64 %p3, [%r3+128], 0; @!%p3 bra again;"
REDUCE = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"


def check(body: str, variables: str = "") -> Exploration:
    program = link(parse(FRAME.replace("VARIABLES", variables).replace("BODY", body)), "k")
    return explore(EmulatedLaunch(program, Shape(1, 64), 0, [], [np.zeros(64, np.uint32)], 0, order=(0,)), SCHEDULES)


def test_a_variable_of_the_module_is_read_before_the_copy_to_it_is_complete() -> None:
    body = f"""@!%p1 bra end; {FILL} mov.u64 %d2, v; {STORE} [%d2], [%r3], 16; {COMMIT}
        ld.global.u32 %r8, [v]; st.global.u32 [%d1], %r8; {WAIT}"""
    assert kinds(check(body, ".global .align 16 .b8 v[64];")) == {"RAW"}


LOAD = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


@pytest.mark.parametrize(("wait", "found"), [("", {"WAR"}), ("cp.async.bulk.wait_group.read 0;", set())])
def test_a_copy_may_overwrite_the_source_of_another_one_once_this_is_read(wait: str, found: set[str]) -> None:
    body = f"""@!%p1 bra end; {FILL} {STORE} [%d1], [%r3], 16; {COMMIT} {wait}
        mbarrier.arrive.expect_tx.shared.b64 _, [%r3+128], 16; {LOAD} [%r3], [%d1+16], 16, [%r3+128]; {PHASE} {WAIT}"""
    assert kinds(check(body)) == found


def test_a_copy_to_a_buffer_does_not_concern_a_variable_of_the_module() -> None:
    body = f"""@!%p1 bra end; {FILL} {STORE} [%d1], [%r3], 16; {COMMIT} mov.u32 %r9, 0; mov.u64 %d2, v;
        next: ld.global.u32 %r8, [%d2]; add.u64 %d2, %d2, 4; add.u32 %r9, %r9, 1;
        setp.lt.u32 %p3, %r9, 4096; @%p3 bra next; {WAIT}"""
    assert kinds(check(body, ".global .align 16 .b8 v[16384];")) == set()


@pytest.mark.parametrize("again", ["", "@%p2 fence.proxy.async;"])
def test_an_earlier_proxy_fence_of_a_third_thread_counts(again: str) -> None:
    body = f"""@%p1 st.shared.v4.u32 [%r3], {{1, 2, 3, 4}}; barrier.sync 0; @%p2 fence.proxy.async; barrier.sync 0;
        {again} @!%p1 bra end; {STORE} [%d1], [%r3], 16; {COMMIT} {WAIT}"""
    assert kinds(check(body)) == set()


@pytest.mark.parametrize(("late_writes", "found"), [(0, set()), (1, {"PROXY_RACE"})])
def test_the_last_of_many_proxy_fences_are_kept(
    late_writes: int, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_fences, "MOST_ENTRIES", 64 * 16)
    write = "@%p1 st.shared.v4.u32 [%r3], {1, 2, 3, 4};"
    body = f"""{write} barrier.sync 0; {"@%p2 fence.proxy.async; barrier.sync 0;" * 40} {write * late_writes}
        @!%p1 bra end; {STORE} [%d1], [%r3], 16; {COMMIT} {WAIT}"""
    assert kinds(check(body)) == found


EXPECT = "@!%p1 bra go; st.shared.u32 [%r3], 0; mbarrier.arrive.expect_tx.shared.b64 _, [%r3+128], BYTES; go:"


def test_asynchronous_additions_to_one_word_do_not_race() -> None:
    expect = EXPECT.replace("BYTES", "256")
    body = f"{expect} barrier.sync 0; {REDUCE}.add.u32 [%r3], %r1, [%r3+128]; {PHASE} @%p1 ld.shared.u32 %r8, [%r3];"
    report = check(f"{body} @%p1 st.global.u32 [%d1], %r8;")
    assert kinds(report) == set()
    assert {int(result.outputs[0][0]) for result in report.results} == {64 * 63 // 2}


def test_who_knows_of_the_last_asynchronous_addition_alone_does_not_know_of_the_others() -> None:
    expect = EXPECT.replace("BYTES", "4") + "@%p1 mbarrier.init.shared.b64 [%r3+136], 1;"
    body = f"""{expect} barrier.sync 0;
        @%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r3+136], 4; @%p2 {REDUCE}.add.u32 [%r3], 1, [%r3+136];
        barrier.sync 0; @%p1 {REDUCE}.add.u32 [%r3], 1, [%r3+128];
        {PHASE} @%p1 ld.shared.u32 %r8, [%r3]; barrier.sync 0;
        last: mbarrier.try_wait.parity.shared.b64 %p3, [%r3+136], 0; @!%p3 bra last;"""
    assert kinds(check(body)) == {"RAW"}


@pytest.mark.parametrize(
    ("access", "found"),
    [
        ("atom.shared.add.u32 %r8, [%r3], 1;", set()),
        ("atom.cluster.shared.add.u32 %r8, [%r3], 1;", set()),
        ("atom.shared.add.u64 %d2, [%r3], 1;", {"WAW"}),
        ("st.shared.u32 [%r3], 1;", {"WAW"}),
        ("st.relaxed.cta.shared.u32 [%r3], 1;", {"UNORDERED"}),
        ("ld.relaxed.cluster.shared.u32 %r8, [%r3];", {"UNORDERED"}),
        ("ld.acquire.gpu.shared.u32 %r8, [%r3];", {"UNORDERED"}),
        ("st.relaxed.cta.shared.u64 [%r3], 1;", {"WAW"}),
        ("st.volatile.shared.u32 [%r3], 1;", {"WAW"}),
    ],
)
@pytest.mark.parametrize("order", ["{access} {addition}", "{addition} {access}"])
def test_strong_accesses_of_one_size_do_not_race_with_an_asynchronous_addition(
    access: str, found: set[str], order: str
) -> None:
    both = order.format(access=f"@%p2 {access}", addition=f"@%p1 {REDUCE}.add.u32 [%r3], 1, [%r3+128];")
    report = check(f"{EXPECT.replace('BYTES', '4')} barrier.sync 0; {both} {PHASE}")
    assert kinds(report) - {"UNINITIALIZED_UNUSED"} == found


@pytest.mark.parametrize(("access", "other"), [("ld", "WAR"), ("st", "WAW")])
@pytest.mark.parametrize("scope", ["cta", "cluster", "gpu"])
def test_the_scope_of_a_relaxed_access_has_to_include_the_thread_that_adds(access: str, other: str, scope: str) -> None:
    """Thread 0 of the first block adds to a word of the second block, whose thread 32 accesses it."""
    operands = {"ld": "%r8, [%r3]", "st": "[%r3], 1"}[access]
    body = f"""mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p4, %r4, 0; {EXPECT.replace("BYTES", "4")}
        barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 %r7, %r3, 1;
        @%p4 bra first; @%p2 {access}.relaxed.{scope}.shared.u32 {operands}; {PHASE} bra over;
        first: @%p1 {REDUCE}.add.u32 [%r7], 1, [%r7+128];
        over: barrier.cluster.arrive; barrier.cluster.wait;"""
    program = link(parse(FRAME.replace("VARIABLES", "").replace("BODY", body)), "k")
    shape = Shape.of((2, 1, 1), (64, 1, 1), cluster=(2, 1, 1))
    report = explore(EmulatedLaunch(program, shape, 0, [], [np.zeros(64, np.uint32)], 0, order=(0,)), SCHEDULES)
    assert kinds(report) - {"UNINITIALIZED_UNUSED"} == ({other} if scope == "cta" else {"UNORDERED"})


@pytest.mark.parametrize(
    ("form", "value", "found"),
    [
        ("add.s32", -3, 2),
        ("min.s32", -3, -3),
        ("max.s32", -3, 5),
        ("min.u32", -3, 5),
        ("max.u32", -3, -3),
        ("inc.u32", 5, 0),
        ("dec.u32", 3, 3),
        ("and.b32", 6, 4),
        ("or.b32", 6, 7),
        ("xor.b32", 6, 3),
    ],
)
def test_an_asynchronous_reduction_combines_numbers_of_its_type(form: str, value: int, found: int) -> None:
    body = f"""@!%p1 bra end; mbarrier.arrive.expect_tx.shared.b64 _, [%r3+128], 4; st.shared.s32 [%r3], 5;
        mov.s32 %r9, {value}; {REDUCE}.{form} [%r3], %r9, [%r3+128]; {PHASE}
        ld.shared.u32 %r8, [%r3]; st.global.u32 [%d1], %r8;"""
    report = check(body)
    assert kinds(report) == set()
    assert {int(result.outputs[0].view(np.int32)[0]) for result in report.results} == {found}


@pytest.mark.parametrize("form", ["foo.u32", "exch.b32", "min.f32"])
def test_an_asynchronous_reduction_that_does_not_exist_is_refused(form: str) -> None:
    with pytest.raises(EmulatorError, match=rf"\.{form}"):
        check(f"{REDUCE}.{form} [%r3], %r1, [%r3+128];")


def test_a_copy_of_bytes_that_nothing_has_written_is_reported() -> None:
    body = f"""@!%p1 bra end; st.shared.v2.u32 [%r3], {{1, 2}}; st.shared.u32 [%r3+12], 3; fence.proxy.async;
        {STORE} [%d1], [%r3], 16; {COMMIT} {WAIT}"""
    (hazard,) = check(body).hazards
    assert (hazard.kind.name, hazard.memory) == ("UNINITIALIZED", MemoryBytes("shared", "`s`", 8, 4))


@pytest.mark.parametrize(
    "form", ["st.async.mbarrier::complete_tx::bytes.u32", REDUCE.replace(".shared::cluster", "") + ".add.u32"]
)
def test_an_asynchronous_store_takes_generic_addresses(form: str) -> None:
    body = f"""@!%p1 bra end; cvt.u64.u32 %d3, %r3; cvta.shared.u64 %d2, %d3; add.u64 %d4, %d2, 128;
        mbarrier.arrive.expect_tx.shared.b64 _, [%r3+128], 4; st.shared.u32 [%r3], 0; {form} [%d2], 7, [%d4]; {PHASE}
        ld.shared.u32 %r8, [%r3]; st.global.u32 [%d1], %r8;"""
    report = check(body)
    assert kinds(report) == set()
    assert {int(result.outputs[0][0]) for result in report.results} == {7}


WAIT_OF_TESTS = """@!%p1 bra end; mov.u32 %r9, 0; again: mbarrier.try_wait.parity.shared.b64 %p3, [%r3+128], 0;
    @%p3 bra leave; add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, TESTS; BRANCH bra again; leave: st.global.u32 [%d1], %r9;
"""


def test_a_wait_that_gives_up_is_no_deadlock() -> None:
    report = check(WAIT_OF_TESTS.replace("TESTS", "200").replace("BRANCH", "@%p4"))
    assert kinds(report) == set()
    assert {int(result.outputs[0][0]) for result in report.results} == {200}


def test_a_wait_that_counts_up_to_a_limit_and_does_not_give_up_is_a_deadlock() -> None:
    limited = WAIT_OF_TESTS.replace("setp.lt.u32 %p4, %r9, TESTS", "min.u32 %r9, %r9, 200").replace("BRANCH", "")
    assert kinds(check(limited)) == {"DEADLOCK"}


LOADED_LATE = """@!%p1 bra other; mbarrier.arrive.expect_tx.shared.b64 _, [%r3+128], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d1+SOURCE], 16, [%r3+128]; other:
    WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r3+128], PARITY; @!%p3 bra WAIT; barrier.sync 0;"""


def test_copies_to_one_target_from_many_sources_do_not_race_with_what_waits_for_the_last() -> None:
    body = "".join(
        LOADED_LATE.replace("SOURCE", str(16 * number))
        .replace("WAIT", f"w{number}")
        .replace("PARITY", str(number % 2))
        .replace("other", f"other{number}")
        for number in range(10)
    )
    assert kinds(check(f"{body} ld.shared.u32 %r8, [%r3]; @%p2 st.global.u32 [%d1], %r8;")) == set()


STORED_TWICE = f"""@!%p1 bra other; {FILL} st.shared.v4.u32 [%r3+16], {{1, 1, 1, 1}}; fence.proxy.async;
    {STORE} [%d1], [%r3], 16; {COMMIT} {WAIT} {STORE} [%d1], [%r3+16], 16; {COMMIT} {WAIT} other:"""


def test_the_source_of_a_copy_counts_after_another_copy_to_the_same_target() -> None:
    assert "WAR" in kinds(check(f"{STORED_TWICE} @%p2 st.shared.u32 [%r3], 9;"))


def test_the_source_of_a_copy_that_is_known_to_be_read_may_be_overwritten() -> None:
    assert kinds(check(f"{STORED_TWICE} barrier.sync 0; @%p2 st.shared.u32 [%r3], 9;")) == set()

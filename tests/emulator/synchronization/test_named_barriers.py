"""Barriers of a part of a block, inside a kernel of a few instructions, under several orders of the threads."""

import pytest

from shflbench.emulator.explore import Exploration, explore
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.breaking import breaking
from tests.emulator.threads import THREADS, TO_64_BITS, launch, operands, run

WARP_BARRIER = "shr.u32 %r6, %r3, 5; add.u32 %r6, %r6, 1;"  # 1 or 2, by the warp
SECOND_WARP = "setp.ge.u32 %p1, %r3, 32;"
UPPER_LANES = "and.b32 %r7, %r3, 16; setp.ne.u32 %p1, %r7, 0;"
OTHER = "xor.b32 %r8, %r3, 63; mad.lo.u32 %r8, %r8, 32, %r4; ld.shared.b64 %x, [%r8];"


def report(code: str) -> Exploration:
    return explore(launch(code, operands()), (LOCKSTEP,))


def fault(code: str) -> KernelFault:
    (error,) = report(code).errors
    assert isinstance(error, KernelFault)
    return error


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["bar.arrive", "barrier.arrive", "barrier.cta.arrive.aligned"])
def test_threads_that_wait_read_what_threads_that_only_arrive_wrote(form: str, policy: str) -> None:
    code = f"""
        {SECOND_WARP} @%p1 bra $produce; bar.sync 3, 64; {OTHER} bra $done;
        $produce: st.shared.b64 [%r5], %a; {form} 3, 64; mov.u64 %y, 1; $done:"""
    rows = operands(21)
    assert run(code, rows, policy) == [
        (rows[63 - thread][0], 0) if thread < 32 else (0, 1) for thread in range(THREADS)
    ]


def test_threads_that_only_arrive_at_a_barrier_of_the_whole_block_are_not_ordered_after_it() -> None:
    code = f"""
        {SECOND_WARP} @%p1 bra $arrive; st.shared.b64 [%r5], %a; bar.sync 1; bra $done;
        $arrive: {{}} {OTHER} $done:"""
    assert report(code.format("bar.sync 1;")).hazards == ()
    (race,) = report(code.format("bar.arrive 1, 64;")).hazards
    assert (race.kind, race.count) == (HazardKind.RAW, 32)


@pytest.mark.parametrize("policy", ["lockstep", "lanes at random", "warps in reverse"])
@pytest.mark.parametrize("form", ["bar.red.popc.u32", "bar.red.and.pred", "bar.red.or.pred"])
def test_a_barrier_with_a_number_of_threads_combines_the_values_of_these(form: str, policy: str) -> None:
    rows = [(int(thread < 40), 0) for thread in range(THREADS)]
    result = "%x32" if "popc" in form else "%p2"
    code = f"""
        {WARP_BARRIER} setp.ne.u64 %p1, %a, 0; {form} {result}, %r6, 32, %p1;
        {"" if "popc" in form else "selp.u32 %x32, 1, 0, %p2;"} {TO_64_BITS}"""
    first, second = {"popc": (32, 8), "and": (1, 0), "or": (1, 1)}[form.split(".")[2]]
    assert run(code, rows, policy) == [(first, 0)] * 32 + [(second, 0)] * 32


@pytest.mark.parametrize("policy", POLICIES)
def test_a_barrier_completes_with_the_first_threads_that_make_its_number(policy: str) -> None:
    # Each warp is a number of its own: neither waits for the other.
    code = f"""
        st.shared.b64 [%r5], %a; bar.sync 1, 32; {SECOND_WARP} @!%p1 bar.sync 2, 32;
        xor.b32 %r8, %r5, 992; ld.shared.b64 %x, [%r8];"""
    rows = operands(22)
    assert run(code, rows, policy) == [(rows[thread ^ 31][0], 0) for thread in range(THREADS)]


@pytest.mark.parametrize("policy", POLICIES)
def test_lanes_of_a_warp_meet_at_barriers_that_are_not_aligned(policy: str) -> None:
    code = f"""
        st.shared.b64 [%r5], %a; {UPPER_LANES} @%p1 bra $upper; barrier.sync 0; mov.u64 %y, 1; bra $read;
        $upper: barrier.cta.sync 0; $read: {OTHER}"""
    rows = operands(23)
    expected = [(rows[63 - thread][0], int(thread & 16 == 0)) for thread in range(THREADS)]
    assert run(code, rows, policy) == expected
    assert report(code).hazards == ()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("mov.u32 %r6, 48; add.u32 %r6, %r6, 0; bar.sync 1, %r6;", "48 threads are no multiple of the 32 of a warp"),
        ("bar.sync 1, 0;", "0 threads are no multiple of the 32 of a warp"),
        ("add.u32 %r6, %r3, 16; and.b32 %r6, %r6, 16; or.b32 %r6, %r6, 16; bar.sync %r6;", "barriers 0 to 15, not 16"),
        (f"{SECOND_WARP} @%p1 bar.sync 1, 64;", "barrier 1 of block 0 waits for 64 threads, 32 can arrive"),
        (f"{SECOND_WARP} @%p1 bar.sync 1, 96; @!%p1 bar.sync 1, 64;", "different numbers: 64 threads, but 96 at"),
        (
            f"{SECOND_WARP} @%p1 bra $skip; bar.arrive 1, 64; $skip: bar.sync 1, 64;",
            "a warp arrives again at a barrier before the others complete it",
        ),
        (
            f"{SECOND_WARP} @%p1 bar.sync 0; @!%p1 bar.red.popc.u32 %x32, 0, %p1;",
            "threads meet at one barrier in different forms, also `",
        ),
        (
            f"{SECOND_WARP} @%p1 bar.sync 1, 64; @!%p1 bar.red.popc.u32 %x32, 1, 64, %p1;",
            "threads meet at one barrier in different forms, also `",
        ),
        (
            f"{SECOND_WARP} @%p1 bar.red.or.pred %p2, 0, %p1; @!%p1 bar.red.and.pred %p2, 0, %p1;",
            "threads meet at one barrier in different forms, also `",
        ),
    ],
)
def test_a_barrier_that_cannot_complete_is_named_with_its_threads(code: str, words: str) -> None:
    error = fault(code)
    assert error.kind is FaultKind.BARRIER_IMPOSSIBLE
    assert words in error.message
    assert error.op is not None
    assert error.op.instruction.where in error.message
    assert error.thread in {(0, 0), (0, 32)}


@pytest.mark.parametrize("policy", POLICIES)
def test_barriers_of_whole_blocks_work_alike_where_others_concern_parts(policy: str) -> None:
    swap = f"st.shared.b64 [%r5], %a; bar.sync 0; {OTHER} bar.sync 0; mov.u64 %a, %x;"
    code = f"{UPPER_LANES} @%p1 add.u64 %a, %a, 1; {swap} {swap} {swap}"
    rows = operands(24)
    alone, beside = (launch(text, rows) for text in (code, f"{code} bar.sync 1, 64;"))
    results = [explore(item, (POLICIES[policy],)).results[0] for item in (alone, beside)]
    assert results[0].outputs[0].tobytes() == results[1].outputs[0].tobytes()
    assert [result.hazards for result in results] == [(), ()]


def test_a_deadlock_names_who_waits_and_for_whom() -> None:
    error = fault(f"{UPPER_LANES} @%p1 bra $upper; bar.sync 0; bra $done; $upper: bar.warp.sync -1; $done:")
    assert error.kind is FaultKind.DEADLOCK
    assert "32 threads wait at `bar.warp.sync" in error.message
    assert "32 threads wait at `bar.sync 0" in error.message
    assert error.message.endswith("thread 0 of block 0 waits for thread 16 of block 0 and 31 others")
    assert error.threads == ((0, 0), (0, 16))


def test_lanes_of_one_warp_at_barriers_with_different_numbers_are_a_deadlock_in_divergent_code() -> None:
    result = report(f"{UPPER_LANES}\n@%p1 bra $other; bar.sync 1; bra $done;\n$other: bar.sync 2;\n$done:")
    assert {hazard.kind for hazard in result.hazards} == {HazardKind.DIVERGENT_WARP_BARRIER, HazardKind.DEADLOCK}
    (error,) = result.errors
    assert isinstance(error, KernelFault)
    assert error.kind is FaultKind.DEADLOCK


@pytest.mark.parametrize(
    ("barrier", "condition", "kinds"),
    [
        ("bar.sync 0", UPPER_LANES, {HazardKind.DIVERGENT_WARP_BARRIER}),
        ("bar.sync 0, 64", UPPER_LANES, {HazardKind.DIVERGENT_WARP_BARRIER}),
        ("barrier.sync.aligned 0", UPPER_LANES, {HazardKind.DIVERGENT_WARP_BARRIER}),
        ("barrier.sync 0", UPPER_LANES, set()),
        ("barrier.sync 0, 64", UPPER_LANES, set()),
        ("bar.sync 0", SECOND_WARP, set()),
        ("bar.sync 0, 64", SECOND_WARP, set()),
    ],
)
def test_lanes_of_one_warp_execute_an_aligned_barrier_together(
    barrier: str, condition: str, kinds: set[HazardKind]
) -> None:
    result = report(f"{condition}\n@%p1 bra $other; {barrier}; bra $done;\n$other: {barrier};\n$done:")
    assert {hazard.kind for hazard in result.hazards} == kinds
    assert result.errors == ()


@pytest.mark.parametrize("barrier", ["bar.sync 0", "barrier.sync 0", "bar.red.popc.u32 %x32, 0, %p1"])
def test_threads_that_end_before_a_barrier_are_named_with_the_place_of_their_end(barrier: str) -> None:
    result = report(f"{UPPER_LANES}\n@%p1 ret;\n{barrier};")
    (hazard,) = result.hazards
    assert (hazard.kind, hazard.count, hazard.threads) == (HazardKind.BARRIER_SKIPPED, 32, ((0, 0), (0, 16)))
    assert hazard.other is not None
    assert hazard.other.opcode == "ret"
    assert breaking(result) == ()
    assert result.errors == ()


def test_ended_lanes_of_a_warp_count_as_arrived_where_a_number_is_given() -> None:
    result = report(f"{UPPER_LANES} @%p1 ret; st.shared.b64 [%r5], %a; bar.sync 1, 64;")
    assert result.errors == ()

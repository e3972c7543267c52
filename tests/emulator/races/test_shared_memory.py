"""The accesses that barriers order, and the bytes of memory that they access, in two warps."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.races.hazards import Hazard, HazardKind
from tests.emulator.threads import launch, operands

WAR, RAW = HazardKind.WAR, HazardKind.RAW
WRITTEN = "setp.eq.u32 %p1, %r3, 63; @%p1 st.shared.b64 [%r4], %a; bar.sync 0;"  # the first word, by the last thread
READ, WRITE = "ld.shared.b64 %x, [%r4];", "@%p1 st.shared.b64 [%r4], %b;"
OWN, MEET = "st.shared.b64 [%r5], %a;", "bar.warp.sync -1;"
BYTE = "add.u32 %r6, %r4, %r3; st.shared.b8 [%r6], %a32;"
FIRST_WARP = "setp.ge.u32 %p2, %r3, 32; @%p2 bra $both;"
SECOND_WARP = "setp.lt.u32 %p2, %r3, 32; @%p2 bra $done;"


def hazards(code: str, policy: str = LOCKSTEP.name) -> tuple[Hazard, ...]:
    return explore(launch(code, operands()), (POLICIES[policy],)).hazards


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (f"{WRITTEN} {READ} {MEET} {WRITE}", {WAR}),  # the first warp reads, too
        (f"{WRITTEN} {READ} bar.sync 0; {WRITE}", set()),
        (f"{WRITTEN.removesuffix('bar.sync 0;')} {MEET} {READ}", {RAW}),  # of the second warp, by the first one
        (f"{WRITTEN} {FIRST_WARP} {READ} $both: {SECOND_WARP} {READ} {MEET} {WRITE} $done:", {WAR}),
        (f"{WRITTEN} {SECOND_WARP} {READ} {MEET} {WRITE} $done:", set()),
        (f"{OWN} {MEET} ld.shared.b64 %x, [%r5]; st.shared.b64 [%r5], %b;", set()),
        (f"{OWN} xor.b32 %r6, %r5, 32; {MEET} ld.shared.b64 %x, [%r6];", set()),
        (f"{OWN} xor.b32 %r6, %r5, 1024; {MEET} ld.shared.b64 %x, [%r6];", {RAW}),
        (f"{BYTE} {READ}", {RAW}),
        (f"{BYTE} bar.sync 0; {READ}", set()),
        (f"{WRITTEN} st.shared.b64 [%r4], %b;", {HazardKind.WAW}),  # all threads, by one instruction
    ],
)
def test_an_access_races_unless_a_barrier_of_both_threads_is_between(code: str, kinds: set[HazardKind]) -> None:
    assert {hazard.kind for hazard in hazards(code)} == kinds


def test_a_write_races_with_an_earlier_read_of_another_warp() -> None:
    code = f"{WRITTEN} {READ} {MEET} setp.eq.u32 %p1, %r3, 0; {WRITE}"
    (race,) = hazards(code, "warps in reverse")
    assert (race.kind, race.threads) == (WAR, ((0, 0), (0, 32)))


def test_the_bytes_of_an_access_are_compared_one_by_one() -> None:
    (race,) = hazards(f"{BYTE} bar.sync 0; setp.eq.u32 %p1, %r3, 5; @%p1 st.shared.b8 [%r6], %b32; {READ}")
    assert (race.kind, race.count, race.threads) == (RAW, 63, ((0, 0), (0, 5)))


def test_a_read_races_with_the_next_write_only() -> None:
    lines = [f"setp.eq.u32 %p1, %r3, {thread};\n@%p1 {{}} [%r4]{{}};\n" for thread in (1, 2, 3)]
    accesses = [("ld.shared.b64 %x,", ""), *[("st.shared.b64", ", %b")] * 2]
    code = WRITTEN + "\n" + "".join(line.format(*access) for line, access in zip(lines, accesses, strict=True))
    assert [(race.kind, race.threads) for race in hazards(code)] == [
        (WAR, ((0, 2), (0, 1))),
        (HazardKind.WAW, ((0, 3), (0, 2))),
    ]


# Lanes 1 and 2 meet, then lanes 0 and 1; lane 0 comes to the second barrier while lane 1 waits at the first.
CHAIN = """
    setp.eq.u32 %p1, %r3, 2; @%p1 st.shared.b64 [%r4+64], %b;
    setp.eq.u32 %p2, %r3, 1; or.pred %p3, %p1, %p2; @!%p3 bra $second; bar.warp.sync 6;
    $second: @%p2 ld.shared.b64 %y, [%r4+64]; @%p2 st.shared.b64 [%r4+32], %y;
    setp.gt.u32 %p3, %r3, 1; @%p3 bra $done; bar.warp.sync 3;
    $done: setp.eq.u32 %p1, %r3, 0; @%p1 ld.shared.b64 %x, [%r4+32];"""
RING = """
    setp.gt.u32 %p1, %r3, 2; @%p1 bra $done; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r3, 1;
    selp.b32 %r6, 6, 5, %p2; selp.b32 %r6, 3, %r6, %p1; bar.warp.sync %r6;
    $done:"""


@pytest.mark.parametrize("policy", POLICIES)
def test_lanes_meet_only_those_that_pass_the_same_mask(policy: str) -> None:
    result = explore(launch(CHAIN, operands()), (POLICIES[policy],)).results[0]
    assert (result.error, result.hazards) == (None, ())
    assert result.outputs[0][0] == operands()[2][1]


@pytest.mark.parametrize("policy", POLICIES)
def test_lanes_that_name_one_another_in_different_masks_are_found(policy: str) -> None:
    result = explore(launch(RING, operands()), (POLICIES[policy],)).results[0]
    assert result.error is None
    assert {hazard.kind for hazard in result.hazards} == {HazardKind.MASKS_DIFFER}

"""Reads of the last block: stores of other blocks that it knows of by a relaxed atomic, a barrier and a fence."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.hazards import Hazard, HazardKind

# The first thread of a block stores one word, and counts the blocks that have done so; the last one reads all of them.
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .shared .align 4 .b8 last[4];
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d2, %d1; mov.u32 %r3, last;
    @%p1 st.ORDERglobal.b32 [%d2+4], 7;
    BEFORE
    @%p1 atom.global.add.u32 %r4, [%d1], 1;
    BEHIND
    @%p1 st.shared.b32 [%r3], %r4;
    BARRIER
    ld.shared.b32 %r5, [%r3]; setp.ne.u32 %p2, %r5, 2; @%p2 bra $end;
    AFTER
    ld.ORDERglobalHINT.b32 %r6, [%d1+4]; ld.ORDERglobalHINT.b32 %r7, [%d1+8];
    $end: ret;
}
"""
FENCE, OF_ONE, OF_ALL = "membar.gl;", "@%p1 membar.gl;", "membar.gl; bar.sync 0;"


def hazards(
    *,
    before: str = OF_ONE,
    behind: str = "",
    barrier: str = "bar.sync 0;",
    after: str = "",
    order: str = "",
    hint: str = "",
    threads: int = 64,
) -> tuple[Hazard, ...]:
    code = KERNEL.replace("BEFORE", before).replace("BEHIND", behind).replace("BARRIER", barrier)
    code = code.replace("AFTER", after).replace("ORDER", order).replace("HINT", hint)
    out, program = np.zeros(4, np.uint32), link(parse(code), "one")
    launch = EmulatedLaunch(program, Shape(3, threads), 0, [], [out], 0, order=(0,))
    return explore(launch, [LOCKSTEP]).hazards


def test_a_barrier_after_a_relaxed_atomic_does_not_acquire_for_weak_reads() -> None:
    (race,) = hazards()
    assert (race.kind, race.reasons) == (HazardKind.RAW, (UnorderedReason.NO_FENCE_AFTER_READ,))


@pytest.mark.parametrize(
    "fence",
    [{"after": FENCE}, {"behind": OF_ONE}, {"behind": FENCE}],
    ids=["of the readers", "of the thread of the atomic", "of all before the barrier"],
)
@pytest.mark.parametrize("barrier", ["bar.sync 0;", "barrier.sync 1, 64;"])
def test_a_fence_after_the_atomic_acquires(fence: dict[str, str], barrier: str) -> None:
    assert hazards(**fence, barrier=barrier) == ()  # type: ignore[arg-type]


def test_a_barrier_of_a_warp_lets_the_fences_of_its_lanes_acquire() -> None:
    (race,) = hazards(barrier="bar.warp.sync -1;", threads=32)
    assert race.kind is HazardKind.RAW
    assert hazards(barrier="bar.warp.sync -1;", after=FENCE, threads=32) == ()


def test_a_fence_of_one_reader_acquires_for_no_other() -> None:
    assert {race.kind for race in hazards(after=OF_ONE)} == {HazardKind.RAW}
    assert hazards(after=f"{OF_ONE} bar.sync 0;") == ()


def test_a_fence_of_the_block_is_too_narrow() -> None:
    assert {race.kind for race in hazards(after="membar.cta;")} == {HazardKind.RAW}


def test_weak_reads_after_fences_of_all_threads_before_the_atomic_are_a_weak_order() -> None:
    (read,) = hazards(before=OF_ALL)
    assert (read.kind, read.reasons) == (HazardKind.WEAK_READ, (UnorderedReason.NO_FENCE_AFTER_READ,))


def test_volatile_reads_need_no_fence_after_the_atomic() -> None:
    assert hazards(order="volatile.") == ()


@pytest.mark.parametrize("hint", [".cg", ".cv"])
def test_weak_reads_that_pass_l1_by_are_a_weak_order(hint: str) -> None:
    (read,) = hazards(hint=hint)
    assert (read.kind, read.reasons) == (HazardKind.WEAK_READ, (UnorderedReason.NO_FENCE_AFTER_READ,))
    assert {race.kind for race in hazards(before="", hint=hint)} == {HazardKind.RAW}


def test_other_hints_of_weak_reads_change_nothing() -> None:
    (race,) = hazards(hint=".ca")
    assert race.kind is HazardKind.RAW

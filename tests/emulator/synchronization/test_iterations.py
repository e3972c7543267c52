"""Lanes of a warp that meet at one barrier, but in different iterations of the loops around it."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.barrier_loops import barrier_loops
from shflbench.emulator.machine.policies import ADVERSARIAL, LOCKSTEP, Policy
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.threads import launch, operands, program

BY_LANE = "and.b32 %r6, %r3, 1;"  # in which of two iterations the barrier is executed by a thread
BY_WARP = "shr.u32 %r6, %r3, 5;"
BY_ITERATION = "and.b32 %r6, %r7, 1;"  # all threads in all iterations
DIVERGENT = {HazardKind.DIVERGENT_WARP_BARRIER}
VOTE = "bar.red.popc.u32 %r8, 0, %p1"

# Threads execute the barrier in the iteration %r6 of two.
ONE_LOOP = """
    mov.u32 %r7, 0;
    $loop: CHOICE setp.ne.u32 %p1, %r6, %r7; @%p1 bra $skip;
    BARRIER;
    $skip: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 2; @%p2 bra $loop;"""

# The same, but so that threads of different iterations run together before they come to the barrier.
JOINED = """
    mov.u32 %r7, 0;
    $loop: CHOICE setp.eq.u32 %p1, %r6, %r7; @%p1 bra $chosen;
    $skip: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 2; @%p2 bra $loop; bra $done;
    $chosen: add.u64 %x, %x, 1;
    BARRIER;
    bra $skip;
    $done:"""

# Three rounds of an inner loop that odd lanes go through twice as often, and of a barrier.
INNER_LOOP = """
    mov.u32 %r7, 0; and.b32 %r6, %r3, 1;
    $outer: mov.u32 %r8, 0;
    $inner: add.u32 %r8, %r8, 1; setp.le.u32 %p1, %r8, %r6; @%p1 bra $inner;
    bar.sync 0;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra $outer;"""

# The same, with one first instruction for both loops.
ONE_HEADER = """
    mov.u32 %r7, 0; and.b32 %r6, %r3, 1; mov.u32 %r8, 0;
    $both: add.u32 %r8, %r8, 1; and.b32 %r9, %r8, %r6; setp.ne.u32 %p1, %r9, 0; @%p1 bra $both;
    bar.sync 0;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra $both; add.u64 %x, %x, 1;"""

# Three rounds of a loop with a barrier in its first iteration, which odd lanes go through twice.
INNER_BARRIER = """
    mov.u32 %r7, 0; and.b32 %r6, %r3, 1;
    $outer: mov.u32 %r8, 0;
    $inner: setp.ne.u32 %p1, %r8, 0; @%p1 bra $skip;
    bar.sync 0;
    $skip: add.u32 %r8, %r8, 1; setp.le.u32 %p1, %r8, %r6; @%p1 bra $inner;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra $outer;"""

# In the first of two rounds of an outer loop, a thread takes part in one iteration of the inner one, then in the other.
NESTED = """
    mov.u32 %r7, 0;
    $outer: mov.u32 %r8, 0;
    $inner: and.b32 %r6, %r3, 1; add.u32 %r6, %r6, %r7; and.b32 %r6, %r6, 1;
    setp.ne.u32 %p1, %r6, %r8; @%p1 bra $skip;
    bar.sync 0;
    $skip: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 2; @%p2 bra $inner;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 2; @%p2 bra $outer;"""


def kinds(code: str, policy: Policy = LOCKSTEP) -> set[HazardKind]:
    """Return the hazards of a launch that ends."""
    report = explore(launch(f"mov.u64 %x, %a; {code}", operands()), (policy,))
    assert report.errors == ()
    return {hazard.kind for hazard in report.hazards}


@pytest.mark.parametrize("loop", [ONE_LOOP, JOINED])
@pytest.mark.parametrize(
    ("barrier", "choice", "expected"),
    [
        ("bar.sync 0", BY_LANE, DIVERGENT),
        ("bar.sync 1, 64", BY_LANE, DIVERGENT),
        (VOTE, BY_LANE, DIVERGENT),
        ("barrier.sync 0", BY_LANE, set()),
        ("bar.warp.sync -1", BY_LANE, set()),
        ("bar.sync 0", BY_WARP, set()),
        ("bar.sync 1, 64", BY_WARP, set()),
        ("bar.sync 0", BY_ITERATION, set()),
    ],
)
def test_lanes_meet_at_an_aligned_barrier_in_one_iteration(
    loop: str, barrier: str, choice: str, expected: set[HazardKind]
) -> None:
    assert kinds(loop.replace("CHOICE", choice).replace("BARRIER", barrier)) == expected


@pytest.mark.parametrize("code", [INNER_LOOP, ONE_HEADER, INNER_BARRIER])
def test_lanes_may_go_through_inner_loops_as_often_as_they_like(code: str) -> None:
    assert kinds(code) == set()


def test_iterations_of_an_inner_loop_are_distinguished() -> None:
    assert kinds(NESTED) == DIVERGENT


@pytest.mark.parametrize("policy", ADVERSARIAL, ids=lambda policy: policy.name)
def test_iterations_are_compared_wherever_the_lanes_of_a_warp_run_together(policy: Policy) -> None:
    code = ONE_LOOP.replace("CHOICE", BY_LANE).replace("BARRIER", "bar.sync 0")
    together = not any(word in policy.name for word in ("lane", "half-warp"))
    assert kinds(code, policy) == (DIVERGENT if together else set())


def test_one_barrier_is_reported_once_and_alone() -> None:
    code = ONE_LOOP.replace("CHOICE", BY_LANE).replace("BARRIER", "bar.sync 0")
    (hazard,) = explore(launch(code, operands()), (LOCKSTEP,)).hazards
    assert hazard.instruction.text == "bar.sync 0"
    assert (hazard.other, hazard.threads) == (None, ((0, 1),))


@pytest.mark.parametrize(
    ("code", "counters"),
    [
        ("bar.sync 0;", 0),
        ("mov.u32 %r7, 0; $loop: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 2; @%p2 bra $loop; bar.sync 0;", 0),
        (ONE_LOOP.replace("CHOICE", BY_LANE).replace("BARRIER", "bar.sync 0"), 1),
        (ONE_LOOP.replace("CHOICE", BY_LANE).replace("BARRIER", "bar.sync 0; bar.sync 0"), 1),
        (ONE_LOOP.replace("CHOICE", BY_LANE).replace("BARRIER", "barrier.sync 0"), 0),
        (INNER_LOOP, 1),
        (ONE_HEADER, 1),
        (INNER_BARRIER, 2),
    ],
)
def test_only_loops_around_aligned_barriers_are_counted(code: str, counters: int) -> None:
    loops = barrier_loops(program(code))
    assert (loops.counters if loops is not None else 0) == counters

"""Threads that wait by memory for others that never come: a deadlock, unlike a loop that may end."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.scheduler import StalledError, StepLimitError
from shflbench.errors import EmulatorError
from tests.emulator.threads import launch, operands

LIMIT = 3000
# Thread 0 and thread 32 arrive at a counter, and wait for as many as SEEN threads.
START = """
    setp.eq.u32 %p1, %r3, 0; @%p1 st.shared.b32 [%r4], 0; bar.sync 0;
    and.b32 %r6, %r3, 31; setp.ne.u32 %p2, %r6, 0; @%p2 bra $end; mov.u32 %r9, 0;
    atom.shared.add.u32 %r8, [%r4], 1;"""
POLL = "atom.shared.add.u32 %r8, [%r4], 0;"
AGAIN = "setp.lt.u32 %p3, %r8, SEEN; @%p3 bra $again;"
END = "$end:"
POLICIES_TO_RUN = [LOCKSTEP.name, "warps in reverse", "lanes at random"]


def error_of(code: str, seen: int, policy: str = LOCKSTEP.name) -> EmulatorError | None:
    tested = launch(code.replace("SEEN", str(seen)), operands())
    (result,) = explore(tested, (POLICIES[policy],), step_limit=LIMIT).results
    return result.error


@pytest.mark.one_in(5)
@pytest.mark.parametrize("policy", POLICIES_TO_RUN)
@pytest.mark.parametrize(
    "poll",
    [
        POLL,
        "ld.volatile.shared.b32 %r8, [%r4];",
        "ld.acquire.gpu.shared.b32 %r8, [%r4];",
        "atom.shared.cas.b32 %r8, [%r4], 77, 78;",
        f"{POLL} st.shared.b32 [%r5+8], 1;",  # writes what is there
        f"{POLL} min.u32 %r9, %r9, 4; add.u32 %r9, %r9, 1; nanosleep.u32 %r9;",  # waits longer, up to a limit
        f"setp.gt.u32 %p3, %r8, 90; @%p3 bra $again; {POLL}",
    ],
)
def test_threads_that_wait_for_one_that_never_arrives_are_in_a_deadlock(poll: str, policy: str) -> None:
    error = error_of(f"{START} $again: {poll} {AGAIN} {END}", 3, policy)
    assert isinstance(error, StalledError)
    assert error.detail == "bytes 0–3 of `room` hold 2, and no thread that still runs changes it"
    assert error.op is not None
    assert error.op.instruction.text.startswith(poll.partition(" [")[0].rpartition("; ")[2][:10])


@pytest.mark.parametrize("policy", POLICIES_TO_RUN)
def test_threads_whose_others_arrive_end(policy: str) -> None:
    assert error_of(f"{START} $again: {POLL} {AGAIN} {END}", 2, policy) is None


@pytest.mark.parametrize(
    "loop",
    [
        f"{POLL} add.u32 %r9, %r9, 1; setp.gt.u32 %p3, %r9, 99999; @%p3 bra $end; {AGAIN}",  # counts its tries
        f"{POLL} mov.u64 %d6, %clock64; setp.gt.u64 %p3, %d6, 99999999; @%p3 bra $end; {AGAIN}",
        f"{POLL} mov.u64 %d6, %globaltimer; setp.eq.u64 %p3, %d6, 7; @%p3 bra $end; {AGAIN}",
        f"{POLL} red.shared.add.u32 [%r4+4], 1; {AGAIN}",  # changes other memory
        f"atom.shared.inc.u32 %r8, [%r4], 1; {AGAIN}",  # two threads: the second one undoes what the first one does
        "ld.volatile.global.b32 %r8, [%d5]; setp.ne.u32 %p3, %r8, 77; @%p3 bra $again;",  # the host may change it
        "bra $again;",  # waits for nothing
    ],
)
def test_a_loop_that_may_end_or_polls_nothing_is_no_deadlock(loop: str) -> None:
    error = error_of(f"{START} $again: {loop} {END}", 3)
    assert isinstance(error, StepLimitError)
    assert not isinstance(error, StalledError)


def test_threads_that_wait_for_one_that_still_counts_are_in_no_deadlock() -> None:
    late = """
        @%p1 bra $ahead; $count: add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 99999; @%p3 bra $count;
        atom.shared.add.u32 %r8, [%r4], 1; $ahead:"""
    error = error_of(f"{START} {late} $again: {POLL} {AGAIN} {END}", 3)
    assert isinstance(error, StepLimitError)
    assert not isinstance(error, StalledError)


def test_threads_at_a_barrier_of_the_block_wait_for_those_that_poll() -> None:
    error = error_of(f"{START} $again: {POLL} {AGAIN} {END} bar.sync 0;", 3)
    assert isinstance(error, StalledError)

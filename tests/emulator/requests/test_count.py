"""The requests of a few PTX instructions in two warps."""

from dataclasses import replace

import pytest

from shflbench.core.model import AccessKind, AccessSpace, KernelRequests
from shflbench.emulator.requests.count import count_requests
from tests.emulator.threads import launch, operands

LOOP = """
    ld.param.u32 %r7, [n]; mov.u32 %r8, 0;
    AGAIN: setp.ge.u32 %p1, %r8, %r7; @%p1 bra DONE;
    BODY
    add.u32 %r8, %r8, 1; bra AGAIN;
    DONE: BEHIND
"""
LOAD, STORE, ATOMIC = AccessKind
SHARED, GLOBAL, LOCAL = AccessSpace
NO_LINE = ("", 0)


def requests(code: str, iterations: tuple[int, ...] = (0,)) -> KernelRequests:
    launches = [replace(launch(code, operands()), iterations=count) for count in iterations]
    return count_requests(launches, lambda _: NO_LINE)


def looped(body: str, behind: str = "") -> KernelRequests:
    return requests(LOOP.replace("BODY", body).replace("BEHIND", behind), (2, 5))


def test_a_kernel_without_a_loop_has_the_requests_of_a_block() -> None:
    counted = requests("")
    assert (counted.warps, counted.per_iteration, counted.matches) == (2, False, ())
    load, store = counted.accesses
    assert (load.space, load.kind, load.bits, load.requests, load.most_requests) == (GLOBAL, LOAD, 128, 2, 1)
    assert (store.space, store.kind, store.lanes, store.sectors, store.least_sectors) == (GLOBAL, STORE, 32, 16, 16)
    assert load.passes is load.fewest_passes is load.conflict_free_passes is load.same_address is None


def test_only_what_every_iteration_repeats_counts() -> None:
    counted = looped("st.shared.u32 [%r5], %r3;", "ld.shared.u32 %r9, [%r5];")
    assert counted.per_iteration
    (store,) = counted.accesses
    assert (store.space, store.kind, store.bits, store.requests, store.lanes) == (SHARED, STORE, 32, 2, 32)
    # Slots of 32 bytes: eight lanes share a bank.
    assert (store.passes, store.fewest_passes, store.conflict_free_passes, store.sectors) == (8, 8, 1, None)


def test_instructions_of_one_line_are_added_and_the_fewest_passes_kept() -> None:
    (load,) = looped("ld.shared.u32 %r9, [%r5]; ld.shared.u32 %r10, [room];").accesses
    assert (load.requests, load.most_requests, load.passes, load.fewest_passes) == (4, 2, 4.5, 1)


def test_predicated_and_diverged_lanes_are_not_active() -> None:
    body = "setp.lt.u32 %p2, %r3, 4; @%p2 st.shared.v2.u32 [%r5], {%r3, %r3};"
    (store,) = looped(body).accesses
    assert (store.bits, store.requests, store.most_requests, store.lanes, store.passes) == (64, 1, 1, 4, 1)
    branch = "and.b32 %r9, %r3, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra SKIP; st.shared.u32 [%r5], %r3; SKIP:"
    (store,) = looped(branch).accesses
    assert (store.requests, store.lanes) == (2, 16)


def test_a_generic_address_counts_where_it_points() -> None:
    (load,) = looped("cvt.u64.u32 %d6, %r5; cvta.shared.u64 %d6, %d6; ld.u32 %r9, [%d6];").accesses
    assert (load.space, load.passes) == (SHARED, 8)


def test_local_memory_is_interleaved_over_the_lanes() -> None:
    (store,) = looped("st.local.u32 [own], %r3;").accesses
    assert (store.space, store.requests, store.sectors, store.least_sectors) == (LOCAL, 2, 4, 4)


def test_atomics_have_the_lanes_at_the_most_frequent_address() -> None:
    body = "and.b32 %r9, %r3, 4; shr.u32 %r9, %r9, 2; setp.lt.u32 %p2, %r3, 12; @%p2 mov.u32 %r9, 0;"
    body += "mul.lo.u32 %r9, %r9, 4; add.u32 %r9, %r9, %r4; red.shared.add.u32 [%r9], 1;"
    (atomic,) = looped(body).accesses
    assert (atomic.kind, atomic.requests, atomic.same_address) == (ATOMIC, 2, (20 + 16) / 2)


@pytest.mark.parametrize(("values", "distinct"), [(1, 1), (4, 4), (32, 32)])
def test_matches_have_the_distinct_values(values: int, distinct: int) -> None:
    counted = looped(f"and.b32 %r9, %r3, {values - 1}; match.any.sync.b32 %r10, %r9, 0xffffffff;")
    (match,) = counted.matches
    assert (match.requests, match.lanes, match.distinct) == (2, 32, distinct)
    assert counted.accesses == ()


def test_a_match_of_some_lanes_has_their_values_only() -> None:
    body = "setp.ge.u32 %p2, %r3, 3; @%p2 bra SKIP; match.any.sync.b32 %r10, %r3, 7; SKIP:"
    (match,) = looped(body).matches
    assert (match.requests, match.lanes, match.distinct) == (1, 3, 3)

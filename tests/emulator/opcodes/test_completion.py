"""Copies that run asynchronously, what a thread waits for, and fences, inside a kernel of a few instructions."""

import pytest

from shflbench.emulator.machine.policies import POLICIES
from tests.emulator.threads import operands, run

LAST = "cp.async.commit_group; cp.async.wait_group 0;"


@pytest.mark.parametrize("form", ["cp.async.cg.shared.global", "cp.async.ca.shared.global"])
def test_a_copy_moves_16_bytes_to_shared_memory(form: str) -> None:
    rows = operands()
    assert run(f"{form} [%r5], [%d4], 16; {LAST} ld.shared.v2.u64 {{%x, %y}}, [%r5];", rows) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["cp.async.commit_group", "cp.async.wait_group"])
def test_a_thread_waits_for_all_groups_of_copies_but_the_newest(form: str, policy: str) -> None:
    code = """
        cp.async.ca.shared.global [%r5], [%d4], 8; cp.async.commit_group;
        cp.async.ca.shared.global [%r5+16], [%d4+8], 8; cp.async.commit_group;
        cp.async.wait_group 1; ld.shared.u64 %x, [%r5]; cp.async.wait_group 0; ld.shared.u64 %y, [%r5+16];"""
    assert form in code
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    [
        "mbarrier.arrive.expect_tx.shared.b64",
        "fence.proxy.async.shared.cta",
        "cp.async.bulk.shared.cluster.global.mbarrier.complete_tx.bytes",
    ],
)
def test_a_barrier_counts_the_bytes_of_a_bulk_copy_to_shared_memory(form: str, policy: str) -> None:
    code = """
        mbarrier.init.shared.b64 [%r5+16], 1; fence.proxy.async.shared::cta;
        mbarrier.arrive.expect_tx.shared.b64 _, [%r5+16], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d4], 16, [%r5+16];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5+16], 0; @!%p1 bra $wait;
        ld.shared.v2.u64 {%x, %y}, [%r5];"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("form", ["membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.gpu"])
def test_a_fence_between_a_store_and_a_load_of_a_thread_changes_no_value(form: str) -> None:
    rows = operands()
    code = f"st.global.u64 [%d5], %b; {form}; ld.global.u64 %x, [%d5]; mov.u64 %y, %a;"
    assert run(code, rows) == [(b, a) for a, b in rows]


@pytest.mark.parametrize("form", ["cp.async.bulk.prefetch.L2.global"])
def test_a_prefetch_changes_no_value_and_needs_no_wait(form: str) -> None:
    rows = operands()
    code = f"{form} [%d5], 16; st.global.u64 [%d5], %b; ld.global.u64 %x, [%d5]; mov.u64 %y, %a;"
    assert run(code, rows) == [(b, a) for a, b in rows]

"""Instructions for the shared memory and the barriers of a cluster, in a cluster of one block."""

import pytest

from shflbench.emulator.machine.policies import POLICIES
from tests.emulator.threads import operands, run

HERE = "mapa.shared::cluster.u32 %r6, %r5, 0;"
SAME = "mov.u64 %x, %a; mov.u64 %y, %b;"


@pytest.mark.parametrize("form", ["mapa.shared.cluster.u32", "st.shared.cluster.u32", "ld.shared.cluster.u32"])
def test_a_block_finds_in_its_cluster_what_it_stores_there(form: str) -> None:
    code = f"""
        {HERE} mov.b64 {{%r7, %r8}}, %a; st.shared::cluster.u32 [%r6], %r7; st.shared.u32 [%r5+4], %r8;
        ld.shared::cluster.u32 %r9, [%r6+4]; ld.shared.u32 %r7, [%r5]; mov.b64 %x, {{%r7, %r9}}; mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["st.shared.cluster.v2.u32", "ld.shared.cluster.v2.u32"])
def test_a_block_finds_two_words_in_its_cluster(form: str) -> None:
    code = f"""
        {HERE} mov.b64 {{%r7, %r8}}, %a; st.shared::cluster.v2.u32 [%r6], {{%r7, %r8}};
        ld.shared::cluster.v2.u32 {{%r9, %r7}}, [%r6]; mov.b64 %x, {{%r9, %r7}}; mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["st.shared.cluster.u64", "ld.shared.cluster.u64"])
def test_a_block_finds_a_word_of_64_bits_in_its_cluster(form: str) -> None:
    code = f"{HERE} st.shared::cluster.u64 [%r6], %a; ld.shared::cluster.u64 %x, [%r6]; mov.u64 %y, %b;"
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["st.shared.cluster.v4.u32", "ld.shared.cluster.v4.u32"])
def test_a_block_finds_four_words_in_its_cluster(form: str) -> None:
    code = f"""
        {HERE} mov.b64 {{%r7, %r8}}, %a; mov.b64 {{%r9, %r10}}, %b;
        st.shared::cluster.v4.u32 [%r6], {{%r7, %r8, %r9, %r10}};
        ld.shared::cluster.v4.u32 {{%r10, %r9, %r8, %r7}}, [%r6];
        mov.b64 %x, {{%r10, %r9}}; mov.b64 %y, {{%r8, %r7}};"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["st.relaxed.cluster.shared.cluster.v2.u64", "ld.relaxed.cluster.shared.cta.v2.u64"])
def test_a_block_finds_two_words_of_its_cluster_without_an_order(form: str) -> None:
    code = f"""
        {HERE} st.relaxed.cluster.shared::cluster.v2.u64 [%r6], {{%a, %b}};
        ld.relaxed.cluster.shared::cta.v2.u64 {{%x, %y}}, [%r5];"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["st.relaxed.cluster.shared.cluster.u64", "ld.relaxed.cluster.shared.cta.u64"])
def test_a_block_finds_a_word_of_its_cluster_without_an_order(form: str) -> None:
    code = f"""
        {HERE} st.relaxed.cluster.shared::cluster.u64 [%r6], %a; ld.relaxed.cluster.shared::cta.u64 %x, [%r5];
        mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["mapa.u64", "st.relaxed.cluster.u64", "st.relaxed.cluster.v2.u64"])
def test_a_block_finds_words_that_it_stores_to_a_generic_address_of_its_cluster(form: str) -> None:
    code = """
        cvt.u64.u32 %x, %r5; cvta.shared.u64 %x, %x; mapa.u64 %x, %x, 0;
        st.relaxed.cluster.v2.u64 [%x], {%b, %b}; st.relaxed.cluster.u64 [%x], %a;
        ld.relaxed.cluster.shared::cta.v2.u64 {%x, %y}, [%r5];"""
    assert form in code
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("form", ["ld.relaxed.cluster.shared.cta.u32"])
def test_a_block_loads_its_own_word_of_32_bits_without_an_order(form: str) -> None:
    code = f"""
        {HERE} st.shared::cluster.u64 [%r6], %a; ld.relaxed.cluster.shared::cta.u32 %r7, [%r5];
        ld.relaxed.cluster.shared::cta.u32 %r8, [%r5+4]; mov.b64 %x, {{%r7, %r8}}; mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    [
        *("barrier.cluster.arrive.aligned", "barrier.cluster.arrive.relaxed.aligned", "barrier.cluster.wait.aligned"),
        "barrier.cluster.wait",
    ],
)
def test_a_barrier_of_the_cluster_changes_no_value(form: str, policy: str) -> None:
    code = """
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait; mov.u64 %x, %a; mov.u64 %y, %b;"""
    assert form in code
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    [
        "fence.mbarrier_init.release.cluster",
        "mbarrier.arrive.release.cluster.shared.cluster.b64",
        "mbarrier.try_wait.parity.acquire.cluster.shared.cta.b64",
        "mbarrier.test_wait.parity.acquire.cluster.shared.cta.b64",
    ],
)
def test_an_arrival_ends_a_phase_of_a_barrier_of_the_cluster(form: str, policy: str) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5], 1; fence.mbarrier_init.release.cluster;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];
        $wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra $wait;
        $test: mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra $test; {SAME}"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    [
        "st.async.shared.cluster.mbarrier.complete_tx.bytes.u32",
        "red.async.relaxed.cluster.shared.cluster.mbarrier.complete_tx.bytes.add.u32",
    ],
)
def test_stores_and_additions_count_their_bytes_at_a_barrier(form: str, policy: str) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 8;
        st.shared.u32 [%r5+12], 0; mov.b64 {{%r8, %r9}}, %a;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+8], %r8, [%r6];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+12], %r9, [%r6];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; @!%p1 bra $wait;
        ld.shared.u32 %r8, [%r5+8]; ld.shared.u32 %r9, [%r5+12]; mov.b64 %x, {{%r8, %r9}};
        mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["st.async.shared.cluster.mbarrier.complete_tx.bytes.v2.u32"])
def test_a_store_of_two_words_counts_the_bytes_of_both(form: str, policy: str) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 8;
        mov.b64 {{%r8, %r9}}, %a;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r6+8], {{%r8, %r9}}, [%r6];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; @!%p1 bra $wait;
        ld.shared.u64 %x, [%r5+8]; mov.u64 %y, %b;"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["st.async.shared.cluster.mbarrier.complete_tx.bytes.v4.u32"])
def test_a_store_of_four_words_counts_the_bytes_of_all(form: str, policy: str) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5+16], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r5+16], 16;
        mov.b64 {{%r7, %r8}}, %a; mov.b64 {{%r9, %r10}}, %b;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r6], {{%r7, %r8, %r9, %r10}}, [%r6+16];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5+16], 0; @!%p1 bra $wait;
        ld.shared.v2.u64 {{%x, %y}}, [%r5];"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    [
        "mbarrier.arrive.expect_tx.release.cluster.shared.cluster.b64",
        "red.async.relaxed.cluster.shared.cluster.mbarrier.complete_tx.bytes.add.u64",
    ],
)
def test_an_arrival_from_the_cluster_announces_the_bytes_of_an_addition(form: str, policy: str) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5], 1; st.shared.u64 [%r5+8], %b;
        mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r6], 8;
        mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; selp.u64 %y, 1, 0, %p1;
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r6+8], %a, [%r6];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; @!%p1 bra $wait;
        ld.shared.u64 %x, [%r5+8];"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == [((a + b) % 2**64, 0) for a, b in rows]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form",
    ["mbarrier.arrive.release.cta.shared.cluster.b64", "mbarrier.try_wait.parity.acquire.cta.shared.cta.b64"],
)
def test_an_arrival_with_the_scope_of_the_block_ends_a_phase_of_a_barrier_of_the_cluster(
    form: str, policy: str
) -> None:
    code = f"""
        {HERE} mbarrier.init.shared.b64 [%r5], 1; mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r6];
        $wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra $wait; {SAME}"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == rows


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["cp.async.bulk.shared.cluster.shared.cta.mbarrier.complete_tx.bytes"])
def test_a_barrier_of_the_cluster_counts_the_bytes_of_a_bulk_copy(form: str, policy: str) -> None:
    """Each second thread copies the 16 bytes of the one before it."""
    code = f"""
        and.b32 %r7, %r3, 1; setp.eq.u32 %p2, %r7, 1; st.shared.v2.u64 [%r5], {{%a, %b}};
        mbarrier.init.shared.b64 [%r5+16], 1; fence.proxy.async.shared::cta; bar.sync 0; {HERE}
        @!%p2 bra $over; mbarrier.arrive.expect_tx.shared.b64 _, [%r5+16], 16; sub.u32 %r8, %r5, 32;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r8], 16, [%r6+16];
        $wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5+16], 0; @!%p1 bra $wait;
        $over: ld.shared.v2.u64 {{%x, %y}}, [%r5];"""
    assert form in code.replace("::", ".")
    rows = operands()
    assert run(code, rows, policy) == [rows[thread // 2 * 2] for thread in range(len(rows))]

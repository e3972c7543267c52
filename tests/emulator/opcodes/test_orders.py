"""The order and scope of accesses and fences, and atomics on halves, against the PTX manual."""

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Access, ClusterBarrier, Fence, Nothing, ProxyFence
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import PtxInstruction
from shflbench.errors import EmulatorError
from tests.emulator.threads import THREADS, run


def decoded(text: str) -> object:
    opcode, *modifiers = text.replace("::", ".").split(".")
    return decode(PtxInstruction(opcode, tuple(modifiers), (), None, None, text, 1))


@pytest.mark.parametrize(
    ("text", "order", "scope", "space"),
    [
        ("ld.global.u32", "weak", "", "global"),
        ("ld.weak.u32", "weak", "", ""),
        ("ld.global.nc.L1::evict_last.v4.f32", "weak", "", "global"),
        ("ld.volatile.shared.u32", "volatile", "sys", "shared"),
        ("st.volatile.global.v2.u32", "volatile", "sys", "global"),
        ("ld.relaxed.gpu.global.u32", "relaxed", "gpu", "global"),
        ("ld.acquire.sys.b64", "acquire", "sys", ""),
        ("st.release.cta.shared::cta.u32", "release", "cta", "shared"),
        ("atom.global.add.u32", "relaxed", "gpu", "global"),
        ("atom.shared.cta.add.u32", "relaxed", "gpu", "shared"),
        ("atom.global.sys.add.u32", "relaxed", "sys", "global"),
        ("atom.cas.acquire.cta.b32", "acquire", "cta", ""),
        ("atom.acq_rel.gpu.global.exch.b32", "acq_rel", "gpu", "global"),
        ("red.release.gpu.global.add.u32", "release", "gpu", "global"),
    ],
)
def test_an_access_has_an_order_and_a_scope(text: str, order: str, scope: str, space: str) -> None:
    form = decoded(text)
    assert isinstance(form, Access)
    assert (form.order, form.scope, form.space) == (order, scope, space)


@pytest.mark.parametrize(
    ("text", "order", "scope"),
    [
        ("membar.cta", "sc", "cta"),
        ("membar.gl", "sc", "gpu"),
        ("membar.sys", "sc", "sys"),
        ("fence.sc.gpu", "sc", "gpu"),
        ("fence.acq_rel.cta", "acq_rel", "cta"),
        ("fence.gpu", "acq_rel", "gpu"),
        ("fence.acquire.sys", "acquire", "sys"),
    ],
)
def test_a_fence_has_an_order_and_a_scope(text: str, order: str, scope: str) -> None:
    assert decoded(text) == Fence(order, scope)


def test_a_fence_of_barriers_in_memory_orders_only_their_initialization() -> None:
    assert decoded("fence.mbarrier_init.release.cluster") == Fence("release", "cluster", only_init=True)


@pytest.mark.parametrize(
    ("text", "waits", "order", "aligned"),
    [
        ("barrier.cluster.arrive", False, "release", False),
        ("barrier.cluster.arrive.release.aligned", False, "release", True),
        ("barrier.cluster.arrive.relaxed.aligned", False, "relaxed", True),
        ("barrier.cluster.wait", True, "acquire", False),
        ("barrier.cluster.wait.acquire.aligned", True, "acquire", True),
    ],
)
def test_a_barrier_of_a_cluster_releases_and_acquires_unless_it_says_otherwise(
    text: str, order: str, *, waits: bool, aligned: bool
) -> None:
    assert decoded(text) == ClusterBarrier(waits, order, aligned)


@pytest.mark.parametrize(
    ("text", "distributed"),
    [("ld.shared::cluster.u32", True), ("ld.relaxed.cluster.shared::cta.u32", False), ("ld.shared.u32", False)],
)
def test_an_access_to_shared_memory_is_to_that_of_the_block_or_of_the_cluster(text: str, *, distributed: bool) -> None:
    form = decoded(text)
    assert isinstance(form, Access)
    assert (form.space, form.distributed) == ("shared", distributed)


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ("fence.proxy.async", ""),
        ("fence.proxy.async.global", "global"),
        ("fence.proxy.async.shared::cta", "shared"),
        ("fence.proxy.async.shared::cluster", "shared"),
        ("membar.proxy.async", ""),
    ],
)
def test_a_fence_between_proxies_is_of_a_memory_space_or_of_all(text: str, space: str) -> None:
    assert decoded(text) == ProxyFence(space)


def test_a_fence_between_aliases_orders_nothing_that_the_emulator_executes() -> None:
    assert decoded("fence.proxy.alias") == Nothing()


@pytest.mark.parametrize(
    "text",
    [
        "barrier.cluster.arrive.acquire",
        "atom.global.cas.b128",
        "atom.global.add.u32.L2::cache_hint",
        "fence.proxy.tensormap::generic.acquire.gpu",
        "atom.global.max.f32",
        "atom.global.exch.v2.b32",
        "membar.gpu",
    ],
)
def test_what_the_emulator_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(EmulatorError, match="does not support the instruction"):
        decoded(text)


def test_red_never_acquires() -> None:
    reduction, atomic = decoded("red.acq_rel.gpu.global.add.u32"), decoded("atom.acq_rel.gpu.global.add.u32")
    assert isinstance(reduction, Access)
    assert isinstance(atomic, Access)
    assert (reduction.acquires, reduction.releases) == (False, True)
    assert (atomic.acquires, atomic.releases) == (True, True)


def bits(type_: str, number: int) -> int:
    """Return the bits of a small whole number, which halves and bfloat16 hold exactly."""
    if type_ == "f16":
        return int(np.float16(number).view(np.uint16))
    return int(np.float32(number).view(np.uint32)) >> 16


@pytest.mark.parametrize("policy", ["lockstep", "lanes at random"])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
@pytest.mark.parametrize("packed", [False, True])
def test_atomic_sums_of_halves(type_: str, policy: str, *, packed: bool) -> None:
    if packed:
        word = bits(type_, 1) | bits(type_, 2) << 16
        store, suffix, register = f"st.shared.b32 [room], {bits(type_, 0)};", "x2", "%r6"
        code = f"mov.u32 %r6, {word};"
    else:
        store, suffix, register = f"st.shared.b16 [room], {bits(type_, 0)};", "", "%h1"
        code = f"mov.u16 %h1, {bits(type_, 1)};"
    code = f"""
        {store} bar.sync 0; {code} atom.shared.add.noftz.{type_}{suffix} {register}, [room], {register};
        bar.sync 0; ld.shared.b{32 if packed else 16} {register}, [room];
        cvt.u64.u{32 if packed else 16} %x, {register};"""
    total = bits(type_, THREADS) | bits(type_, 2 * THREADS) << 16 if packed else bits(type_, THREADS)
    assert {x for x, _ in run(code, [(0, 0)] * THREADS, policy)} == {total}


def test_a_vector_atomic_updates_each_element() -> None:
    code = """
        st.global.v2.b32 [%d5], {0, 1065353216}; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
        atom.global.add.v2.f32 {%f1, %f2}, [%d5], {%f1, %f2};
        ld.global.b64 %x, [%d5]; mov.b64 %y, {%f1, %f2};"""
    one, three = int(np.float32(1).view(np.uint32)), int(np.float32(3).view(np.uint32))
    assert set(run(code, [(0, 0)] * THREADS)) == {(one | three << 32, one << 32)}

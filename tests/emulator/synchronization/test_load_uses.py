"""Reads before a weak order are doubtful if an instruction has used the value by then, and broken if none has.

The first warp of each of two blocks reads the shared memory of the other block, and arrives; this one overwrites it.
"""

import numpy as np
import pytest

from shflbench.emulator.explore import Exploration, explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.facts import UnorderedReason
from tests.emulator.synchronization.kernels import kinds

SCHEDULES = (LOCKSTEP, POLICIES["warps in reverse"], POLICIES["lanes at random"])
# %r3: shared memory, %r5: a row of the matrix of the other block, %r7: a word per thread there; %d1: likewise, output
FRAME = """.version 8.8
.target sm_90
.address_size 64

.visible .entry k(.param .u64 memory)
{
    .shared .align 16 .b8 s[512];
    .reg .pred %p<9>; .reg .b32 %r<29>; .reg .b64 %d<9>; .reg .b16 %h<5>;
    ld.param.u64 %d1, [memory]; mov.u32 %r1, %tid.x; mov.u32 %r3, s; mov.u32 %r4, %cluster_ctarank;
    mad.lo.u32 %r2, %r4, 32, %r1; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;
    shl.b32 %r6, %r1, 2; add.u32 %r3, %r3, %r6; st.shared.u32 [%r3], %r1;
    mov.u32 %r20, s; mov.u32 %r21, 0; setp.eq.u32 %p2, %r1, 0;
    @!%p2 bra ready; mbarrier.init.shared.b64 [%r20+256], 32; mbarrier.init.shared.b64 [%r20+264], 32;
ready:
    barrier.cluster.arrive; barrier.cluster.wait;
    xor.b32 %r4, %r4, 1; mapa.shared::cluster.u32 %r7, %r3, %r4; mapa.shared::cluster.u32 %r22, %r20, %r4;
    BODY
    st.shared.u32 [%r3], 99;
    barrier.cluster.arrive; barrier.cluster.wait;
    st.global.u32 [%d1], %r8;
    ret;
}
"""
READ = "ld.shared::cluster.u32 %r8, [%r7];"
RELAXED = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
# An arrival without a scope at a barrier of the other block, and the wait for its arrival here.
ARRIVE = "mbarrier.arrive.shared::cluster.b64 _, [%r22+256];"
ARRIVE_ELSEWHERE = "mbarrier.arrive.shared::cluster.b64 _, [%r22+264];"
WAIT = "again: mbarrier.try_wait.parity.shared.b64 %p3, [%r20+256], 0; @!%p3 bra again;"
USE = "add.u32 %r9, %r8, 1;"


def check(body: str) -> Exploration:
    shape = Shape.of((2, 1, 1), (32, 1, 1), cluster=(2, 1, 1))
    program = link(parse(FRAME.replace("BODY", body)), "k")
    return explore(EmulatedLaunch(program, shape, 0, [], [np.zeros(64, np.uint32)], 0, order=(0,)), SCHEDULES)


@pytest.mark.parametrize(
    "uses",
    [
        USE,
        "setp.eq.u32 %p4, %r8, 0;",
        "st.global.u32 [%d1], %r8;",
        "mov.u32 %r9, %r8; add.u32 %r9, %r9, 1;",
        "mov.b32 {%h1, %h2}, %r8; add.u16 %h3, %h2, 1;",
        "@%p2 add.u32 %r9, %r8, 1; @!%p2 add.u32 %r9, %r8, 2;",
        "shfl.sync.idx.b32 %r9, %r8, 0, 31, -1;",
        "setp.lt.u32 %p5, %r1, 16; @%p5 bra low; add.u32 %r9, %r8, 1; bra over; low: add.u32 %r9, %r8, 2; over:",
    ],
)
def test_a_value_that_is_used_before_a_relaxed_arrival_is_doubtful(uses: str) -> None:
    assert kinds(check(f"{READ} {uses} {RELAXED}")) == {"WEAK_ORDER"}


@pytest.mark.parametrize(
    "other",
    [
        "",
        "bar.sync 0;",
        "mov.u32 %r9, %r8;",
        "mov.b32 {%h1, %h2}, %r8;",
        "add.u32 %r9, %r7, 1;",
        "mov.u32 %r9, %r8; mov.u32 %r8, 7; add.u32 %r9, %r8, 1;",  # of another value
        "@%p2 add.u32 %r9, %r8, 1;",  # by one thread of 32
        "setp.lt.u32 %p5, %r1, 16; @%p5 bra over; add.u32 %r9, %r8, 1; over:",
        "fence.acq_rel.cta;",
    ],
)
def test_a_value_that_is_not_used_before_a_relaxed_arrival_is_broken(other: str) -> None:
    report = check(f"{READ} {other} {RELAXED} {USE}")
    assert "WAR" in kinds(report)
    race = next(item for item in report.hazards if item.kind.name == "WAR")
    assert UnorderedReason.UNUSED_BEFORE_ARRIVAL in race.reasons


def test_the_arrival_that_orders_the_write_decides_and_not_an_earlier_one() -> None:
    assert kinds(check(f"{READ} {ARRIVE_ELSEWHERE} {USE} {ARRIVE} {WAIT}")) == {"WEAK_ORDER"}
    assert kinds(check(f"{READ} {ARRIVE} {USE} {ARRIVE_ELSEWHERE} {WAIT}")) == {"WAR"}


def test_a_release_of_the_cluster_completes_a_load_although_the_wait_is_too_weak() -> None:
    arrive = ARRIVE.replace("arrive.", "arrive.release.cluster.")
    assert kinds(check(f"{READ} {arrive} {WAIT}")) == {"WEAK_ORDER"}


def test_each_iteration_has_to_use_its_own_value() -> None:
    """The loop reads one iteration ahead: what its last iteration reads is used after the arrival."""
    ahead = f"""{READ} next: mov.u32 %r11, %r8; {READ} add.u32 %r12, %r11, 1; add.u32 %r21, %r21, 1;
        setp.lt.u32 %p6, %r21, 3; @%p6 bra next;"""
    assert kinds(check(f"{ahead} {RELAXED} {USE}")) == {"WAR"}
    assert kinds(check(f"{ahead} {USE} {RELAXED}")) == {"WEAK_ORDER"}


def test_a_matrix_is_used_by_what_reads_its_registers() -> None:
    """The 32 rows that `ldmatrix` reads are those of its own block, and the other block writes to them."""
    load = """shl.b32 %r23, %r1, 4; and.b32 %r23, %r23, 127; add.u32 %r23, %r23, %r20;
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r23];"""
    use, write = "add.u32 %r14, %r12, 1;", "st.shared::cluster.u32 [%r7], 5;"
    used, unused = kinds(check(f"{load} {use} {RELAXED} {write}")), kinds(check(f"{load} {RELAXED} {write} {use}"))
    assert "WEAK_ORDER" in used
    assert "WAR" in unused - used

"""The bytes that a few blocks read and write, and what they say of a launch."""

import numpy as np
import pytest

from shflbench.core.model import LaunchCounts
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.requests.count import count_launch

# Each thread reads the word at %r4 of `in` and writes one at %r5 of `out`; %r1 is its number in the launch.
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r2, 32, %r3; mov.u32 %r4, %r1; mov.u32 %r5, %r1;
    CODE
    mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d1, %d3; ld.global.u32 %r8, [%d3];
    mul.wide.u32 %d4, %r5, 4; add.u64 %d4, %d2, %d4; WRITE
    ret;
}
"""
STORE = "st.global.u32 [%d4], %r8;"
GRID, WORDS = 1000, 32_000
NEIGHBORS = (300, 301, 700, 701)


def count(code: str, write: str = STORE, blocks: tuple[int, ...] = NEIGHBORS) -> LaunchCounts:
    program = link(parse(KERNEL.replace("CODE", code).replace("WRITE", write)), "one")
    shape = Shape.of((GRID, 1, 1), (32, 1, 1), blocks)
    order = [0, 1]
    launch = EmulatedLaunch(program, shape, 0, [np.zeros(WORDS, "u4")], [(WORDS, "u4")], 1, order)
    return count_launch(launch, lambda _: ("one.cu", 1))


def test_blocks_that_use_their_own_bytes_stand_for_the_others() -> None:
    counts = count("")
    assert (counts.blocks, counts.grid, counts.is_sample) == (4, GRID, True)
    assert counts.basis == "4 of 1,000 blocks"
    assert counts.footprint.read_bytes == counts.footprint.written_bytes == 4 * WORDS
    assert counts.footprint.distinct_bytes == 8 * WORDS
    assert {one.requests for one in counts.requests.accesses} == {1}  # per block


def test_bytes_that_blocks_share_are_those_that_were_seen() -> None:
    # All blocks read the same 128 bytes, and write one word each: two neighbors use one sector.
    footprint = count("mov.u32 %r4, %r3; mov.u32 %r5, %r2;").footprint
    assert footprint.read_bytes == 128
    assert footprint.written_bytes == 4 * GRID


def test_neighbors_share_their_border_as_all_neighbors_do() -> None:
    # Each block reads 32 words from one before its own on: four sectors and a word of a fifth one.
    footprint = count("max.u32 %r6, %r1, 1; sub.u32 %r4, %r6, 1;").footprint
    assert footprint.read_bytes == pytest.approx(4 * WORDS, rel=0.2)
    assert footprint.written_bytes == 4 * WORDS


def test_a_launch_uses_no_more_than_its_buffers() -> None:
    # Each block reads every third word of three times as many: blocks in the middle would need three buffers.
    footprint = count("rem.u32 %r4, %r1, 128; mul.lo.u32 %r4, %r4, 249;", blocks=(300, 301)).footprint
    assert footprint.read_bytes == 4 * WORDS


def test_whole_sectors_are_moved_where_lanes_use_parts_of_them() -> None:
    assert count("mul.lo.u32 %r4, %r2, 8;").footprint.read_bytes == 32 * GRID  # each block reads one word


@pytest.mark.parametrize(("write", "read"), [(STORE, 4 * WORDS), ("red.global.add.u32 [%d4], %r8;", 8 * WORDS)])
def test_atomics_read_what_they_write(write: str, read: int) -> None:
    footprint = count("", write).footprint
    assert (footprint.read_bytes, footprint.written_bytes, footprint.distinct_bytes) == (read, 4 * WORDS, 8 * WORDS)


# Of each block, one thread copies 128 bytes of `in` to shared memory, waits for them, and copies them to `out`.
COPIES = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>;
    .shared .align 16 .b8 words[128]; .shared .align 8 .b64 bar;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
    setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
    mul.wide.u32 %d3, %r2, 128; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    mov.u32 %r4, words; mov.u32 %r5, bar;
    mbarrier.init.shared.b64 [%r5], 1; fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d4], 128, [%r5];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra WAIT;
    cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r4], 128;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END:
    ret;
}
"""


def test_bulk_copies_move_the_bytes_that_they_copy() -> None:
    launch = EmulatedLaunch(
        link(parse(COPIES), "one"),
        Shape.of((GRID, 1, 1), (32, 1, 1), NEIGHBORS),
        0,
        [np.zeros(WORDS, "u4")],
        [(WORDS, "u4")],
        1,
        [0, 1],
    )
    footprint = count_launch(launch, lambda _: ("one.cu", 1)).footprint
    assert footprint.read_bytes == footprint.written_bytes == 4 * WORDS
    assert footprint.distinct_bytes == 8 * WORDS

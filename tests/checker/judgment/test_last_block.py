"""Volatile reads in the block that a count calls the last: of what other blocks wrote, and of what it wrote itself."""

import pytest

from shflbench.checker.judgment.last_block import is_read_of_last_block
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.facts import HazardAccess, MemoryBytes
from shflbench.emulator.races.hazards import Hazard, HazardKind
from tests.emulator.dataflow.sliced import op_of

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 part, .param .u64 count, .param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [part]; ld.param.u64 %d2, [count]; ld.param.u64 %d3, [out];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d4, %d1, %d4;
    st.volatile.global.u32 [%d4], %r1; atom.global.add.u32 %r3, [%d2], 1;
    add.s32 %r4, %r2, -1; setp.ne.u32 %p1, %r3, %r4; @%p1 bra $end;
    ld.volatile.global.u32 %r5, [%d1]; st.global.u32 [%d3], %r5;
    $end: ret;
}
"""


@pytest.mark.parametrize(("writer", "is_of_others"), [((0, 1), True), ((2, 1), False)])
def test_the_last_block_reads_what_another_block_wrote(writer: tuple[int, int], *, is_of_others: bool) -> None:
    slicer, reader = Slicer(link(parse(PTX), "k")), (2, 0)
    store, load = (op_of(slicer, text).instruction for text in ("st.volatile", "ld.volatile"))
    accesses = (
        HazardAccess(writer, store, "st", 4, "volatile", "sys", None),
        HazardAccess(reader, load, "ld", 4, "volatile", "sys", None),
    )
    memory = MemoryBytes("global", "buffer 0", 0, 4, 0)
    hazard = Hazard(HazardKind.UNORDERED, load, store, (reader, writer), 1, memory, accesses)
    assert is_read_of_last_block(hazard, slicer) is is_of_others

"""A small kernel in PTX whose instructions depend on different things, for tests of slices and verdicts."""

from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op
from shflbench.emulator.ptx.parse import parse

# Parameters: in at byte 0, out at byte 8, n at byte 16, k at byte 20.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 k)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .shared .align 4 .b8 s[1024];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [k];
    mov.u32 %r3, %tid.x;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra END;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r4, [%rd4];
    mul.wide.u32 %rd5, %r4, 4;
    add.s64 %rd6, %rd2, %rd5;
    st.global.u32 [%rd6], %r2;
    st.shared.u32 [s], %r2;
    ld.shared.u32 %r5, [s];
    mul.wide.u32 %rd7, %r5, 4;
    add.s64 %rd8, %rd2, %rd7;
    st.global.u16 [%rd8], 1;
END:
    st.global.u8 [%rd2+100], 1;
    ret;
}
"""


def slicer() -> Slicer:
    """Return the slicer of the kernel."""
    return Slicer(link(parse(PTX), "k"))


def op_of(slices: Slicer, text: str) -> Op:
    """Return the only op whose text contains `text`."""
    blocks = slices.program.blocks.values()
    every = [op for block in blocks for op in (*block.ops, block.last) if op is not None]
    (op,) = [op for op in every if text in op.instruction.text]
    return op

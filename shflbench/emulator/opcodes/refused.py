"""The forms of PTX that the emulator refuses, each with an instruction of that kind.

`docs/reference/refused-instructions.md` is made from this list. A test compares it with what `decode` refuses of an
instruction of every kind that the PTX ISA has.
"""

from dataclasses import dataclass

from shflbench.emulator.ptx.syntax import PtxInstruction

WIDE = ".b128"  # registers of this type, of which no instruction is emulated


@dataclass(frozen=True, slots=True)
class RefusedForm:
    """A kind of instruction: an opcode with some of its modifiers, and `*` for each opcode with this beginning."""

    words: str  # `cp.async.bulk.tensor`; the modifiers may stand anywhere, and `e2m1` stands for `e2m1x2`, too
    what: str
    example: str  # with registers by PTX's usual names: %r for 32 bits, %rd for 64, %f, %fd, %h for 16, %b for 8

    def describes(self, instruction: PtxInstruction) -> bool:
        """Whether an instruction is of this kind."""
        opcode, *modifiers = self.words.split(".")
        if "prefetch" in instruction.modifiers:  # a hint, which has no effect here
            return False
        same = instruction.opcode.startswith(opcode[:-1]) if opcode.endswith("*") else instruction.opcode == opcode
        given = [word.partition("::")[0] for word in instruction.modifiers]
        return same and all(any(word == item or word.startswith(f"{item}x") for word in given) for item in modifiers)


REFUSED = (
    RefusedForm("wgmma", "matrix products of warp groups (sm_90a)", "wgmma.fence.sync.aligned;"),
    RefusedForm(
        "tcgen05",
        "matrix products in tensor memory (sm_100a)",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;",
    ),
    RefusedForm(
        "mma.sp",
        "products of sparse matrices",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
        "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%f4, %f5, %f6, %f7}, %r8, 0;",
    ),
    RefusedForm(
        "mma.s4",
        "products of matrices of 4-bit integers",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
        "{%r4, %r5, %r6, %r7};",
    ),
    RefusedForm(
        "mma.u4",
        "likewise",
        "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
        "{%r4, %r5, %r6, %r7};",
    ),
    RefusedForm(
        "mma.kind",
        "products of matrices of floats of 4, 6 or 8 bits, with and without scales (sm_120a)",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
        "{%r4, %r5}, {%f4, %f5, %f6, %f7};",
    ),
    RefusedForm("wmma.s4", "the same by `wmma`", "wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r0}, [%rd1];"),
    RefusedForm("wmma.u4", "likewise", "wmma.load.a.sync.aligned.row.m8n8k32.u4 {%r0}, [%rd1];"),
    RefusedForm("wmma.b1", "likewise", "wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r0}, [%rd1];"),
    RefusedForm(
        "mma.b1",
        "products of matrices of bits",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, "
        "{%r4, %r5}, {%r4, %r5, %r6, %r7};",
    ),
    RefusedForm(
        "mma.m8n8k4.f16",
        "products of halves by a quarter of a warp (sm_70)",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, "
        "{%r2, %r3}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
    ),
    RefusedForm(
        "ldmatrix.m16n16",
        "loads of matrices of bytes",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r4];",
    ),
    RefusedForm(
        "ldmatrix.m8n16",
        "loads of matrices of numbers of 4 or 6 bits",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r0}, [%r4];",
    ),
    RefusedForm(
        "stmatrix.m16n8",
        "stores of matrices of bytes",
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r4], {%r0};",
    ),
    RefusedForm(
        "cp.async.bulk.tensor",
        "copies of tensors, by a tensor map",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], "
        "[%r4];",
    ),
    RefusedForm(
        "cp.async.bulk.cp_mask",
        "bulk copies of some bytes",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, %h1;",
    ),
    RefusedForm(
        "cp.reduce.async.bulk",
        "bulk copies that add to their target, or combine it otherwise",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], %r2;",
    ),
    RefusedForm(
        "tensormap",
        "changes of a tensor map",
        "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
    ),
    RefusedForm(
        "fence.proxy.tensormap", "fences of tensor maps", "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"
    ),
    RefusedForm(
        "fence.sync_restrict",
        "fences of a part of memory",
        "fence.acquire.sync_restrict::shared::cluster.cluster;",
    ),
    RefusedForm("multimem", "accesses to memory of several GPUs", "multimem.red.global.add.u32 [%rd1], %r1;"),
    RefusedForm("st.async.mmio", "asynchronous stores to devices", "st.async.mmio.release.sys.global.u32 [%rd1], %r2;"),
    RefusedForm("st.bulk", "zeros for a range of shared memory", "st.bulk.shared::cta [%rd1], 64, 0;"),
    RefusedForm(
        "clusterlaunchcontrol",
        "blocks that take over the work of clusters that have not started",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];",
    ),
    RefusedForm("add.f32.f16", "sums of a half and a single", "add.rn.f32.f16 %f0, %h1, %f2;"),
    RefusedForm("add.f32.bf16", "sums of a bfloat16 and a single", "add.rn.f32.bf16 %f0, %h1, %f2;"),
    RefusedForm("sub.f32.f16", "differences of a half and a single", "sub.rn.f32.f16 %f0, %h1, %f2;"),
    RefusedForm("sub.f32.bf16", "differences of a bfloat16 and a single", "sub.rn.f32.bf16 %f0, %h1, %f2;"),
    RefusedForm("fma.f32.f16", "products of halves added to a single", "fma.rn.f32.f16 %f0, %h1, %h2, %f3;"),
    RefusedForm("fma.f32.bf16", "products of bfloat16 added to a single", "fma.rn.f32.bf16 %f0, %h1, %h2, %f3;"),
    RefusedForm("fma.oob", "products that skip a marked number", "fma.rn.oob.f16 %h0, %h1, %h2, %h3;"),
    RefusedForm("lop3.or", "logic with a predicate", "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x3f, %p1;"),
    RefusedForm("lop3.and", "likewise", "lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x3f, %p1;"),
    RefusedForm("cvt.e2m1", "conversions of 4-bit floats", "cvt.rn.satfinite.e2m1x2.f32 %b0, %f1, %f2;"),
    RefusedForm("cvt.e2m3", "conversions of 6-bit floats", "cvt.rn.satfinite.e2m3x2.f32 %h0, %f1, %f2;"),
    RefusedForm("cvt.e3m2", "conversions of 6-bit floats", "cvt.rn.satfinite.e3m2x2.f32 %h0, %f1, %f2;"),
    RefusedForm("cvt.ue8m0", "conversions of powers of two in a byte", "cvt.rz.satfinite.ue8m0x2.f32 %h0, %f1, %f2;"),
    RefusedForm("cvt.rs", "conversions that round at random", "cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;"),
    RefusedForm("cvt.pack.s4", "4-bit integers in a word", "cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3;"),
    RefusedForm("txq", "queries of textures", "txq.width.b32 %r0, [%rd1];"),
    RefusedForm("istypep", "tests for a kind of texture", "istypep.texref %p0, %rd1;"),
    RefusedForm("suld", "loads from surfaces", "suld.b.1d.b32.trap %r0, [%rd1, {%r1}];"),
    RefusedForm("sust", "stores to surfaces", "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3;"),
    RefusedForm("sured", "updates of surfaces", "sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"),
    RefusedForm("suq", "queries of surfaces", "suq.width.b32 %r0, [%rd1];"),
    RefusedForm("vshl", "shifts of parts of a word", "vshl.u32.u32.u32.clamp %r0, %r1, %r2;"),
    RefusedForm("vshr", "likewise", "vshr.u32.u32.u32.wrap %r0, %r1, %r2;"),
    RefusedForm("vmad.sat", "products of parts that saturate", "vmad.s32.s32.u32.sat %r0, %r1, %r2, %r3;"),
    RefusedForm("vmad.shr7", "products of parts that are scaled", "vmad.s32.s32.u32.shr7 %r0, %r1, %r2, %r3;"),
    RefusedForm("vmad.shr15", "likewise", "vmad.s32.s32.u32.shr15 %r0, %r1, %r2, %r3;"),
    RefusedForm("vset*", "comparisons of one, two or four numbers in a word", "vset2.u32.u32.lt %r0, %r1, %r2, %r3;"),
    RefusedForm("alloca", "memory on the stack", "alloca.u64 %rd0, %rd1;"),
    RefusedForm("stacksave", "the pointer to the stack", "stacksave.u64 %rd0;"),
    RefusedForm("stackrestore", "likewise", "stackrestore.u64 %rd0;"),
    RefusedForm("discard", "memory without contents", "discard.global.L2 [%rd1], 128;"),
    RefusedForm(
        "createpolicy.range",
        "cache policies of a range of memory",
        "createpolicy.range.L2::evict_last.L2::evict_unchanged.b64 %rd0, [%rd1], 4096, 4096;",
    ),
    RefusedForm("*.b128", f"all instructions with registers of type `{WIDE}`", "mov.b128 %q0, {%rd1, %rd2};"),
)


def example_module(example: str) -> str:
    """Return the text of a module with a kernel `k` that executes one instruction."""
    wide = f".reg {WIDE} %q<4>; " if "%q" in example else ""
    return (
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .pred %p<4>; .reg .b8 %b<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<4>; "
        f".reg .f32 %f<8>; .reg .f64 %fd<8>; {wide}\n{example}\nret;\n}}\n"
    )

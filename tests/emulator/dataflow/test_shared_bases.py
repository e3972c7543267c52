"""Loads from shared memory follow the stores to the variables that their addresses are based on."""

from collections.abc import Iterator

import pytest

from shflbench.emulator.dataflow.slices import Slice, Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op
from shflbench.emulator.ptx.parse import parse

# `a` holds a value that was loaded from `in`, `b` holds k.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 k)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .shared .align 4 .b8 a[128];
    .shared .align 4 .b8 b[128];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [k];
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, a;
    add.s32 %r5, %r4, %r3;
    ld.global.u32 %r6, [%rd1];
    st.shared.u32 [%r5], %r6;
    mov.u32 %r7, b;
    add.s32 %r8, %r7, 4;
    st.shared.u32 [%r8], %r1;
    bar.sync 0;
    {address}
    ld.shared.u32 %r10, [%r9];
    mul.wide.u32 %rd3, %r10, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], 1;
    ret;
}}
"""
IN, K = 0, 16  # bytes of the parameters


def store(address: str) -> Slice:
    slicer = Slicer(link(parse(PTX.format(address=address)), "k"))
    return slicer.of([_op(slicer, "st.global.u32")])


def _op(slicer: Slicer, start: str) -> Op:
    matching: Iterator[Op] = (op for op in slicer.ops if op.instruction.text.startswith(start))
    return next(matching)


@pytest.mark.parametrize(
    "address",
    [
        "add.s32 %r9, %r7, %r3;",
        "mov.u32 %r9, b;",
        "add.s32 %r9, %r8, %r3;",
        "sub.s32 %r9, %r8, %r3;",
        "setp.eq.s32 %p1, %r2, 0; add.s32 %r11, %r7, %r3; add.s32 %r12, %r8, %r3; selp.b32 %r9, %r11, %r12, %p1;",
        "add.s32 %r9, %r7, %r3; @%p1 add.s32 %r9, %r9, 4;",
    ],
)
def test_of_one_variable_no_other_one_is_read(address: str) -> None:
    assert store(address).contents == set()
    assert K in store(address).parameters


@pytest.mark.parametrize(
    "address",
    [
        "xor.b32 %r9, %r8, %r3;",  # a number, for all that is known
        "setp.eq.s32 %p1, %r2, 0; add.s32 %r11, %r7, %r3; selp.b32 %r9, %r11, %r3, %p1;",
        "add.s32 %r9, %r7, %r3; @%p1 add.s32 %r9, %r4, %r3;",
        "add.s32 %r9, %r7, %r3; @%p1 mov.u32 %r9, %r3;",
    ],
)
def test_where_another_variable_may_be_meant_its_stores_count(address: str) -> None:
    assert store(address).contents == {IN}


def test_all_names_of_the_dynamic_part_are_one_memory() -> None:
    dynamic = PTX.replace("    .shared .align 4 .b8 a[128];\n    .shared .align 4 .b8 b[128];\n", "")
    dynamic = dynamic.replace(
        ".visible", ".extern .shared .align 4 .b8 a[];\n.extern .shared .align 4 .b8 b[];\n.visible"
    )
    slicer = Slicer(link(parse(dynamic.format(address="add.s32 %r9, %r7, %r3;")), "k"))
    assert slicer.of([_op(slicer, "st.global.u32")]).contents == {IN}

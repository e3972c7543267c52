from pathlib import Path

import pytest

from shflbench.checker.runs.order import order_reasons
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    {instruction}
    st.global.u32 [%rd1+4], {stored};
    ret;
}}
"""


def reasons(instruction: str, stored: str = "%r1") -> list[str]:
    program = link(parse(PTX.format(instruction=instruction, stored=stored)), "k")
    return order_reasons(program, lambda item: SourceLine(Path("k.cu"), item.line))


@pytest.mark.parametrize(
    ("instruction", "stored", "reason"),
    [
        (
            "atom.global.add.u32 %r2, [%rd1], 1;",
            "%r2",
            "atomics return or store values in the order of the threads (k.cu:12)",
        ),
        (
            "atom.global.exch.b32 %r2, [%rd1], %r1;",
            "%r1",
            "atomics return or store values in the order of the threads (k.cu:12)",
        ),
        (
            "red.global.add.f32 [%rd1], %f1;",
            "%r1",
            "atomics add floating-point numbers in the order of the threads (k.cu:12)",
        ),
        (
            "atom.global.add.f32 %f2, [%rd1], %f1;",
            "%r1",
            "atomics add floating-point numbers in the order of the threads (k.cu:12)",
        ),
        ("activemask.b32 %r2;", "%r2", "it reads the mask of active lanes"),
        ("mov.u32 %r2, %clock;", "%r2", "it reads a clock"),
    ],
)
def test_what_follows_the_order_of_threads_is_named(instruction: str, stored: str, reason: str) -> None:
    assert reasons(instruction, stored) == [reason]


@pytest.mark.parametrize("instruction", ["red.global.add.u32 [%rd1], 1;", "atom.global.max.u32 %r2, [%rd1], %r1;", ""])
def test_integer_atomics_whose_old_value_is_not_used_follow_no_order(instruction: str) -> None:
    assert reasons(instruction) == []

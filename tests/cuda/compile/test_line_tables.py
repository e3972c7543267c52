"""The source lines of instructions, from nvdisasm's own text and from kernels compiled for the test."""

import stat
from pathlib import Path

import pytest

from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.line_tables import LineStep, parse, source_lines
from shflbench.cuda.compile.nvrtc import compile_unit
from shflbench.cuda.compile.sass import disassemble
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain, find
from shflbench.errors import CompilerError

TEXT = """\
//--------------------- .text.two                 --------------------------
\t.section\t.text.two,"ax",@progbits
        .type           two,@function
.text.two:
        /*0000*/                   NOP ;
\t//## File "/here/shflbench.cuh", line 15 inlined at "/here/own/k.cu", line 3
\t//## File "/here/own/k.cu", line 3
        /*0010*/                   S2R R0, SR_TID.X ;
        /*0020*/                   S2UR UR4, SR_CTAID.X ;
.L_x_0:
\t//## File "/here/own/k.cu", line 4
        /*0030*/              @!P0 BRA `(.L_x_0) ;
\t.section\t.text.one,"ax",@progbits
        /*0000*/                   EXIT ;
"""
KERNELS = """\
__device__ float doubled(float x) { return 2 * x; }
__global__ void first(const float* in, float* out) {
    float x = in[threadIdx.x];
    x = __shfl_xor_sync(0xffffffffu, x, 1);
    out[threadIdx.x] = doubled(x);
}
__global__ void second(float* out) { out[threadIdx.x] = 1; }
"""


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return find()


def test_an_instruction_has_the_line_and_the_calls_printed_before_it() -> None:
    tables = parse(TEXT.splitlines())
    inlined = (LineStep("/here/shflbench.cuh", 15), LineStep("/here/own/k.cu", 3))
    assert tables == {
        "two": {0x10: inlined, 0x20: inlined, 0x30: (LineStep("/here/own/k.cu", 4),)},
        "one": {},
    }


@pytest.mark.archs
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_compiled_kernels_have_the_lines_of_their_source(toolchain: Toolchain, arch: str) -> None:
    names = ("first", "second")
    first, second = compile_unit([Source("own/k.cu", KERNELS, {}, name) for name in names], arch, toolchain)
    tables = source_lines(first.cubin, toolchain.nvdisasm)
    assert set(tables) == {first.symbol, second.symbol}
    code = kernel_code(first.cubin)[first.symbol]
    (instructions,) = disassemble([code], arch, toolchain.nvdisasm) or [()]
    lines = {item.base: tables[first.symbol].get(item.address, ()) for item in instructions}
    assert [step.line for step in lines["SHFL"]] == [4]
    assert [step.line for step in lines["LDG"]] == [3]
    assert [step.line for step in lines["FADD"]] == [1, 5]  # inlined
    assert {step.file.endswith("/own/k.cu") for step in lines["FADD"]} == {True}
    assert {steps[-1].line for steps in tables[second.symbol].values()} == {7}


def test_without_a_disassembler_or_a_cubin_that_it_can_read_there_are_no_lines(toolchain: Toolchain) -> None:
    assert source_lines(b"no ELF file", toolchain.nvdisasm) == {}
    assert source_lines(b"", None) == {}


def test_a_disassembler_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    program = tmp_path / "nvdisasm"
    program.write_text("no program", encoding="utf-8")
    program.chmod(stat.S_IRUSR)
    with pytest.raises(CompilerError, match="does not run"):
        source_lines(b"", program)

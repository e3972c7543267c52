from shflbench.backends.emulator.frontend.parse import parse
from shflbench.backends.emulator.link.linker import link
from shflbench.checker.runs.coverage import unreached_lines
from shflbench.checker.slices import Slicer
from tests.checker import sliced

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    .loc 1 2 0
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 7;
    .loc 1 3 0
    @%p1 st.global.u32 [%rd1], %r1;
    .loc 1 4 0
    ret;
}
"""


def test_a_line_whose_guard_never_held_did_not_run() -> None:
    program = link(parse(PTX), "k")
    store = sliced.op_of(Slicer(program), "st.global")
    assert {line for _, line in unreached_lines(program, set(program.blocks), ())} == {3}
    assert unreached_lines(program, set(program.blocks), {id(store)}) == frozenset()

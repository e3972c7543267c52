import pytest

from shflbench.checker.runs.coverage import UnreachedLines, unreached_lines
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.ptx.parse import parse
from tests.emulator.dataflow import sliced

HEAD = """\
.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.file 2 "header.h"
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .loc 1 2 0
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 7;
"""
GUARDED = """\
    .loc 1 3 0
    @%p1 st.global.u32 [%rd1], %r1;
    .loc 1 4 0
    ret;
}
"""
# `if (c) BODY` on line 3, of which only the condition runs.
BRANCH = """\
    .loc 1 3 0
    ld.global.u32 %r2, [%rd1];
    @%p1 bra OVER;
    BODY
    .loc 1 3 0
    add.u32 %r1, %r1, 1;
OVER:
    .loc 1 4 0
    st.global.u32 [%rd1+8], %r1;
    ret;
}
"""


def linked(text: str) -> Program:
    return link(parse(HEAD + text), "k")


def unreached(program: Program, blocks: set[int]) -> set[int]:
    lines = unreached_lines(program, blocks, ())
    assert not lines.wholly & lines.in_part
    return {line for name, line in lines.wholly | lines.in_part if name == "k.cu"}


def after_branch(program: Program) -> int:
    """Return the block at which the branch aims."""
    return next(block.last.target for _, block in sorted(program.blocks.items()) if block.last is not None)


def test_a_line_whose_guard_never_held_did_not_run() -> None:
    program = linked(GUARDED)
    store = sliced.op_of(Slicer(program), "st.global")
    assert unreached(program, set(program.blocks)) == {3}
    assert unreached_lines(program, set(program.blocks), {id(store)}) == UnreachedLines(frozenset(), frozenset())


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("st.global.u32 [%rd1], %r1;", {3}),
        ("atom.global.add.u32 %r3, [%rd1], 1;", {3}),
        ("bar.sync 0;", {3}),
        ("ld.global.u32 %r3, [%rd1+4];", set()),  # line 3 has loaded from global memory
        ("ld.shared.u32 %r3, [0];", {3}),
        ("add.u32 %r2, %r2, 1;", set()),  # the compiler computes early or late
        (".loc 2 9 0, function_name $f, inlined_at 1 3 0\nred.global.add.u32 [%rd1], 1;", {3}),  # a call of a library
        (".loc 1 4 0\nld.global.u32 %r3, [%rd1];", set()),  # that of line 3 again, for line 4
        (".loc 1 5 0\nst.global.u32 [%rd1+8], %r1;", {5}),
    ],
)
def test_a_line_of_which_only_the_condition_ran_did_not_run(body: str, lines: set[int]) -> None:
    program = linked(BRANCH.replace("BODY", body))
    starts = sorted(program.blocks)
    assert unreached(program, {starts[0], after_branch(program)}) == lines
    assert unreached(program, set(starts)) == set()


def test_one_copy_of_an_unrolled_store_is_enough() -> None:
    program = linked(BRANCH.replace("BODY", "st.global.u32 [%rd1], %r1;").replace(".loc 1 4 0", ".loc 1 3 0"))
    assert unreached(program, {min(program.blocks), after_branch(program)}) == set()


def test_a_line_whose_condition_ran_did_so_in_part() -> None:
    program = linked(BRANCH.replace("BODY", ".loc 1 3 0\nst.global.u32 [%rd1], %r1;\n.loc 1 5 0\nbar.sync 0;"))
    lines = unreached_lines(program, {min(program.blocks), after_branch(program)}, ())
    assert lines == UnreachedLines(frozenset({("k.cu", 5)}), frozenset({("k.cu", 3)}))

from shflbench.emulator.dataflow.nests import loop_exits, loop_heads
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op
from shflbench.emulator.ptx.parse import parse
from tests.emulator.dataflow.sliced import op_of

# A loop to n, in which a condition on contents skips an instruction, and which contains a loop that contents end.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
OUTER:
    ld.global.u32 %r3, [%rd1];
    setp.eq.u32 %p1, %r3, 7;
    @%p1 bra SKIP;
    mul.lo.u32 %r4, %r3, 3;
SKIP:
    mov.u32 %r5, 1;
INNER:
    shl.b32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, %r3;
    @%p2 bra INNER;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, %r1;
    @%p3 bra OUTER;
    ret;
}
"""


def texts(ops: list[Op]) -> set[str]:
    return {op.instruction.text for op in ops}


def test_only_branches_that_leave_a_loop_decide_how_often_it_iterates() -> None:
    slicer = Slicer(link(parse(PTX), "k"))
    exits = loop_exits(op_of(slicer, "mul.lo"), slicer)
    assert texts(exits) == {"@%p2 bra INNER", "@%p3 bra OUTER"}
    (outer,) = [item for item in exits if "OUTER" in item.instruction.text]
    assert (slicer.of([outer]).parameters, slicer.of([outer]).contents) == ({8}, set())


def test_a_loop_begins_where_control_enters_it_and_one_beside_an_instruction_does_not_count() -> None:
    slicer = Slicer(link(parse(PTX), "k"))
    assert texts(loop_heads(op_of(slicer, "mul.lo"), slicer)) == {
        "ld.global.u32 %r3, [%rd1]",
        "setp.eq.u32 %p1, %r3, 7",
        "@%p1 bra SKIP",
    }
    assert "shl.b32 %r5, %r5, 1" in texts(loop_heads(op_of(slicer, "shl.b32"), slicer))


def test_an_instruction_outside_of_loops_has_neither_exits_nor_heads() -> None:
    slicer = Slicer(link(parse(PTX), "k"))
    before = op_of(slicer, "mov.u32 %r2, 0")
    assert (loop_exits(before, slicer), loop_heads(before, slicer)) == ([], [])

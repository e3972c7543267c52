"""The tests of barriers in memory: each reads the state of one, and compares its phase with a parity or a token."""

from collections.abc import Mapping
from itertools import pairwise

from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.opcodes.forms import Access

PARITY, TOKEN = "$mbarrier_parity", "$mbarrier_test"  # opcodes; the second operand is the parity, or the token


def is_read(op: Op) -> bool:
    """Return whether `op` reads the state of a barrier in memory to test its phase."""
    return isinstance(op.form, Access) and op.form.is_barrier and op.form.kind == "ld"


def phase_tests(program: Program) -> Mapping[int, Op]:
    """Return the comparison that follows each read of a barrier's state, by the id of the read."""
    return {
        id(read): test
        for block in program.blocks.values()
        for read, test in pairwise(block.ops)
        if is_read(read) and test.instruction.opcode in {PARITY, TOKEN}
    }

"""The roles of opcodes: how analyses of a program follow their results, besides the form that a decoder gives.

A test compares `ROLES` with the tables of decoders: a new opcode gets an entry, `OPAQUE` if no analysis follows it.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.ptx.syntax import PtxInstruction


class OpcodeRole(Flag):
    """How analyses follow the result of an instruction."""

    OPAQUE = 0  # the result is a number of which nothing is known
    POINTER = auto()  # the result may point to where an operand points: `dataflow/slices.py`
    POLYNOMIAL = auto()  # integers: a sum or product of the operands, as `dataflow/polynomials.py` calculates it
    COPY = auto()  # the operand itself: `dataflow/index_values.py`
    COMPARISON = auto()  # a predicate that compares numbers: `dataflow/guards.py`, `inputs/compared_constants.py`
    MINIMUM = auto()  # at most each operand: `dataflow/guards.py`
    MASK = auto()  # the bits of one operand that another one has: `dataflow/bit_uses.py`
    SHIFT = auto()  # of bits: `dataflow/bit_uses.py`
    RIGHT_SHIFT = auto()  # a division by a power of two: `dataflow/warps.py`
    RANGE = auto()  # the values of the operands limit it: `dataflow/value_ranges.py`
    LOGIC = auto()  # of predicates: `dataflow/guards.py`
    BLOCK_BARRIER = auto()  # of a block, or with `.warp` of a warp: `inputs/blocks.py`
    APPROXIMATE = auto()  # with `.approx`, a GPU may differ in the last digits: `link/linker.py`
    TEXTURE = auto()  # the result is what a texture holds, whatever the operands are: `dataflow/slices.py`
    OF_CLUSTER = auto()  # the result names a block of the cluster: `inputs/cluster_plan.py`
    ORDER = auto()  # the result depends on the order of threads: `runs/order.py`
    TOKEN_TEST = auto()  # of a phase that the state from an arrival names: `dataflow/phase_waits.py`
    CHOICE = auto()  # one of the operands, not their sum: `dataflow/shared_bases.py`
    DIVISION = auto()  # of one operand by another one: `inputs/mixing.py`
    LATE_STORE = auto()  # of values that arrive in memory later: `runs/all_schedules.py`


_WITH_A_ROLE: Mapping[str, OpcodeRole] = {
    "add": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE,
    "sub": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE,
    "mad": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE,
    "mov": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.COPY | OpcodeRole.RANGE,
    "cvta": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL,
    "mapa": OpcodeRole.POINTER | OpcodeRole.OF_CLUSTER,
    "$getctarank": OpcodeRole.OF_CLUSTER,
    "cvt": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE,
    "mul": OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE,
    "neg": OpcodeRole.POLYNOMIAL,
    "shl": OpcodeRole.POLYNOMIAL | OpcodeRole.RANGE | OpcodeRole.SHIFT,
    "shr": OpcodeRole.RANGE | OpcodeRole.SHIFT | OpcodeRole.RIGHT_SHIFT,
    "rem": OpcodeRole.RANGE | OpcodeRole.DIVISION,
    "bfe": OpcodeRole.RANGE,
    "popc": OpcodeRole.RANGE,
    "selp": OpcodeRole.POINTER | OpcodeRole.CHOICE,
    "max": OpcodeRole.POINTER | OpcodeRole.CHOICE,
    "min": OpcodeRole.POINTER | OpcodeRole.CHOICE | OpcodeRole.MINIMUM,
    "and": OpcodeRole.POINTER | OpcodeRole.LOGIC | OpcodeRole.MASK | OpcodeRole.RANGE,
    "or": OpcodeRole.POINTER | OpcodeRole.POLYNOMIAL | OpcodeRole.LOGIC,
    "not": OpcodeRole.POLYNOMIAL | OpcodeRole.LOGIC,
    "setp": OpcodeRole.COMPARISON,
    "bar": OpcodeRole.BLOCK_BARRIER,
    "barrier": OpcodeRole.BLOCK_BARRIER,
    **dict.fromkeys(
        (
            *("$mbarrier_arrive", "$mbarrier_arrive_async", "$mbarrier_arrive_drop", "$mbarrier_init"),
            *("$mbarrier_parity", "$mbarrier_pending", "$mbarrier_read", "$mbarrier_store"),
        ),
        OpcodeRole.BLOCK_BARRIER,
    ),
    "$mbarrier_test": OpcodeRole.BLOCK_BARRIER | OpcodeRole.TOKEN_TEST,
    "$store_async": OpcodeRole.LATE_STORE,
    "$tex": OpcodeRole.TEXTURE,
    "activemask": OpcodeRole.ORDER,
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt"), OpcodeRole.APPROXIMATE),
    "div": OpcodeRole.APPROXIMATE | OpcodeRole.DIVISION,
}
_OPAQUE = """
    $__assertfail $bulk_commit $bulk_copy $bulk_wait $clock $copy_commit $copy_deliver $copy_wait $copy_wait_all $free
    $isspacep $ld_async $ldmatrix $malloc $mma $movmatrix $no_function $st_async $stack $stmatrix $vprintf
    $wmma abs addc applypriority atom bfi bfind bmsk bra brev brkpt clz cnot copysign createpolicy dp2a dp4a elect exit
    fence fma fns griddepcontrol isspacep ld ldu lop3 mad24 madc match membar mul24 nanosleep pmevent popc prefetch
    prefetchu prmt red redux ret sad set setmaxnreg shf shfl slct st subc szext testp trap vabsdiff vabsdiff2 vabsdiff4
    vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vsub vsub2 vsub4 xor
"""
ROLES: Mapping[str, OpcodeRole] = {**dict.fromkeys(_OPAQUE.split(), OpcodeRole.OPAQUE), **_WITH_A_ROLE}


def has_role(instruction: PtxInstruction, role: OpcodeRole) -> bool:
    """Return whether analyses follow an instruction in this way."""
    if role is OpcodeRole.MINIMUM and not {"relu", "abs"}.isdisjoint(instruction.modifiers):
        return False  # 0, and a size, are more than a negative operand
    return role in ROLES.get(instruction.opcode, OpcodeRole.OPAQUE)

"""What analyses of a program must know of each opcode, besides the form that its decoder gives.

A test compares `ROLES` with the tables of decoders: a new opcode gets an entry, `OPAQUE` if no analysis follows it.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.ptx.syntax import PtxInstruction


class Role(Flag):
    """How analyses follow the result of an instruction."""

    OPAQUE = 0  # the result is a number of which nothing is known
    POINTER = auto()  # the result may point to where an operand points: `dataflow/slices.py`
    POLYNOMIAL = auto()  # integers: a sum or product of the operands, as `dataflow/polynomials.py` calculates it
    COMPARISON = auto()  # a predicate that compares numbers: `dataflow/guards.py`, `inputs/thresholds.py`
    MINIMUM = auto()  # at most each operand: `dataflow/guards.py`
    LOGIC = auto()  # of predicates: `dataflow/guards.py`
    BLOCK_BARRIER = auto()  # of a block, or with `.warp` of a warp: `inputs/blocks.py`
    APPROXIMATE = auto()  # with `.approx`, a GPU may differ in the last digits: `link/notes.py`
    ORDER = auto()  # the result depends on the order of threads: `runs/order.py`


_WITH_A_ROLE: Mapping[str, Role] = {
    "add": Role.POINTER | Role.POLYNOMIAL,
    "sub": Role.POINTER | Role.POLYNOMIAL,
    "mad": Role.POINTER | Role.POLYNOMIAL,
    "mov": Role.POINTER | Role.POLYNOMIAL,
    "cvta": Role.POINTER | Role.POLYNOMIAL,
    "cvt": Role.POINTER | Role.POLYNOMIAL,
    "mul": Role.POLYNOMIAL,
    "neg": Role.POLYNOMIAL,
    "shl": Role.POLYNOMIAL,
    "selp": Role.POINTER,
    "max": Role.POINTER,
    "min": Role.POINTER | Role.MINIMUM,
    "and": Role.POINTER | Role.LOGIC,
    "or": Role.POINTER | Role.LOGIC,
    "not": Role.POLYNOMIAL | Role.LOGIC,
    "setp": Role.COMPARISON,
    "bar": Role.BLOCK_BARRIER,
    "barrier": Role.BLOCK_BARRIER,
    **dict.fromkeys(
        (
            *("$mbarrier_arrive", "$mbarrier_arrive_async", "$mbarrier_arrive_drop", "$mbarrier_init"),
            *("$mbarrier_parity", "$mbarrier_pending", "$mbarrier_test"),
        ),
        Role.BLOCK_BARRIER,
    ),
    "activemask": Role.ORDER,
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt", "div"), Role.APPROXIMATE),
}
_OPAQUE = """
    $__assertfail $clock $copy_commit $copy_deliver $copy_wait $copy_wait_all $free $ld_async $ldmatrix $malloc $mma
    $movmatrix $no_function $st_async $stack $stmatrix $vprintf abs addc applypriority atom bfe bfi bfind bmsk bra brev
    brkpt clz cnot copysign createpolicy dp2a dp4a elect exit fence fma fns getctarank griddepcontrol isspacep ld ldu
    lop3 mad24 madc mapa match membar mul24 nanosleep pmevent popc prefetch prefetchu prmt red redux rem ret sad set
    setmaxnreg shf shfl shr slct st subc szext testp trap vabsdiff2 vabsdiff4 vadd2 vadd4 vavrg2 vavrg4 vmax2 vmax4
    vmin2 vmin4 vote vsub2 vsub4 xor
"""
ROLES: Mapping[str, Role] = {**dict.fromkeys(_OPAQUE.split(), Role.OPAQUE), **_WITH_A_ROLE}


def has_role(instruction: PtxInstruction, role: Role) -> bool:
    """Return whether analyses follow an instruction in this way."""
    return role in ROLES.get(instruction.opcode, Role.OPAQUE)

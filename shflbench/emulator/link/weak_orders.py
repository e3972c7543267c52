"""Operations between blocks of a cluster that order the execution of threads, but not their accesses to memory.

A relaxed arrival releases nothing, and an operation on a barrier in memory whose scope is the block, as it is where
none is given, synchronizes with no thread of another block (PTX ISA 9.0, 9.7.13.3 and 9.7.13.15).
"""

from dataclasses import dataclass
from enum import StrEnum

from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.opcodes.forms import OF_BLOCK, Access, ClusterBarrier
from shflbench.emulator.ptx.syntax import PtxInstruction

_COPIES = {"$bulk_copy", "$store_async"}  # which come after reads that no proxy fence, or a weak order, follows


class Weakness(StrEnum):
    """How an operation orders execution only."""

    CLUSTER_ARRIVAL_RELAXED = "relaxed arrival at the barrier of the cluster"
    WAIT_RELAXED = "relaxed wait for a barrier in memory"
    WAIT_OF_BLOCK = "wait for a barrier in memory, with the scope of the block"
    ARRIVAL_RELAXED = "relaxed arrival at a barrier in memory"
    ARRIVAL_OF_BLOCK = "arrival at a barrier in memory, with the scope of the block"


@dataclass(frozen=True, slots=True)
class WeakOrder:
    """An operation of a program that orders execution only."""

    weakness: Weakness
    instruction: PtxInstruction


def weakness(op: Op) -> Weakness | None:
    """Return which weak order `op` is, None for none."""
    form = op.form
    if isinstance(form, ClusterBarrier) and form.order == "relaxed":
        return Weakness.CLUSTER_ARRIVAL_RELAXED
    if not isinstance(form, Access) or not form.is_barrier or not form.strong:
        return None
    waits = form.kind == "ld"
    if form.order == "relaxed":
        return Weakness.WAIT_RELAXED if waits else Weakness.ARRIVAL_RELAXED
    if form.reach == OF_BLOCK:
        return Weakness.WAIT_OF_BLOCK if waits else Weakness.ARRIVAL_OF_BLOCK
    return None


def has_weak_order(op: Op) -> bool:
    """Return whether `op` is a weak order."""
    return weakness(op) is not None


def weak_orders(program: Program) -> tuple[WeakOrder, ...]:
    """Return the weak orders of a program, in its order."""
    pairs = ((weakness(op), op.instruction) for op in program.ops())
    return tuple(WeakOrder(weak, instruction) for weak, instruction in pairs if weak is not None)


def copies_in_bulk(program: Program) -> bool:
    """Return whether `program` starts bulk copies or asynchronous stores."""
    return not program.opcodes.isdisjoint(_COPIES)


def has_weak_orders(program: Program, *, has_clusters: bool) -> bool:
    """Return whether threads may learn that a read was executed by an order that does not wait for its value."""
    return copies_in_bulk(program) or (has_clusters and any(map(has_weak_order, program.ops())))

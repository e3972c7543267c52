"""Operations between blocks of a cluster that order the execution of threads, but not their accesses to memory.

A relaxed arrival releases nothing, and an operation on a barrier in memory whose scope is the block, as it is where
none is given, synchronizes with no thread of another block (PTX ISA 9.0, 9.7.13.3 and 9.7.13.15).
"""

from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.opcodes.forms import OF_BLOCK, Access, ClusterBarrier

_COPIES = {"$bulk_copy", "$store_async"}  # which come after reads that no proxy fence, or a weak order, follows


def weakness(op: Op) -> str:
    """Return in words which weak order `op` is, "" for none."""
    form = op.form
    if isinstance(form, ClusterBarrier) and form.order == "relaxed":
        return "a relaxed arrival at the barrier of the cluster"
    if not isinstance(form, Access) or not form.is_barrier or not form.strong:
        return ""
    what = "a wait for a barrier in memory" if form.kind == "ld" else "an arrival at a barrier in memory"
    if form.order == "relaxed":
        return f"{what} with .relaxed"
    return f"{what} with the scope .cta" if form.reach == OF_BLOCK else ""


def copies_in_bulk(program: Program) -> bool:
    """Return whether `program` starts bulk copies or asynchronous stores."""
    return not program.opcodes.isdisjoint(_COPIES)


def has_weak_orders(program: Program, *, has_clusters: bool) -> bool:
    """Return whether threads may learn that a read was executed by an order that does not wait for its value."""
    return copies_in_bulk(program) or (has_clusters and any(weakness(op) for op in program.ops()))

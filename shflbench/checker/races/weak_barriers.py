"""Barriers between blocks of a cluster that order the execution of threads, but not their accesses to memory.

A relaxed arrival releases nothing, and an operation on a barrier in memory whose scope is the block, as it is where
none is given, synchronizes with no thread of another block (PTX ISA 9.0, 9.7.13.3 and 9.7.13.15).
"""

from collections.abc import Iterator

from shflbench.checker.link.program import Op, Program
from shflbench.checker.opcodes.forms import OF_BLOCK, Access, ClusterBarrier
from shflbench.checker.races.rule import place_of

_MOST_NAMED = 3


def weak_barriers(program: Program) -> str:
    """Return a sentence on the operations by which barriers order execution only, with their lines; "" for none."""
    named = list(dict.fromkeys(_named(program)))
    if not named:
        return ""
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return f"they are ordered in execution only, not in memory: {', '.join(named[:_MOST_NAMED])}{more}"


def _named(program: Program) -> Iterator[str]:
    for op in program.ops():
        if (why := _weakness(op)) != "":
            yield f"{why} at {place_of(op)}"


def _weakness(op: Op) -> str:
    form = op.form
    if isinstance(form, ClusterBarrier) and form.order == "relaxed":
        return "a relaxed arrival at the barrier of the cluster"
    if not isinstance(form, Access) or not form.is_barrier or not form.strong:
        return ""
    what = "a wait for a barrier in memory" if form.kind == "ld" else "an arrival at a barrier in memory"
    if form.order == "relaxed":
        return f"{what} with .relaxed"
    return f"{what} with the scope .cta" if form.reach == OF_BLOCK else ""

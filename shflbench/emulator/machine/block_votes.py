"""The results of barriers that combine a predicate of their threads: `bar.red`, `__syncthreads_count` and others."""

from collections.abc import Sequence

import numpy as np

from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.collective import constant
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import scatter
from shflbench.emulator.opcodes.forms import Barrier, Values


def vote(state: State, waiting: Sequence[tuple[Op, Values]]) -> None:
    """Write, for each block, the count, conjunction or disjunction of its waiting threads' predicates, if any.

    `waiting` are threads by the op at which they wait; all threads of a block wait in the same form.
    """
    voting = [(op, threads) for op, threads in waiting if isinstance(op.form, Barrier) and op.form.reduce]
    if not voting:
        return
    grid, block_of = state.shape.grid, state.shape.block_of
    yes, members = np.zeros(grid, np.int64), np.zeros(grid, np.int64)
    for op, threads in voting:
        source, blocks = op.sources[-1], block_of(threads)
        flags = state.gather(source, scatter(threads)) if isinstance(source, Slot) else constant(source, "?")
        flags = np.broadcast_to(np.asarray(flags).reshape(-1), blocks.shape)
        yes += np.bincount(blocks, flags, grid).astype(np.int64)
        members += np.bincount(blocks, minlength=grid)
    results = {"popc": yes, "and": yes == members, "or": yes > 0}
    for op, threads in voting:
        slot = op.results[0]
        if slot is not None and isinstance(op.form, Barrier):
            state.put(slot, scatter(threads), results[op.form.reduce][block_of(threads)])
            state.wrote(op.results)

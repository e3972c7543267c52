"""The source and the machine code of a run's cases."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.analysis.claims.evaluate import Unknown, exactly
from shflbench.analysis.settings import one_pass
from shflbench.patterns.declare import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.claims.evaluate import Value
    from shflbench.store import Row, Run
    from shflbench.store.kernel_archive import KernelIndex, StoredKernel

NAMED = 12  # opcodes in a sentence


class RunCode:
    """The kernels of one run; the stored ones are read when they are needed."""

    def __init__(self, run: Run) -> None:
        """Take the run."""
        self._run = run

    @cached_property
    def _index(self) -> KernelIndex | None:
        """What the run stored about its kernels, if it stored them. ResultsError where they are damaged."""
        archive = self._run.kernels()
        return archive.index if archive else None

    @cached_property
    def _kernels(self) -> Mapping[str, StoredKernel]:
        """The stored kernel of each case."""
        kernels = self._index.kernels if self._index else ()
        return {case_id: kernel for kernel in kernels for case_id in kernel.cases}

    def revision(self, row: Row) -> str:
        """Return the revision of the kernel of a case; empty where the run did not store it."""
        kernel = self._kernels.get(row.case_id)
        return self._index.revision_of(kernel) if self._index and kernel else ""

    def per_iteration(self, row: Row, opcode: str) -> Value:
        """Return how many instructions with this opcode an iteration has.

        Of a timed loop, all exchange instructions are counted in its row: one that is not there is not in the loop. Any
        other opcode that is not in the stored loop is missing, as it may be misspelled: a required claim fails.
        """
        counts = row.sass_per_iteration or {}
        if opcode in counts:
            return exactly(counts[opcode])
        if counts and opcode in EXCHANGES:
            return exactly(0.0)
        kernel = self._kernels.get(row.case_id)
        loop = kernel.loop if kernel else None
        if loop and loop.unroll > 0 and opcode in loop.instructions:
            return exactly(loop.instructions[opcode] / loop.unroll)
        if loop and opcode in EXCHANGES:
            return exactly(0.0)
        if loop is None and one_pass(row):
            return Unknown(f"{row.case_id} has no timed loop, hence no {opcode} per iteration")
        names = sorted({*counts, *(loop.instructions if loop else ())})
        others = f"; recorded: {', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''}" if names else ""
        return Unknown(f"{opcode} was not recorded of {row.case_id}{others}", is_missing=True)

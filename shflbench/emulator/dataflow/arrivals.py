"""Parameters that a kernel compares with a count in memory, as a barrier of all blocks does with their number.

`ticket == blocks - 1` finds the last block, and `while (*arrived < blocks);` waits for all of them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import IndexValues, parameters_of, variable
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source


def arrival_counts(slicer: Slicer) -> frozenset[int]:
    """Return the first bytes of the parameters that are compared with what an atomic returns or a loop polls."""
    values = slicer.kept(IndexValues)
    compared = [op for op in slicer.ops if has_role(op.instruction, OpcodeRole.COMPARISON)]
    counted = [op for op in compared if any(_is_count(source, slicer) for source in op.sources)]
    sources = chain.from_iterable(op.sources for op in counted)
    return frozenset(_parameters(sources, values))


def _is_count(source: Source, slicer: Slicer) -> bool:
    writers = slicer.writers(source.number) if isinstance(source, Slot) else []
    return any(_counts(op, slicer) for op in writers)


def _counts(op: Op, slicer: Slicer) -> bool:
    form = op.form
    if not isinstance(form, Access) or parameter_byte(op) is not None:
        return False
    return form.kind == "atom" or (form.kind == "ld" and slicer.in_loop(op))


def _parameters(sources: Iterable[Source], values: IndexValues) -> Iterator[int]:
    for source in sources:
        match list(variable(values.of(source)).items()):
            case [(term, 1)] if (parameters := parameters_of(term)) is not None and len(parameters) == 1:
                yield parameters[0]

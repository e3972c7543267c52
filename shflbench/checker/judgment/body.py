"""Tell whether the body of a kernel ran at all: chosen values may keep every thread from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.judgment.causes import LAUNCH, of_slice
from shflbench.checker.runs.coverage import executed_blocks, find_executed
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_SHARED_SPACES = {"global", "shared", ""}  # memory that threads have in common; generic addresses may lie there


def values_without_body(launches: Sequence[LaunchEvidence], slicer: Slicer) -> tuple[str, ...]:
    """Return the options that decide whether the body runs, if no launch ran it; empty if one did.

    The body are the accesses to global and shared memory. Loads from one address for all threads, on which the
    conditions of others depend, are no part of it: they are sizes and flags. A kernel that only loads from variables of
    the device, such as the tables of `cos`, has none.
    """
    ran = frozenset[int]().union(*(_ran(item, slicer) for item in launches))
    accesses = [op for op in slicer.ops if is_of_memory(op)]
    if not any(_writes(op) or slicer.pointers(op) for op in accesses):
        return ()
    skipped = [op for op in accesses if id(op) not in ran]
    if not ran or not skipped or any(id(op) in ran and not _is_flag(op, slicer) for op in accesses):
        return ()
    conditions = [branch for op in skipped for branch in slicer.all_conditions(op) if id(branch) in ran]
    depends = slicer.of(conditions, address_only=True)
    changed = _changed(launches[0].arguments, slicer)
    causes = [name for name in of_slice(depends, launches[0].arguments) if name not in changed and ".byte" not in name]
    if depends.launch and all(item.launch.origin.is_synthesized for item in launches):
        causes.append(LAUNCH)
    return tuple(dict.fromkeys(causes))


def _changed(arguments: Arguments, slicer: Slicer) -> set[str]:
    """Return the buffers that a kernel writes to: they hold results, and no flags of the caller."""
    writes = [op for op in slicer.ops if _writes(op)]
    starts = {start for op in writes for start in slicer.pointers(op)}
    spans = [
        (offset + span.start, span)
        for offset, value in zip(arguments.offsets, arguments.parameters, strict=True)
        for span in value.spans
    ]
    return {span.name for start, span in spans if start in starts}


def _writes(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.writes


def _ran(item: LaunchEvidence, slicer: Slicer) -> frozenset[int]:
    return find_executed(slicer.program, executed_blocks(slicer.program, item.runs), item.guarded)


def is_of_memory(op: Op) -> bool:
    """Whether an op accesses memory that threads have in common."""
    return isinstance(op.form, Access) and op.place is not None and op.place.space in _SHARED_SPACES


def _is_flag(op: Op, slicer: Slicer) -> bool:
    is_load = isinstance(op.form, Access) and op.form.kind == "ld"
    return is_load and not slicer.of([op], address_only=True).launch

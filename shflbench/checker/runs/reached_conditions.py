"""Launches again with contents that take branches which no launch took: conditions on data that others never fulfill.

The contents are one value in all elements, which a kernel may not be written for. So of what happens only those races
count of which one access was executed before, too: whether it races does not depend on the contents, only whether the
other access is executed. Those in shared memory behind one condition of a whole block count likewise.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.condition_values import condition_values
from shflbench.checker.inputs.mixing import mixed_contents
from shflbench.checker.runs.sites import ran_ops
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.races.hazards import RACES, HazardKind
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence
    from shflbench.checker.runs.kernel_runs import KernelRuns
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.ptx.syntax import PtxInstruction
    from shflbench.emulator.races.hazards import Hazard

MOST_LAUNCHES = 8
MIXED = 192  # threads at least of a launch with mixed contents, if one has as many
_NO_FAULTS = {HazardKind.ACTIVEMASK, HazardKind.UNORDERED, HazardKind.ABSENT_VALUE}


def with_reached(runs: KernelRuns, evidence: KernelEvidence, linked: LinkedKernel) -> KernelEvidence:
    """Return the evidence with launches that execute further accesses, on whose conditions contents decide."""
    usable = _usable(runs, evidence)
    if not usable:
        return evidence
    base = usable[0]
    further: list[LaunchEvidence] = []
    with suppress(KernelError):  # what ended until then is what is known
        further.extend(_reaching(runs, evidence, linked, base))
    return replace(evidence, launches=(*evidence.launches, *further)) if further else evidence


def with_mixed(runs: KernelRuns, evidence: KernelEvidence, linked: LinkedKernel) -> KernelEvidence:
    """Return the evidence with a launch with contents of several buffers that fit one another, if it executes more."""
    usable = _usable(runs, evidence)
    if not usable:
        return evidence
    # Of few elements, none may fulfill all conditions.
    base = next((item for item in usable if item.launch.shape.threads >= MIXED), usable[-1])
    executed = _executed(runs, evidence)
    if all(id(op) in executed for op in linked.slicer.ops if isinstance(op.form, Access)):
        return evidence
    mixed = mixed_contents(linked, runs.spec, _synthesized(base))
    if mixed is None:
        return evidence
    with suppress(KernelError):
        spec = replace(runs.spec, mixed=mixed, vary=False)
        item = _run(runs, base, spec, mixed.text)
        known = _with_certain_races(item, linked, executed) if not ran_ops(runs.program, item) <= executed else None
        return replace(evidence, launches=(*evidence.launches, known)) if known is not None else evidence
    return evidence


def _usable(runs: KernelRuns, evidence: KernelEvidence) -> list[LaunchEvidence]:
    """Return the launches that may run again with other contents; none if the budget is over.

    Smaller ones are first, and those that the kernel need not support last.
    """
    usable = [item for item in evidence.launches if not item.launch.shape.sample and item.results[0].error is None]
    return (
        []
        if runs.budget.is_spent
        else sorted(usable, key=lambda item: (item.launch.is_special, item.launch.shape.threads))
    )


def _executed(runs: KernelRuns, evidence: KernelEvidence) -> frozenset[int]:
    return frozenset[int]().union(*(ran_ops(runs.program, item) for item in evidence.launches))


def _synthesized(base: LaunchEvidence) -> set[str]:
    return {buffer.name for buffer in base.arguments.buffers if buffer.values is Origin.CHOSEN}


def _reaching(
    runs: KernelRuns, evidence: KernelEvidence, linked: LinkedKernel, base: LaunchEvidence
) -> Iterator[LaunchEvidence]:
    """Yield the launches that execute accesses which none before them has executed."""
    executed = _executed(runs, evidence)
    missing = [op for op in linked.slicer.ops if isinstance(op.form, Access) and id(op) not in executed]
    chosen = _synthesized(base)
    tried = 0
    for contents in condition_values(linked, missing, _parameter_bytes(base)) if missing else ():
        if runs.budget.is_half_spent or tried >= MOST_LAUNCHES or all(id(op) in executed for op in missing):
            return
        if not contents.values.keys() <= chosen:
            continue
        tried += 1
        spec = replace(runs.spec, uniform=contents.values, vary=False)
        item = _run(runs, base, spec, contents.text)
        ran = ran_ops(runs.program, item)
        known = _with_certain_races(item, linked, executed) if not ran <= executed else None
        if known is not None:
            executed |= ran
            yield known


def _run(runs: KernelRuns, base: LaunchEvidence, spec: ArgumentSpec, text: str) -> LaunchEvidence:
    note = ", ".join(filter(None, (base.launch.note, f"chosen contents: {text}")))
    return replace(runs, spec=spec, patient=False).one_launch(replace(base.launch, note=note))


def _with_certain_races(item: LaunchEvidence, linked: LinkedKernel, executed: frozenset[int]) -> LaunchEvidence | None:
    """Return a launch with those of its races that are certain; None if there are none, but other faults."""
    result = item.results[0]
    faults = [hazard for hazard in result.hazards if hazard.kind not in _NO_FAULTS]
    certain = tuple(hazard for hazard in faults if _is_certain(hazard, linked, executed))
    if result.error is not None or (faults and not certain):
        return None
    return replace(item, results=(replace(result, hazards=certain),))


def _is_certain(hazard: Hazard, linked: LinkedKernel, executed: frozenset[int]) -> bool:
    """Whether one of two racing accesses was executed before, and the other one was not.

    Or neither was, in shared memory of a block whose threads all take the same branches on contents.
    """
    if hazard.kind not in RACES or hazard.other is None:
        return False
    both = (hazard.instruction, hazard.other)
    before = [any(id(op) in executed for op in linked.slicer.ops_of(instruction)) for instruction in both]
    if any(before):
        return not all(before)
    return hazard.space == "shared" and _are_of_whole_block(both, linked.slicer)


def _are_of_whole_block(both: Sequence[PtxInstruction], slicer: Slicer) -> bool:
    """Whether the conditions on contents under which instructions run are the same for all threads of a block."""
    ops = [op for instruction in both for op in slicer.ops_of(instruction)]
    branches = {id(branch): branch for op in ops for branch in slicer.all_conditions(op)}
    guarded = [*branches.values(), *(op for op in ops if op.guard is not None)]
    conditions = [slicer.of([op], address_only=True) for op in guarded]
    return not any((item.contents or item.unknown) and item.thread for item in conditions)


def _parameter_bytes(item: LaunchEvidence) -> bytes:
    """Return the bytes of the parameters, with zeros in place of addresses."""
    arguments, data = item.arguments, bytearray()
    for start, value in zip(arguments.offsets, arguments.parameters, strict=True):
        data[len(data) :] = bytes(start - len(data)) + value.data
    return bytes(data)

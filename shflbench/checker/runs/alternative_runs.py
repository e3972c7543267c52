"""Launches again with other values for what nobody gave, where a fault may say only that the first ones do not fit."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from shflbench.checker.inputs.alternatives import (
    ALTERNATIVES,
    AS_USUAL,
    OF_NUMBERS,
    SHORT,
    SHORT_BY_CONTENTS,
    of_ranges,
)
from shflbench.checker.inputs.default_launches import shorter
from shflbench.checker.runs.evidence import did_not_end
from shflbench.checker.runs.long_loops import is_free_of_arguments
from shflbench.checker.runs.sites import executors_of
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.machine.scheduler import StepLimitError
from shflbench.emulator.races.hazards import RACES, HazardKind
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.alternatives import Alternative
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence
    from shflbench.checker.runs.kernel_runs import KernelRuns
    from shflbench.checker.runs.sites import Site

MOST_LAUNCHES = 3  # that run with other values
MOST_UNENDED = 2  # runs that do not end either, after which smaller values are tried
_NO_FAULTS = {HazardKind.ACTIVEMASK, HazardKind.UNORDERED}


class Causes(Enum):
    """What decides on the faults for which other values are tried."""

    NUMBERS = "chosen numbers alone"
    CONTENTS = "the contents or the size of a buffer"
    UNKNOWN = "something else"


def with_alternatives(
    runs: KernelRuns,
    evidence: KernelEvidence,
    failed: Sequence[LaunchEvidence],
    sites: Sequence[Site],
    causes: Causes,
) -> KernelEvidence:
    """Return the evidence with the launches that `failed` as they run without a fault, if values for that are known.

    Each of them executes all ops of one of the `sites`, and the first one runs under all schedules if no other did.
    Which values are tried first follows from the `causes` of the faults.
    """
    by_contents = (*of_ranges(runs.spec.layouts.values()), *ALTERNATIVES)
    values = OF_NUMBERS if causes is Causes.NUMBERS else by_contents
    short = SHORT_BY_CONTENTS if causes is Causes.CONTENTS else SHORT
    plans = {id(item.launch): item for item in failed}
    open_ = [item for item in plans.values() if not _depends_on_nothing(item, runs)]
    smallest = sorted(open_, key=lambda item: item.launch.shape.threads)[:MOST_LAUNCHES]
    tries = [(shorter(item.launch), short) if did_not_end(item) else (item.launch, values) for item in smallest]
    return _with(runs, evidence, tries, sites)


def with_shorter(
    runs: KernelRuns, evidence: KernelEvidence, launches: Sequence[PlannedLaunch], sites: Sequence[Site]
) -> KernelEvidence:
    """Return the evidence with shorter launches in place of those that the budget ended, if they have no fault."""
    smallest = sorted(launches, key=lambda item: item.shape.threads)[:1]
    more = _with(runs, evidence, [(shorter(launch), SHORT) for launch in smallest], sites)
    ended = len(more.launches) > len(evidence.launches)
    unfinished = evidence.ended_by.message if evidence.ended_by is not None else ""
    return replace(more, ended_by=None, unfinished=unfinished) if ended else evidence


def _with(
    runs: KernelRuns,
    evidence: KernelEvidence,
    tries: Sequence[tuple[PlannedLaunch, Sequence[Alternative]]],
    sites: Sequence[Site],
) -> KernelEvidence:
    again = replace(runs, budget=replace(runs.budget, spent=0.0, longest=0.0), patient=False)
    fitting: list[LaunchEvidence] = []
    try:
        for launch, alternatives in tries:
            fitting.extend(_alternatives(again, launch, alternatives, sites))
        if fitting and not any(len(item.results) > 1 for item in evidence.launches):
            fitting[0] = again.under_all_schedules(fitting[0])
    except KernelError:
        pass  # what ended until then is what is known
    of_file = runs.budget.of_file
    unfinished = of_file.error.message if of_file.is_over else evidence.unfinished
    return replace(evidence, launches=(*evidence.launches, *fitting), unfinished=unfinished)


def _alternatives(
    runs: KernelRuns, launch: PlannedLaunch, alternatives: Sequence[Alternative], sites: Sequence[Site]
) -> Iterator[LaunchEvidence]:
    """Yield a launch with other values, as often as it executes a further one of the sites without a fault.

    A race in a shorter launch whose threads all have work is no fault of the values: with fewer, it may not happen.
    """
    missing, unended = list(sites), 0
    for alternative in alternatives:
        if not missing or unended > MOST_UNENDED or (runs.budget.is_spent and not unended):
            return
        spec = replace(runs.spec, alternative=alternative, vary=False)
        note = ", ".join(filter(None, (launch.note, alternative.text)))
        item = replace(runs, spec=spec).one_launch(replace(launch, note=note))
        item = replace(item, has_other_numbers=alternative.has_other_numbers)
        if alternative is AS_USUAL and any(hazard.kind in RACES for hazard in item.hazards):
            yield item
            continue
        if did_not_end(item):
            unended += 1
            continue
        executors = executors_of(runs.program, item)
        rest = [site for site in missing if not site.is_refuted(item, executors)]
        if len(rest) < len(missing) and not _has_fault(item):
            missing = rest
            yield item


def _depends_on_nothing(item: LaunchEvidence, runs: KernelRuns) -> bool:
    """Whether a launch that did not end takes as many instructions with all values that nobody gave."""
    if shorter(item.launch).shape != item.launch.shape:
        return False
    slicer = Slicer(runs.program)
    errors = [result.error for result in item.results if isinstance(result.error, StepLimitError)]
    return bool(errors) and all(is_free_of_arguments(error, slicer) for error in errors)


def _has_fault(item: LaunchEvidence) -> bool:
    return item.results[0].error is not None or any(hazard.kind not in _NO_FAULTS for hazard in item.hazards)

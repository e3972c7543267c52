"""Go on after a fault: what else happens in a launch that an access out of bounds or misaligned has stopped."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.dropped import DroppedAccesses
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.scheduler import StepLimitError
from shflbench.emulator.races.hazards import MEMORY_FAULTS, RACES, Hazard, HazardKind, HazardLog
from shflbench.emulator.races.watched import PART_OF_ENDLESS, ScheduledRun, Watch, hazard_of

COUNTED = {*RACES, HazardKind.SAME_VALUE, *MEMORY_FAULTS}


@dataclass(frozen=True, slots=True)
class AfterFaults:
    """The faults of a launch that dropped accesses, and what else happened after the first one."""

    faults: tuple[KernelFault, ...]
    hazards: tuple[Hazard, ...]


def past_faults(
    run: ScheduledRun, before: Iterable[Hazard], depends_on_memory: Callable[[Op], bool] = lambda _: True
) -> AfterFaults:
    """Run a launch again that an access out of bounds or misaligned has stopped, and drop such accesses.

    Return the faults and races that happen besides the hazards `before`, as far as no value plays a part that a dropped
    load should have returned (`machine/dropped.py`); `depends_on_memory` says whether they decide on an access.
    Nothing else that happens after a fault counts: that threads wait for one another, end, or read what nothing has
    written may follow from the values that are missing.
    """
    log, watch, launch = HazardLog(), Watch(), run.launch
    dropped = DroppedAccesses(launch.program, launch.shape, depends_on_memory)
    _, ended = run.execute(partial(watch.start, log), dropped)
    watch.finish()
    if cells := watch.conflicts.cells() if watch.conflicts is not None else {}:
        tracking, again = Watch(), DroppedAccesses(launch.program, launch.shape)
        if isinstance(ended, StepLimitError):
            run = replace(run, step_limit=run.step_limit // PART_OF_ENDLESS)
        run.execute(partial(tracking.track, log, cells), again)
        tracking.finish()
    for fault in dropped.faults:
        if fault.op is not None:
            log.merge(hazard_of(fault, fault.op))
    known = HazardLog.of(before)
    later = [item for item in log.list() if item.kind in COUNTED and not known.has(item)]
    return AfterFaults(tuple(dropped.faults), tuple(replace(item, after_fault=True) for item in later))

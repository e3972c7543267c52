"""Group the hazards of all launches: each kind at each place once, with the launches in which it happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.verdict import Level
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.races.hazards import Hazard, hazard_key
from shflbench.emulator.races.watched import hazard_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.races.hazards import HazardKey, HazardKind


@dataclass(frozen=True, slots=True)
class Observation:
    """One kind of hazard at one place: its first occurrence, all launches in which it happened, and its severity."""

    hazard: Hazard
    launches: tuple[LaunchEvidence, ...]
    in_lockstep: bool  # under the first schedule of one of them
    fault: KernelFault | None = None  # of the first occurrence, if it is a fault of the kernel
    after: Observation | None = None  # the fault that it always happened after
    level: Level = Level.NONE  # until it is judged, and where it says nothing
    causes: tuple[str, ...] = ()  # the options that would settle it
    undecided: str = ""  # why a loop that did not end within the limit of instructions may end
    removed: bool = False  # a store takes part that the optimizer removed
    unsupported_input: tuple[str, ...] = ()  # the causes, where it says only that they do not fit
    unspecified: bool = False  # it says nothing, because nothing specifies the launches in which it happened

    @property
    def kind(self) -> HazardKind:
        """The kind of hazard."""
        return self.hazard.kind


def observations(launches: Sequence[LaunchEvidence]) -> list[Observation]:
    """Return the hazards of `launches`, in the order in which they first happened."""
    first: dict[HazardKey, tuple[Hazard, KernelFault | None]] = {}
    where: dict[HazardKey, dict[int, LaunchEvidence]] = {}
    lockstep, direct = set(), set()
    for number, launch in enumerate(launches):
        for order, result in enumerate((*launch.results, *launch.partial)):
            fault = result.error if isinstance(result.error, KernelFault) else None
            hazards = list(result.hazards)
            if fault is not None and fault.op is not None and not any(_is_of(hazard, fault.kind) for hazard in hazards):
                hazards.append(_hazard(fault))
            for hazard in hazards:
                stopped = _fault_of(hazard, result)
                key = hazard_key(hazard)
                seen, fault_seen = first.setdefault(key, (hazard, stopped))
                if not hazard.after_fault:
                    direct.add(key)
                if seen.one_store and not hazard.one_store:
                    first[key] = replace(seen, one_store=False), fault_seen
                where.setdefault(key, {})[number] = launch
                if not order:
                    lockstep.add(key)
    return [
        Observation(
            hazard,
            tuple(where[key].values()),
            key in lockstep,
            fault,
            None if key in direct else _first_fault(*where[key].values()),
        )
        for key, (hazard, fault) in first.items()
    ]


def _fault_of(hazard: Hazard, result: ScheduleResult) -> KernelFault | None:
    """Return the fault that a hazard reports, if it is one."""
    faults = [fault for fault in (result.error, *result.faults) if isinstance(fault, KernelFault)]
    same = [fault for fault in faults if _is_of(hazard, fault.kind)]
    there = [fault for fault in same if fault.op is not None and fault.op.instruction is hazard.instruction]
    return next(iter((*there, *same)), None)


def _first_fault(*launches: LaunchEvidence) -> Observation | None:
    """Return the fault that stopped the first launch under its first schedule."""
    fault = launches[0].results[0].error
    if not isinstance(fault, KernelFault) or fault.op is None:
        return None
    return Observation(_hazard(fault), launches, in_lockstep=True, fault=fault)


def _is_of(hazard: Hazard, kind: FaultKind) -> bool:
    return hazard.kind.name == kind.name


def _hazard(fault: KernelFault) -> Hazard:
    if fault.op is None:  # impossible: the caller asks for it
        raise AssertionError(fault)
    return replace(hazard_of(fault, fault.op), is_observed=False)

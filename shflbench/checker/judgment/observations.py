"""Group the hazards of all launches: each kind at each place once, with the launches in which it happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.backends.emulator.machine.faults import FaultKind, KernelFault
from shflbench.backends.emulator.races.hazards import Hazard, HazardKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence


@dataclass(frozen=True, slots=True)
class Observation:
    """One kind of hazard at one place: its first occurrence, and all launches in which it happened."""

    hazard: Hazard
    launches: tuple[LaunchEvidence, ...]
    in_lockstep: bool  # under the first schedule of one of them
    fault: KernelFault | None = None  # of the first occurrence, if it stopped the kernel

    @property
    def kind(self) -> HazardKind:
        """The kind of hazard."""
        return self.hazard.kind


def observations(launches: Sequence[LaunchEvidence]) -> list[Observation]:
    """Return the hazards of `launches`, in the order in which they first happened."""
    first: dict[tuple[HazardKind, str, str], tuple[Hazard, KernelFault | None]] = {}
    where: dict[tuple[HazardKind, str, str], dict[int, LaunchEvidence]] = {}
    lockstep = set()
    for number, launch in enumerate(launches):
        for order, result in enumerate((*launch.results, *launch.partial)):
            fault = result.error if isinstance(result.error, KernelFault) else None
            hazards = list(result.hazards)
            if fault is not None and fault.op is not None and not any(_is_of(hazard, fault.kind) for hazard in hazards):
                hazards.append(_hazard(fault))
            for hazard in hazards:
                other = hazard.other.where if hazard.other else ""
                key = (hazard.kind, hazard.instruction.where, other)
                stopped = fault if fault is not None and _is_of(hazard, fault.kind) else None
                seen, fault_seen = first.setdefault(key, (hazard, stopped))
                if seen.one_store and not hazard.one_store:
                    first[key] = replace(seen, one_store=False), fault_seen
                where.setdefault(key, {})[number] = launch
                if not order:
                    lockstep.add(key)
    return [
        Observation(hazard, tuple(where[key].values()), key in lockstep, fault)
        for key, (hazard, fault) in first.items()
    ]


def _is_of(hazard: Hazard, kind: FaultKind) -> bool:
    return hazard.kind.name == kind.name


def _hazard(fault: KernelFault) -> Hazard:
    if fault.op is None:  # impossible: the caller asks for it
        raise AssertionError(fault)
    space = fault.op.place.space if fault.op.place is not None else ""
    return Hazard(
        kind=HazardKind[fault.kind.name],
        instruction=fault.op.instruction,
        other=None,
        threads=fault.threads,
        count=1,
        space=space,
        detail=fault.detail,
        buffer=fault.buffer,
    )

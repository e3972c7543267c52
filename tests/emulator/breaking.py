"""The hazards that make a kernel wrong, and not only doubtful or dependent on the schedule."""

from shflbench.checker.finding_kinds import KINDS
from shflbench.checker.verdict import Level
from shflbench.emulator.explore import Exploration
from shflbench.emulator.races.hazards import Hazard


def breaks(hazard: Hazard) -> bool:
    return KINDS[hazard.kind].level is Level.ERROR


def breaking(report: Exploration) -> tuple[Hazard, ...]:
    return tuple(filter(breaks, report.hazards))

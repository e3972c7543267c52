"""One observation with its severity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.verdict import Level


@dataclass(frozen=True, slots=True)
class JudgedObservation:
    """One observation, its severity, and the options that would settle it."""

    observation: Observation
    level: Level
    causes: tuple[str, ...] = ()
    undecided: str = ""  # why a loop that did not end within the limit of instructions may end
    removed: bool = False  # a store takes part that the optimizer removed
    misfit: tuple[str, ...] = ()  # the causes, where it says only that they do not fit

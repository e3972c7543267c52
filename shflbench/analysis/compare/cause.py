"""A possible cause of a slower or faster case, and everything that is known of the case on both sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Row
    from shflbench.store.kernel_archive import CompilerCall, StoredKernel
    from shflbench.store.limits_file import CaseLimit


class CauseKind(StrEnum):
    """What changed: first the effects on the kernel, the most specific one first, then where they come from."""

    SPILLS = "spills"
    LOCAL_MEMORY = "local-memory"
    OCCUPANCY = "occupancy"
    GRID = "grid"
    INSTRUCTIONS = "instructions"
    MACHINE_CODE = "machine-code"  # in another way than by instructions that explain the change
    LIMIT = "limit"  # the lower bound of the time, or what sets it
    MODEL = "model"  # the time that the model predicts
    SOURCE = "source"
    COMPILER = "compiler"
    OPTIONS = "options"  # of the compiler
    CLOCK = "clock"
    SAME_CODE = "same-code"  # the cause is outside the kernel


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely cause of a change: it goes with the change, which does not prove it."""

    kind: CauseKind
    sentence: str
    changes: tuple[str, ...] = ()  # the entries of `ChangeVerdict.why` that the sentence contains in its own words


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """What one side recorded of a case; None where it is unknown, or where the runs of the side disagree."""

    row: Row
    kernel: StoredKernel | None = None
    compiler: CompilerCall | None = None
    texts: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # of the kernel's sources, by file
    limit: CaseLimit | None = None
    driver: str | None = None
    gpu: str | None = None  # UUID


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that takes `ratio` times as long on the new side as on the base side."""

    base: CaseRecord
    new: CaseRecord
    ratio: float

    @property
    def same_code(self) -> bool | None:
        """Whether both sides ran the same machine code; None if that is unknown."""
        if self.base.kernel is None or self.new.kernel is None:
            return None
        return self.base.kernel.code_hashes == self.new.kernel.code_hashes

    @property
    def sign(self) -> int:
        """The direction of the change: 1 if the case is slower, -1 if it is faster."""
        return 1 if self.ratio > 1 else -1

    def explained_by(self, factor: float, share: float) -> bool:
        """Return whether a factor of the time has the direction of the change, and at least this share of its size."""
        return self.sign * (factor - 1) >= share * abs(self.ratio - 1)

"""Look up what the suite `opponents` measured at a setting: all variants beside one another, hybrids included.

Its runs are kept as one time per variant, see `records/opponents.py`. Kernels of earlier runs are on the same sides as
those of today, so that the machine code of a library's kernel there says what it exchanges through.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import TIE, times
from shflbench.core.model import Mechanism
from shflbench.store import find_runs, read_run
from tools.docs.records.opponents import RECORD, Timed, rivals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.store import Row

RESULTS = Path(__file__).parents[2] / "results"
RECORDS = {record["device"].split()[1].lower(): record for record in json.loads(RECORD.read_text(encoding="utf-8"))}
MODELS = ("nvidia-h100", "nvidia-h200")  # of the reference runs
COLLECTIVE = ("REDUX", "CREDUX", "VOTE", "MATCH")


def side(row: Row) -> str:
    """Return what a variant exchanges values through: its mechanism, or of a library what its loop executes."""
    if row.mechanism != Mechanism.LIBRARY:
        return row.mechanism
    counts = row.sass_per_iteration or {}
    if any(counts.get(opcode) for opcode in COLLECTIVE):
        return Mechanism.COLLECTIVE.value
    shared, shuffles = bool(counts.get("STS")), bool(counts.get("SHFL"))
    if shared or shuffles:
        return (Mechanism.HYBRID if shared and shuffles else Mechanism.SMEM if shared else Mechanism.SHFL).value
    return row.mechanism


@cache
def library_sides() -> Mapping[tuple[str, str, str], str]:
    """Return the sides of the library calls of all committed runs, by pattern, dtype and variant."""
    rows = (row for folder in find_runs([RESULTS]) if folder.name in MODELS for row in read_run(folder).rows)
    calls = (row for row in rows if row.mechanism == Mechanism.LIBRARY and row.sass_per_iteration)
    return {(row.pattern, row.dtype, row.variant): side(row) for row in calls}


@cache
def _waiting() -> frozenset[tuple[str, str]]:
    """Return the patterns and variants whose loop has block barriers, of all committed runs."""
    rows = (row for folder in find_runs([RESULTS]) if folder.name in MODELS for row in read_run(folder).rows)
    return frozenset((row.pattern, row.variant) for row in rows if (row.sass_per_iteration or {}).get("BAR"))


def waits(one: Timed) -> bool:
    """Whether a variant waits at block barriers in each iteration."""
    return (one.setting.split()[0], one.variant) in _waiting()


@dataclass(frozen=True, slots=True)
class Beside:
    """The safe variants at a setting of the suite `opponents`, the fastest first."""

    variants: Sequence[Timed]

    def side(self, one: Timed) -> str:
        """Return what a variant exchanges values through."""
        pattern, dtype, *_ = one.setting.split()
        return library_sides().get((pattern, dtype, one.variant), one.mechanism)

    @property
    def own(self) -> list[Timed]:
        """The variants that call no library."""
        return [one for one in self.variants if one.mechanism != Mechanism.LIBRARY]

    @property
    def leaders(self) -> list[Timed]:
        """The fastest, and those that take as long."""
        return [one for one in self.own if one.time <= self.own[0].time * (1 + TIE)]

    @property
    def faster_libraries(self) -> list[Timed]:
        """The library calls that take less time than any variant of our own."""
        limit = self.own[0].time / (1 + TIE)
        return [one for one in self.variants if one.mechanism == Mechanism.LIBRARY and one.time < limit]

    def best(self) -> str:
        """Name the fastest variants, and the library calls that take as long or less."""
        names = ", ".join(sorted(f"`{one.variant}`" for one in self.leaders))
        calls = ", ".join(f"`{one.variant}`{self._gain(one)}" for one in self.as_fast_libraries)
        return f"{names} (also {calls})" if calls else names

    @property
    def as_fast_libraries(self) -> list[Timed]:
        """The library calls that take as long as the fastest variant of our own, or less."""
        limit = self.own[0].time * (1 + TIE)
        return [one for one in self.variants if one.mechanism == Mechanism.LIBRARY and one.time <= limit]

    def _gain(self, call: Timed) -> str:
        return f" {times(self.own[0].time / call.time)}" if call in self.faster_libraries else ""

    @property
    def next_side(self) -> Timed | None:
        """The fastest variant that exchanges through something else than all leaders do.

        It may be of a library, unless a variant of our own takes as long.
        """
        sides = {self.side(one) for one in self.leaders}
        others = [one for one in self.variants if self.side(one) not in sides]
        as_fast = [one for one in others if one.time <= others[0].time * (1 + TIE)]
        return min(as_fast, key=lambda one: one.mechanism == Mechanism.LIBRARY, default=None)

    def best_of(self, kind: Mechanism) -> Timed | None:
        """Return the fastest variant of a kind."""
        return next((one for one in self.variants if self.side(one) == kind.value), None)

    def faster(self) -> str | None:
        """Return which kind has the faster variant: `shfl`, `smem` or `tie`; None unless both have one."""
        shfl, smem = self.best_of(Mechanism.SHFL), self.best_of(Mechanism.SMEM)
        if shfl is None or smem is None:
            return None
        first, second = sorted((shfl, smem), key=lambda one: one.time)
        return "tie" if second.time <= first.time * (1 + TIE) else self.side(first)


def beside(setting: str, model: str) -> Beside | None:
    """Return the variants at a setting, such as `reduce f32 sms x 32 width=32`, on an `h100` or `h200`."""
    record = RECORDS[model]
    return Beside(rivals(record, setting)) if setting in record["settings"] else None


def all_settings(model: str) -> Mapping[str, Beside]:
    """Return all settings of a GPU."""
    return {setting: Beside(rivals(RECORDS[model], setting)) for setting in RECORDS[model]["settings"]}

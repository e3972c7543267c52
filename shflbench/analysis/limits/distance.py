"""Whether the limit of a case says how much there is to gain: not where something else takes most of its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import UNPUBLISHED
from shflbench.analysis.settings import one_pass
from shflbench.core.words import one_or_many
from shflbench.store.limits_file import SEPARATOR

if TYPE_CHECKING:
    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit


def is_unreached(row: Row, limit: CaseLimit) -> bool:
    """Return whether no throughput limit is reached.

    The limit is less than half of the time, and lacks latency, as that of a kernel of one pass, or a unit that decides.
    """
    omitted = set((limit.omitted or "").split(SEPARATOR))
    return limit.is_far and (one_pass(row) or bool(omitted & UNPUBLISHED))


def unreached_words(cases: int) -> str:
    """Return what takes the time of cases whose limit is not reached."""
    return f"latency, or what a limit leaves out, takes most of {one_or_many(cases, 'its', 'their')} time"

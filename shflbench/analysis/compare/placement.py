"""How much the physical pages of its buffers change the time of a kernel that waits for memory."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from shflbench.analysis.compare.rule import Contrast
    from shflbench.store import Row

# The largest differences between two sides of unchanged code in five batches, divided by √(1/P_base + 1/P_new): 0.30 µs
# for passes over memory of 5 to 20 µs, and 3.7% for a chain of loads from the L2 cache (benchmarks/places.md).
OF_PASS_US = 0.3
OF_CHAIN = 0.037
MOST = 0.03  # of the time, with any number of processes: a larger change is found, whatever the pages


class PageUse(StrEnum):
    """Why the time of a kernel depends on the pages of its buffers."""

    NONE = "none"  # it does not
    PASS = "pass"  # noqa: S105  (no password): it passes over its data once
    CHAIN = "chain"  # its loop waits for L2 or DRAM


def page_use(row: Row) -> PageUse:
    """Return how a case of shflbench depends on pages: its pattern declares it."""
    if one_pass(row):
        return PageUse.PASS
    return PageUse.CHAIN if _is_declared(row.pattern, row.variant) else PageUse.NONE


@cache
def _is_declared(pattern: str, variant: str) -> bool:
    """Whether a shipped pattern declares that the loop of a variant waits for memory."""
    folder = builtin().get(pattern)
    declared = load(folder).declaration.variants if folder else ()
    return any(other.name == variant and other.waits_for_memory for other in declared)


def with_placement(contrast: Contrast, use: PageUse) -> Contrast:
    """Return the case with the change that other pages may cause."""
    times_us = [float(side.values.mean()) for side in (contrast.base, contrast.new)]
    effect = {PageUse.NONE: 0.0, PageUse.PASS: OF_PASS_US / min(times_us), PageUse.CHAIN: OF_CHAIN}[use]
    share = math.sqrt(1 / len(contrast.base) + 1 / len(contrast.new))
    return replace(contrast, placement=min(MOST, effect * share))

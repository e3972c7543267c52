"""How much the physical pages of its buffers change the time of a kernel that waits for memory."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.compare.rule import Contrast
    from shflbench.store import Row, RunInfo

# The largest differences between two sides of unchanged code in five batches, divided by √(1/P_base + 1/P_new): 0.30 µs
# for passes over memory of 5 to 20 µs, and 3.7% for a chain of loads from the L2 cache. Three later batches did not
# exceed them (benchmarks/earlier.md).
OF_PASS_US = 0.3
OF_CHAIN = 0.037
MOST = 0.03  # of the time, with any number of processes: a larger change is found, whatever the pages


class PageUse(StrEnum):
    """Why the time of a kernel depends on the pages of its buffers."""

    NONE = "none"  # it does not
    PASS = "pass"  # noqa: S105  (no password): it passes over its data once
    CHAIN = "chain"  # its loop waits for L2 or DRAM


def recorded_waits(infos: Iterable[RunInfo]) -> frozenset[str] | None:
    """Return the variants that the runs recorded as waiting for memory; None if one of them did not record any."""
    recorded = [info.waits_for_memory for info in infos]
    return None if None in recorded else frozenset(chain.from_iterable(filter(None, recorded)))


def page_use(row: Row, waits: frozenset[str] | None = None) -> PageUse:
    """Return how a case of shflbench depends on pages: its pattern declares it.

    `waits` are the declarations that the run recorded; without them, as of older runs, those of the shipped patterns.
    """
    if one_pass(row):
        return PageUse.PASS
    declared = _is_declared(row.pattern, row.variant) if waits is None else f"{row.pattern}/{row.variant}" in waits
    return PageUse.CHAIN if declared else PageUse.NONE


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

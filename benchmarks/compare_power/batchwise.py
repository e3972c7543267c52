"""The requirements of the default mode, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.common.pages import table
from benchmarks.compare_power.draws import DEFAULT
from benchmarks.compare_power.requirements import TWO, slowed_by
from benchmarks.compare_power.tally import LONG, MIDDLE, alarmed, pooled, undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.compare_power.evidence import Evidence

HEAD = (
    "batch",
    "comparisons",
    "alarmed",
    "open, 10–50 µs",
    "open, ≥ 50 µs",
    f"{TWO}, 10–50 µs",
    f"{TWO}, ≥ 50 µs",
)


def batchwise(evidence: Evidence) -> str:
    """Return the table."""
    return table(HEAD, _lines(evidence))


def _lines(evidence: Evidence) -> Iterator[list[str]]:
    for batch in evidence.batches:
        processes = set(batch.processes(0))
        draws = [drawn for drawn in evidence.unchanged[DEFAULT] if drawn.processes <= processes]
        still = undecided(draws, evidence.times_us)
        cases = [case for case in evidence.slowed[DEFAULT] if case.batch == batch.name]
        shares = (pooled(slowed_by(cases, TWO, kind)) for kind in (MIDDLE, LONG))
        cells = (alarmed(draws), still[MIDDLE], still[LONG], *shares)
        yield [f"`{batch.name}`", str(len(draws)), *map(str, cells)]

"""Faults of a device that its rows show: wrong results, throttling, heat, and a run that ended early."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis.fleet.report import Outlier, OutlierKind
from shflbench.core.model import Status
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.fleet.record import BadRow, DeviceRecord

# A device is hot if it is this much warmer than the median of its model: a choice, because the places of a chassis
# differ in their cooling.
HOT_C = 15.0
# A device is throttled if this share of its cases was, beyond the share of the median device of its model: models whose
# power limit is below what a suite needs are throttled everywhere.
THROTTLED = 0.1


def shared_failures(records: Sequence[DeviceRecord]) -> frozenset[str]:
    """Return the cases that failed on several devices, and were right on fewer: the case is at fault, not a device."""
    bad = Counter(row.case_id for record in records for row in record.bad)
    right = Counter(case_id for record in records for case_id in record.right if case_id in bad)
    return frozenset(case_id for case_id, count in bad.items() if count > 1 and count > right[case_id])


def condition_faults(
    records: Sequence[DeviceRecord], shared: frozenset[str], *, comparable: bool
) -> list[tuple[Outlier, ...]]:
    """Return the findings on each device of a model; heat is relative to its model, if that is `comparable`."""
    shares = [record.throttled_cases / len(record.times.ids) if record.times.ids else 0.0 for record in records]
    usual = median(shares) if comparable else 0.0
    temperatures = [record.temperature_c for record in records if record.temperature_c is not None]
    warm = median(temperatures) if comparable and temperatures else None
    return [
        (
            *_wrong(record, shared),
            *_throttled(record, share, usual),
            *_hot(record, warm),
            *_incomplete(record),
        )
        for record, share in zip(records, shares, strict=True)
    ]


def _wrong(record: DeviceRecord, shared: frozenset[str]) -> Iterator[Outlier]:
    bad = [row for row in record.bad if row.case_id not in shared]
    if bad:
        sentence = f"{' and '.join(_counted(bad))}, first {bad[0].case_id}: {bad[0].reason or bad[0].status}"
        yield Outlier(OutlierKind.WRONG, sentence, tuple(row.case_id for row in bad))


def _counted(bad: Sequence[BadRow]) -> Iterator[str]:
    counts: Mapping[Status, int] = Counter(row.status for row in bad)
    for status, count in sorted(counts.items(), key=lambda item: item[0] is not Status.INCORRECT):
        yield f"{count_noun(count, 'case')} {status}"


def _throttled(record: DeviceRecord, share: float, usual: float) -> Iterator[Outlier]:
    if share - usual >= THROTTLED:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in Counter(record.throttled).most_common())
        of = f"; the median device of its model in {usual:.0%}" if usual else ""
        yield Outlier(
            OutlierKind.THROTTLED,
            f"throttled in {record.throttled_cases} of {len(record.times.ids)} cases: {reasons}{of}",
        )


def _hot(record: DeviceRecord, usual: float | None) -> Iterator[Outlier]:
    if record.temperature_c is not None and usual is not None and record.temperature_c - usual >= HOT_C:
        yield Outlier(OutlierKind.HOT, f"{record.temperature_c:.0f} °C, the median device of its model {usual:.0f} °C")


def _incomplete(record: DeviceRecord) -> Iterator[Outlier]:
    if record.problem:
        yield Outlier(OutlierKind.INCOMPLETE, record.problem)

"""Settings that differ between devices of one model, which may explain why one is slower."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.fleet.report import OutlierKind
from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.fleet.record import DeviceRecord
    from shflbench.analysis.fleet.report import Outlier

LISTED = 3  # values of a setting in a sentence
OF_TIMES = {OutlierKind.SLOW, OutlierKind.NOISY, OutlierKind.THROTTLED}  # findings that a setting may explain


def usual_settings(records: Sequence[DeviceRecord]) -> dict[str, str]:
    """Return the value of each setting that more than half of the devices have."""
    usual = {}
    for name, counts in _counts(records).items():
        value, count = counts.most_common(1)[0]
        if 2 * count > counts.total():
            usual[name] = value
    return usual


def differences(records: Sequence[DeviceRecord]) -> Iterator[str]:
    """Yield a sentence on each setting that is not the same on all devices."""
    for name, counts in _counts(records).items():
        if len(counts) > 1:
            values = [f"{value} ({count})" for value, count in counts.most_common(LISTED)]
            more = [f"{len(counts) - LISTED} more"] if len(counts) > LISTED else []
            yield f"{name} differs; values (devices): {', '.join([*values, *more])}"


def remarks(record: DeviceRecord, usual: Mapping[str, str], findings: Sequence[Outlier]) -> Iterator[str]:
    """Yield what may explain a finding: settings that differ from most devices, the verdict of its runs, and losses."""
    explained = any(finding.kind in OF_TIMES for finding in findings)
    for name, value in record.settings.items():
        if name in usual and usual[name] != value:
            yield f"{'possible cause: ' if explained else ''}{name} {value}, most devices {usual[name]}"
    if record.noise:
        yield f"its run was {record.noise}"
    yield from record.losses


def _counts(records: Sequence[DeviceRecord]) -> dict[str, Counter[str]]:
    """Return how many devices have each value of each setting."""
    items = group_by((item for record in records for item in record.settings.items()), lambda item: item[0])
    return {name: Counter(value for _, value in pairs) for name, pairs in items.items()}

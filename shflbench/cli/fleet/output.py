"""A ranking as text and as JSON."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.fleet.offsets import LEAST_DEVICE
from shflbench.analysis.fleet.time_faults import words
from shflbench.cli.layout import INDENT, Line, Table, wrap_text
from shflbench.core.json_objects import object_of
from shflbench.core.words import count_noun, flat, signed_percent_of_one
from shflbench.schemas.fleet import SCHEMA, DeviceObject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.fleet import DeviceResult, FleetReport, ModelReport
    from shflbench.analysis.fleet.report import CaseTable
    from shflbench.cli.layout import Styled
    from shflbench.schemas.fleet import FleetCase, FleetDocument, FleetModel, FleetOutlier

SLOWEST = 8  # sound devices that are listed with the outliers of a model
COLUMNS = ("device", "slower", "worst pattern", "slow cases", "sentinels", "scatter", "°C", "verdict")


def lines(report: FleetReport, width: int | None, *, every: bool = False) -> list[Styled]:
    """Return the report within `width` columns if given; `every`: with all sound devices."""
    parts = [part for model in report.models for part in _model(model, width, every=every)]
    outliers = [device for _, device in report.outliers()]
    kinds = Counter(kind for device in outliers for kind in _kinds(device))
    compared = sum(_is_compared(device, model) for model in report.models for device in model.devices)
    counted = ": " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) if len(outliers) > 1 else ""
    summary = (
        f"{count_noun(len(outliers), 'outlier')} among {count_noun(report.devices, 'device')}"
        f" (slow from {100 * report.threshold:.3g}%){counted}{_not_compared(report.devices, compared)}"
    )
    style = "bad" if outliers else "good" if compared == report.devices else "doubt"
    return [*parts, *((line, style) for line in wrap_text(summary, width))]


def _is_compared(device: DeviceResult, model: ModelReport) -> bool:
    """Whether times of a device were compared with those of others."""
    return device.slower is not None or (model.by_sentinels and device.sentinels is not None)


def _not_compared(devices: int, compared: int) -> str:
    """Return how many devices were not compared, empty if all were."""
    if compared == devices:
        return ""
    which = "no device were" if not compared else f"{count_noun(devices - compared, 'device')} were not"
    return f"; the times of {which} compared with others"


def _model(model: ModelReport, width: int | None, *, every: bool) -> Iterator[Styled]:
    head = _head(model)
    shown = _shown(model, every=every)
    head_block, *blocks = Table(head, COLUMNS, tuple(_line(device, model) for device in shown)).blocks(width)
    yield from ((text, "") for text in wrap_text(head, width))
    yield from head_block
    for device, block in zip(shown, blocks, strict=True):
        yield from block
        evidence = [f"{finding.kind}: {flat(finding.sentence)}" for finding in device.findings]
        notes = [f"note: {flat(remark)}" for remark in device.remarks]
        yield from ((line, "") for text in (*evidence, *notes) for line in wrap_text(f"{INDENT}{text}", width))
    hidden = Counter(verdict(device, model) for device in model.devices if device not in shown)
    if hidden:
        verdicts = ", ".join(f"{count} {words}" for words, count in hidden.most_common())
        yield f"{INDENT}{count_noun(hidden.total(), 'more device')}: {verdicts} (--all lists them)", ""
    yield from ((line, "") for note in model.notes for line in wrap_text(f"{INDENT}{flat(note)}", width))
    yield "", ""


def _head(model: ModelReport) -> str:
    """Return the heading of a model: how many devices, and how they compare."""
    count = len(model.devices)
    head = f"{flat(model.model)}: {count_noun(count, 'device')}"
    outliers = sum(bool(device.findings) for device in model.devices)
    if outliers and count > SLOWEST:
        head += f", {count_noun(outliers, 'outlier')}"
    if model.comparable and model.spread is not None:
        bound = "at most " if model.spread <= LEAST_DEVICE else ""
        return f"{head}, standard deviation between sound devices {bound}{100 * model.spread:.2f}%"
    if model.by_sentinels:
        return f"{head}, only their sentinels are compared: no four devices have times of the same cases"
    return f"{head}, too few to compare: a model needs four devices with times of the same cases"


def _shown(model: ModelReport, *, every: bool) -> Sequence[DeviceResult]:
    """Return all outliers, then those that are undecided, then the slowest of the others."""
    outliers = [device for device in model.devices if device.findings]
    others = sorted(
        (device for device in model.devices if not device.findings), key=lambda device: not device.undecided
    )
    return [*outliers, *(others if every else others[:SLOWEST])]


def _kinds(device: DeviceResult) -> Iterable[str]:
    return dict.fromkeys(str(finding.kind) for finding in device.findings)


def _line(device: DeviceResult, model: ModelReport) -> Line:
    worst = max(device.patterns.items(), key=lambda item: item[1].value, default=None)
    cells = (
        flat(device.label),
        words(device.slower) if device.slower else "",
        f"{flat(worst[0])} {signed_percent_of_one(worst[1].value)}" if worst else "",
        f"{device.slow_cases} of {device.cases}" if device.slower else "",
        "" if device.sentinels is None else signed_percent_of_one(device.sentinels),
        "" if device.noise_factor is None else f"{device.noise_factor:.2f}×",
        "" if device.temperature_c is None else f"{device.temperature_c:.0f}",
        verdict(device, model),
    )
    return Line(cells, "bad" if device.findings else "doubt" if device.undecided or not model.comparable else "")


def verdict(device: DeviceResult, model: ModelReport) -> str:
    """Return the verdict on a device in a few words."""
    if device.findings:
        return ", ".join(_kinds(device))
    if model.by_sentinels and device.sentinels is not None:
        return "sound by sentinels"
    if not model.comparable:
        return "too few to compare"
    if device.slower is None:
        return "no common times"
    return "undecided" if device.undecided else "sound"


def json_text(report: FleetReport) -> str:
    """Return the report with every case of every device; changes are fractions, 0.03 for 3% slower."""
    models: list[FleetModel] = [
        {
            "model": model.model,
            "comparable": model.comparable,
            "spread": model.spread,
            "by_sentinels": model.by_sentinels,
            "shared_failures": model.shared_failures,
            "notes": model.notes,
            "devices": [object_of(DeviceObject, device, verdict=verdict(device, model)) for device in model.devices],
            "cases": _cases(model.table) if model.table else None,
        }
        for model in report.models
    ]
    outliers: list[FleetOutlier] = [
        {"model": model.model, "device": device.label} for model, device in report.outliers()
    ]
    content: FleetDocument = {
        "schema": SCHEMA,
        "threshold": report.threshold,
        "outliers": outliers,
        "models": models,
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _cases(table: CaseTable) -> list[FleetCase]:
    """Return each case with a list entry per device, in the order of `devices`; null where a device has no time."""
    return [
        {
            "case": case_id,
            "median_us": float(table.medians_us[place]),
            "slower": _numbers(table.slower[:, place].tolist()),
            "half_width": _numbers(table.half_widths[:, place].tolist()),
            "place": _numbers(table.places[:, place].tolist()),
        }
        for place, case_id in enumerate(table.cases)
    ]


def _numbers(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else round(value, 6) for value in values]

"""A fleet as a heat map: devices by patterns, in the colors of slower and faster, a panel per model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from shflbench.analysis.fleet.model_times import FEWEST_DEVICES
from shflbench.analysis.fleet.time_faults import is_slower
from shflbench.core.words import signed_percent_of_one
from shflbench.output.plot.forest import kind_of
from shflbench.output.plot.forest_words import plain
from shflbench.output.plot.heatmap import COLORS
from shflbench.output.plot.page import Caption, Page
from shflbench.output.plot.save import save
from shflbench.output.plot.style import (
    BODY_PT,
    INK,
    MUTED,
    RULE,
    SMALL_PT,
    fit_size,
    house_style,
    ink_on,
    shorten,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from shflbench.analysis.fleet import DeviceResult, FleetReport, ModelReport
    from shflbench.core.model import Interval

MOST_DEVICES = 60  # of all models together: outliers, and the slowest of the others
ALL = "all cases"
_HEADING, _NAMES, _CELL, _BAR, _GAP = 0.3, 1.15, 0.24, 0.75, 0.15  # inches
_LABEL = 1.5  # inches of a pattern's name, which is rotated
_NAME_WIDTH, _FAULT_WIDTH = 0.24, 0.16  # of the page's width, at most, for devices and their faults
_LEAST_SCALE = 0.03  # the colors reach at least to 3%, so that 0.1% does not look like a finding
_MOST_SCALE = 0.2  # a device that is five times slower does not make all others white
_MOST_NAMES = 4  # of models in a note
_CELL_TEXT = 0.42  # inches that a number needs


def draw_fleet(report: FleetReport, path: Path) -> None:
    """Draw a comparable report in the file at `path`, in the format of its suffix; an unchanged file is not touched.

    UsageError if the suffix is none of svg, png and pdf; ResultsError if the file cannot be written.
    """
    kind_of(path)
    with house_style():
        save(draw(report), path, "name a file elsewhere with --chart")


def draw(report: FleetReport) -> Page:
    """Draw a panel for each model that has enough devices: outliers at its top, then the slowest of the others.

    The report has one such model or more.
    """
    models = [model for model in report.models if model.comparable]
    shown = [_shown(model, most) for model, most in zip(models, _shares(models), strict=True)]
    body = sum(_HEADING + _NAMES + len(devices) * _CELL for devices in shown) + _BAR
    page = Page(
        title=_title(report),
        subtitle=("Time of a device ÷ median of its model - 1, in %: over all cases, and over those of each pattern.",),
        caption=Caption(
            f"{report.devices:,} devices; slow from {100 * report.threshold:.3g}% and beyond the model's spread"
        ),
        notes=_notes(report, models, shown),
        body=body,
    )
    scale = _scale(shown)
    top = 0.0
    for model, devices in zip(models, shown, strict=True):
        heading = f"{plain(model.model)}: {_counted(model)}"
        page.text(0, top + 0.06, heading, size=fit_size(heading, page.width, BODY_PT, "bold"))
        _panel(page, top + _HEADING, devices, report.threshold, scale)
        top += _HEADING + _NAMES + len(devices) * _CELL
    bar = page.figure.colorbar(
        ScalarMappable(scale, COLORS.reversed()),
        cax=page.axes(_GAP, top + 0.1, page.width - 2 * _GAP, 0.13),  # its first and last number need space beside it
        orientation="horizontal",
        format=lambda value, _: f"{100 * value:+.3g}%",
    )
    bar.set_label("red is slower than the median of the model, blue is faster", labelpad=2)
    bar.outline.set_visible(False)
    return page


def _shares(models: Sequence[ModelReport]) -> list[int]:
    """Return how many devices of each model are shown: in equal shares, of which small models leave some to others."""
    shares = dict.fromkeys(range(len(models)), 0)
    rest = MOST_DEVICES
    for done, place in enumerate(sorted(shares, key=lambda place: len(models[place].devices))):
        shares[place] = min(len(models[place].devices), max(FEWEST_DEVICES, rest // (len(models) - done)))
        rest -= shares[place]
    return list(shares.values())


def _shown(model: ModelReport, most: int) -> list[DeviceResult]:
    """Return the outliers, then the slowest of the others, at most so many."""
    return sorted(model.devices, key=lambda device: not device.findings)[:most]


def _title(report: FleetReport) -> str:
    outliers = [device for _, device in report.outliers()]
    if not outliers:
        return f"No outlier among {report.devices:,} devices"
    first = outliers[0]
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in first.findings))
    if len(outliers) == 1:
        return f"{plain(first.label)} is an outlier among {report.devices:,} devices: {kinds}"
    return f"{len(outliers)} outliers among {report.devices:,} devices; first {plain(first.label)}: {kinds}"


def _counted(model: ModelReport) -> str:
    outliers = sum(bool(device.findings) for device in model.devices)
    return f"{len(model.devices):,} devices, outliers: {outliers:,}" if outliers else f"{len(model.devices):,} devices"


def _notes(report: FleetReport, models: Sequence[ModelReport], shown: Sequence[Sequence[DeviceResult]]) -> list[str]:
    notes = []
    drawn = [device for devices in shown for device in devices]
    hidden = sum(len(model.devices) for model in models) - len(drawn)
    if hidden:
        outliers = sum(bool(device.findings) for model in models for device in model.devices)
        outliers -= sum(bool(device.findings) for device in drawn)
        notes.append(
            f"Devices not shown: {hidden:,}, of which outliers: {outliers:,}. "
            "Of each model, outliers come first, then the slowest devices."
        )
    few = [model for model in report.models if not model.comparable]
    if few:
        names = ", ".join(f"{plain(model.model)} ({len(model.devices)})" for model in few[:_MOST_NAMES])
        more = f" and {len(few) - _MOST_NAMES} more" if len(few) > _MOST_NAMES else ""
        notes.append(f"Too few devices to compare: {names}{more}.")
    return [*notes, "Framed: slow by the rule."]


def _scale(shown: Sequence[Sequence[DeviceResult]]) -> Normalize:
    """Return the color scale, symmetric about 0."""
    changes = [abs(change.value) for devices in shown for device in devices for change in _cells(device).values()]
    reach = min(_MOST_SCALE, max([_LEAST_SCALE, *changes]))
    return Normalize(-reach, reach)


def _cells(device: DeviceResult) -> dict[str, Interval]:
    overall = {ALL: device.slower} if device.slower else {}
    return {**overall, **device.patterns}


def _panel(page: Page, top: float, devices: Sequence[DeviceResult], threshold: float, scale: Normalize) -> None:
    columns = list(dict.fromkeys(name for device in devices for name in _cells(device)))
    names = [shorten(plain(device.label), _NAME_WIDTH * page.width, SMALL_PT) for device in devices]
    faults = [
        shorten(
            ", ".join(dict.fromkeys(finding.kind for finding in device.findings)), _FAULT_WIDTH * page.width, SMALL_PT
        )
        for device in devices
    ]
    indent = max(width_of(name, SMALL_PT) for name in names) + _GAP
    right = max(width_of(fault, SMALL_PT) for fault in faults) + _GAP
    width = page.width - indent - right
    axes = page.axes(indent, top, width, len(devices) * _CELL)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(devices), 0)
    wide = width / len(columns) >= _CELL_TEXT
    for y, device in enumerate(devices):
        cells = _cells(device)
        for x, name in enumerate(columns):
            _cell(axes, (x, y), cells.get(name), threshold, scale, numbered=wide)
        axes.text(
            len(columns) + _GAP / 2 * len(columns) / width, y + 0.5, faults[y], va="center", size=SMALL_PT, color=INK
        )
    axes.set_yticks([y + 0.5 for y in range(len(devices))], names, size=SMALL_PT)
    labels = [shorten(plain(name), _LABEL, SMALL_PT) for name in columns]
    axes.set_xticks([x + 0.5 for x in range(len(columns))], labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell(  # noqa: PLR0913  (a place, a value, and how it is drawn)
    axes: Axes,
    place: tuple[int, int],
    change: Interval | None,
    threshold: float,
    scale: Normalize,
    *,
    numbered: bool,
) -> None:
    x, y = place
    tone = COLORS.reversed()(scale(change.value)) if change else RULE
    slow = is_slower(change, threshold)
    axes.add_patch(
        Rectangle(
            (x + 0.03, y + 0.06),
            0.94,
            0.88,
            facecolor=tone,
            edgecolor=INK if slow else "none",
            linewidth=1.2 if slow else 0,
        )
    )
    if numbered or change is None:
        words = signed_percent_of_one(change.value).removesuffix("%") if change else "–"
        color = ink_on(tone) if change else MUTED
        axes.text(x + 0.5, y + 0.5, words, ha="center", va="center_baseline", size=SMALL_PT - 1, color=color)

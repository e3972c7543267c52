"""A fleet as a heat map: devices by patterns, in the colors of slower and faster, a panel per model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from shflbench.analysis.fleet.time_faults import is_slower, signed
from shflbench.errors import ResultsError
from shflbench.plot.forest import kind_of
from shflbench.plot.heatmap import COLORS
from shflbench.plot.page import Caption, Page
from shflbench.plot.save import save
from shflbench.plot.style import BODY_PT, INK, MUTED, RULE, SMALL_PT, fit_size, house_style, ink_on, shorten, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from shflbench.analysis.fleet import DeviceResult, FleetReport, ModelReport
    from shflbench.model import Interval

MOST_DEVICES = 30  # per model: the outliers and the slowest of the others
ALL = "all cases"
_HEADING, _NAMES, _CELL, _BAR, _GAP = 0.3, 1.15, 0.24, 0.75, 0.15  # inches
_NAME_WIDTH, _FAULT_WIDTH = 0.24, 0.16  # of the page's width, at most, for devices and their faults
_LEAST_SCALE = 0.03  # the colors reach at least to 3%, so that 0.1% does not look like a finding
_MOST_SCALE = 0.2  # a device that is five times slower does not make all others white
_CELL_TEXT = 0.42  # inches that a number needs


def draw_fleet(report: FleetReport, path: Path) -> None:
    """Draw the report in the file at `path`, in the format of its suffix; an unchanged file is not touched.

    UsageError if the suffix is none of svg, png and pdf; ResultsError if no model has enough devices or the file cannot
    be written.
    """
    kind_of(path)
    with house_style():
        save(draw(report), path, "name a file elsewhere with --chart")


def draw(report: FleetReport) -> Page:
    """Draw a panel for each model that has enough devices, the slowest device at the top of each."""
    models = [model for model in report.models if model.comparable]
    if not models:
        raise ResultsError(
            "there is nothing to draw: no model has four devices with times of the same cases",
            "give the runs of more devices",
        )
    shown = [_shown(model) for model in models]
    body = sum(_HEADING + _NAMES + len(devices) * _CELL for devices in shown) + _BAR
    page = Page(
        title=_title(report),
        subtitle=("Time of a device ÷ median of its model - 1, in %: over all cases, and over those of each pattern.",),
        caption=Caption(
            f"{report.devices} devices; slow from {100 * report.threshold:.3g}% and beyond the model's spread"
        ),
        notes=_notes(report, models, shown),
        body=body,
    )
    scale = _scale(shown)
    top = 0.0
    for model, devices in zip(models, shown, strict=True):
        heading = f"{model.model}: {len(model.devices)} devices"
        page.text(0, top + 0.06, heading, size=fit_size(heading, page.width, BODY_PT, "bold"))
        _panel(page, top + _HEADING, devices, report.threshold, scale)
        top += _HEADING + _NAMES + len(devices) * _CELL
    bar = page.figure.colorbar(
        ScalarMappable(scale, COLORS.reversed()),
        cax=page.axes(0, top + 0.1, page.width, 0.13),
        orientation="horizontal",
        format=lambda value, _: f"{100 * value:+.3g}%",
    )
    bar.set_label("red is slower than the median of the model, blue is faster", labelpad=2)
    bar.outline.set_visible(False)
    return page


def _shown(model: ModelReport) -> list[DeviceResult]:
    """Return the outliers and the slowest devices, at most `MOST_DEVICES`, the slowest first."""
    first = sorted(model.devices, key=lambda device: not device.findings)[:MOST_DEVICES]
    return [device for device in model.devices if device in first]


def _title(report: FleetReport) -> str:
    outliers = [device for _, device in report.outliers()]
    if not outliers:
        return f"No outlier among {report.devices} devices"
    first = outliers[0]
    kinds = ", ".join(dict.fromkeys(finding.kind for finding in first.findings))
    if len(outliers) == 1:
        return f"{first.label} is an outlier among {report.devices} devices: {kinds}"
    return f"{len(outliers)} outliers among {report.devices} devices; first {first.label}: {kinds}"


def _notes(report: FleetReport, models: Sequence[ModelReport], shown: Sequence[Sequence[DeviceResult]]) -> list[str]:
    notes = []
    rest = sum(len(model.devices) - len(devices) for model, devices in zip(models, shown, strict=True))
    if rest:
        notes.append(f"{rest} more devices are not shown: of each model, outliers and the slowest are.")
    few = [model.model for model in report.models if not model.comparable]
    if few:
        notes.append(f"Too few devices to compare: {', '.join(few)}.")
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
    names = [shorten(device.label, _NAME_WIDTH * page.width, SMALL_PT) for device in devices]
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
    labels = [shorten(name, _NAMES, SMALL_PT) for name in columns]
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
        words = signed(change.value).removesuffix("%") if change else "–"
        color = ink_on(tone) if change else MUTED
        axes.text(x + 0.5, y + 0.5, words, ha="center", va="center_baseline", size=SMALL_PT - 1, color=color)

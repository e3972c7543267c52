"""Show the prices of primitives on several GPUs side by side."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading
from shflbench.cli.parameters import BASELINES, OUTPUT_FILE, format_option
from shflbench.core.arch.published import PublishedPrice, published_prices
from shflbench.core.grouping import group_by
from shflbench.core.json_objects import object_of, objects_of
from shflbench.errors import ResultsError, UsageError
from shflbench.schemas.prices import SCHEMA, PriceValue, PublishedValue
from shflbench.store.calibration_file import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.cli.layout import Line, Table
    from shflbench.measure.calibrate.probe import Probe
    from shflbench.schemas.prices import PricedGpu, PricesDocument
    from shflbench.store.calibration_file import CalibratedFigure, Calibration

MOST_TITLE = 40  # characters of a model
NONE = "–"  # of a figure that a calibration lacks


@click.command(cls=Command)
@click.argument("gpus", nargs=-1, metavar="[GPU...]")
@add_heading("Options", BASELINES, format_option(("table", "json")), OUTPUT_FILE)
@click.pass_obj
def command(console: Console, gpus: tuple[str, ...], baselines: Path, form: str) -> None:
    """Show what shuffles, barriers, fences and other primitives cost on several GPUs, side by side.

    GPU is a model such as nvidia-h200, the name of a file among the calibrations of the baselines, or a path to a file
    that `calibrate` wrote. Without one, all calibrations are shown, those that come with shflbench as well. Rates per
    clock are per SM. Published values name the GPU that they were measured on; how, and where, is below the table.
    """
    from shflbench.store.calibration_file import read
    from shflbench.store.calibrations import calibration_files, chosen_files

    if not gpus and not calibration_files(baselines):
        console.say(f"{baselines} has no calibration: those that come with shflbench are shown.")
    files = chosen_files(gpus, baselines)
    if console.output and console.output.exists() and any(map(console.output.samefile, files.values())):
        raise UsageError(f"--output {console.output} would replace a calibration", "Name another file.")
    chosen = {name: read(file) for name, file in files.items()}
    _check_units(chosen)
    if form == "json":
        console.json(json.dumps(_as_json(chosen), indent=2, ensure_ascii=False))
        return
    console.table(_table(chosen), data=True)
    for sentence in _sources(chosen):
        console.data(sentence)


def _probes(chosen: Mapping[str, Calibration]) -> Iterator[Probe]:
    """Yield the figures that at least one calibration has."""
    from shflbench.measure.calibrate.probes import PROBES

    return (probe for probe in PROBES if any(probe.name in one.figures for one in chosen.values()))


def _table(chosen: Mapping[str, Calibration]) -> Table:
    from shflbench.cli.layout import Table

    titles, lines = _aligned(chosen)
    notes = (
        "Requests are instructions of a whole warp; rates per clock are per SM.",
        *(f"{_label(name, chosen)}: {_about(one)}." for name, one in chosen.items()),
    )
    return Table("Prices:", titles, lines, notes=notes)


def _aligned(chosen: Mapping[str, Calibration]) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    """Return the titles and the lines, with the numbers aligned to the right."""
    from shflbench.cli.layout import Line, align_right

    labels = [_label(name, chosen) for name in chosen]
    ratio = ("most / least",) if len(chosen) > 1 else ()
    rows = [_cells(probe, list(chosen.values())) for probe in _probes(chosen)]
    columns = [list(column) for column in zip(("primitive", *labels, *ratio, "unit", "published"), *rows, strict=True)]
    numbers = slice(1, 1 + len(labels) + len(ratio))
    columns[numbers] = [align_right(column) for column in columns[numbers]]
    titles, *lines = zip(*columns, strict=True)
    return titles, tuple(Line(cells) for cells in lines)


def _cells(probe: Probe, calibrations: Sequence[Calibration]) -> tuple[str, ...]:
    from shflbench.measure.calibrate.figure_text import number, unit_of

    figures = [one.figures.get(probe.name) for one in calibrations]
    values = [figure.value for figure in figures if figure]
    shown = [number(figure.value, figure.unit) if figure else NONE for figure in figures]
    ratio = (f"{max(values) / min(values):.2f}" if len(values) > 1 else NONE,) if len(figures) > 1 else ()
    others = (f"{one.range} ({one.gpu})" for one in _published(probe))
    published = ", ".join((*_documented(calibrations, figures), *others))
    return (probe.text, *shown, *ratio, unit_of(probe.unit), published)


def _documented(calibrations: Sequence[Calibration], figures: Sequence[CalibratedFigure | None]) -> Iterator[str]:
    """Yield what NVIDIA's documents say of the architectures; the same only once."""
    pairs = zip(calibrations, figures, strict=True)
    values = dict.fromkeys((one.arch, figure.documented) for one, figure in pairs if figure and figure.documented)
    return (f"{value:.4g} (NVIDIA, {arch})" for arch, value in values)


def _check_units(chosen: Mapping[str, Calibration]) -> None:
    """Raise ResultsError for a figure in another unit than `calibrate` measures it in."""
    for name, one in chosen.items():
        for probe in _probes(chosen):
            figure = one.figures.get(probe.name)
            if figure and figure.unit != probe.unit.value:
                message = f"{name}: `figures.{probe.name}` is in {figure.unit!r}, not in {probe.unit.value}"
                raise ResultsError(message, AGAIN)


def _published(probe: Probe) -> list[PublishedPrice]:
    return [price for price in published_prices() if price.name == probe.name]


def _label(name: str, chosen: Mapping[str, Calibration]) -> str:
    """Return the title of a column: the model; among several of one model with its UUID, of one GPU the file's name."""
    one = chosen[name]
    model = one.device.removeprefix("NVIDIA ").strip()[:MOST_TITLE] or name
    if Counter(other.device for other in chosen.values())[one.device] == 1:
        return model
    if Counter(other.uuid for other in chosen.values())[one.uuid] > 1:
        return name
    return f"{model} {one.uuid.removeprefix('GPU-')[:8]}"


def _about(one: Calibration) -> str:
    clock = f", {one.clock_mhz:.0f} MHz" if one.clock_mhz else ""
    return f"{one.device}, {one.uuid}, {one.sms} SMs{clock}, driver {one.driver}, {one.measured[:10]}"


def _sources(chosen: Mapping[str, Calibration]) -> Iterator[str]:
    """Yield how and where each published value that is shown was measured; values alike in both share a line."""
    shown = [(probe, price) for probe in _probes(chosen) for price in _published(probe)]
    by_source = group_by(shown, lambda pair: (pair[1].gpu, pair[1].about, pair[1].source))
    for (gpu, about, source), alike in by_source.items():
        yield f"{', '.join(probe.text for probe, _ in alike)}; {gpu}: {about}; {source}."


def _as_json(chosen: Mapping[str, Calibration]) -> PricesDocument:
    return {
        "schema": SCHEMA,
        "gpus": [_gpu(name, one) for name, one in chosen.items()],
        "prices": [
            {
                "name": probe.name,
                "text": probe.text,
                "unit": probe.unit.value,
                "values": {name: _value(one.figures.get(probe.name)) for name, one in chosen.items()},
                "published": objects_of(PublishedValue, _published(probe)),
            }
            for probe in _probes(chosen)
        ],
    }


def _gpu(name: str, one: Calibration) -> PricedGpu:
    return {
        "name": name,
        "device": one.device,
        "uuid": one.uuid,
        "arch": one.arch,
        "sms": one.sms,
        "clock_mhz": one.clock_mhz,
        "driver": one.driver,
        "measured": one.measured,
    }


def _value(figure: CalibratedFigure | None) -> PriceValue | None:
    """Return the value with its interval, and what NVIDIA documents; None if the calibration lacks the figure."""
    return object_of(PriceValue, figure) if figure else None

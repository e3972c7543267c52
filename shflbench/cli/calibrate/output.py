"""The figures of a GPU as a table: documented against measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table, align_right
from shflbench.core.grouping import group_by
from shflbench.measure.calibrate.figure_text import number, unit_of
from shflbench.measure.calibrate.pipeline import PROCESSES
from shflbench.measure.calibrate.probes import PROBES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.store.calibration_file import CalibratedFigure, Calibration

NOTABLE = 0.05  # a larger deviation from the documents is colored
COLUMNS = ("figure", "measured", "interval", "documented", "deviation", "unit")
NUMBERS = slice(1, 5)  # the columns that are aligned to the right


def table(calibration: Calibration) -> Table:
    """Return one line per figure."""
    rows = [
        (_cells(probe.text, figure), _style(figure))
        for probe in PROBES
        if (figure := calibration.figures.get(probe.name))
    ]
    notes = (
        "Requests are instructions of a whole warp; rates per clock are per SM.",
        f"Medians of {PROCESSES} processes; an interval spans the 95% intervals of all of them.",
    )
    return Table(f"{calibration.device}, {calibration.arch}:", *_aligned(rows), notes=notes)


def _aligned(rows: Sequence[tuple[tuple[str, ...], str]]) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    """Return the titles and the lines, with the numbers aligned to the right."""
    columns = [list(column) for column in zip(COLUMNS, *(cells for cells, _ in rows), strict=True)]
    columns[NUMBERS] = [align_right(column) for column in columns[NUMBERS]]
    titles, *lines = zip(*columns, strict=True)
    return titles, tuple(Line(cells, style) for cells, (_, style) in zip(lines, rows, strict=True))


def _cells(text: str, figure: CalibratedFigure) -> tuple[str, ...]:
    interval = f"{number(figure.low, figure.unit)} to {number(figure.high, figure.unit)}"
    documented = "" if figure.documented is None else number(figure.documented, figure.unit)
    deviation = _deviation(figure)
    shown = "" if deviation is None else f"{deviation:+.1%}"
    return (text, number(figure.value, figure.unit), interval, documented, shown, unit_of(figure.unit))


def _deviation(figure: CalibratedFigure) -> float | None:
    return None if not figure.documented else figure.value / figure.documented - 1


def _style(figure: CalibratedFigure) -> str:
    return "doubt" if abs(_deviation(figure) or 0) > NOTABLE else ""


def summary(calibration: Calibration) -> Iterator[str]:
    """Yield what follows from several figures, a sentence each."""
    if line := calibration.barrier_line:
        residual = max(line.residuals.values(), key=abs)
        yield (
            f"A barrier of w warps takes {line.constant:.1f} + {line.per_warp:.2f} × w clocks; "
            f"largest deviation of a measured one: {residual:+.2f} clocks."
        )
    clock = f" at {calibration.clock_mhz:.0f} MHz" if calibration.clock_mhz else ""
    yield f"{len(calibration.figures)} figures in {calibration.seconds:.0f} s{clock}."


def incomplete(calibration: Calibration) -> Iterator[str]:
    """Yield which figures were measured in some processes only, a sentence for each number of processes."""
    few = [name for name, figure in calibration.figures.items() if figure.processes < PROCESSES]
    for processes, names in group_by(few, lambda name: calibration.figures[name].processes).items():
        yield f"{', '.join(names)}: measured in {processes} of {PROCESSES} processes"

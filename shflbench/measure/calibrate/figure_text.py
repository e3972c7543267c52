"""How the figures of a calibration are shown."""

from __future__ import annotations

from shflbench.measure.calibrate.probe import FigureUnit

GIGA = 1e9
SHORT: dict[str, str] = {
    FigureUnit.RATE: "requests/clock",
    FigureUnit.BYTES_PER_CLOCK: "bytes/clock",
    FigureUnit.BYTES_PER_S: "GB/s",
}


def number(value: float, unit: str) -> str:
    """Return a value as the table shows it."""
    return f"{value / GIGA:.1f}" if unit == FigureUnit.BYTES_PER_S else f"{value:.4g}"


def unit_of(unit: str) -> str:
    """Return a unit as the table shows it."""
    return SHORT.get(unit, unit)

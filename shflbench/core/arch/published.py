"""Latencies and rates that others published, read from `published.toml` beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True, slots=True)
class PublishedPrice:
    """What a publication says of a figure of `calibrate`, in that figure's unit: a range of values."""

    name: str  # of the figure
    gpu: str  # that it was measured on
    low: float
    high: float
    source: str
    about: str  # how it was measured

    @property
    def range(self) -> str:
        """The values in short, `25` or `190–203`."""
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g}–{self.high:g}"


@cache
def published_prices() -> tuple[PublishedPrice, ...]:
    """Return all published prices."""
    return tuple(PublishedPrice(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["published"])

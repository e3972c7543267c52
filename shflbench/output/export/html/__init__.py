"""A report of runs as one HTML file that needs no network: answers, charts, code, claims and provenance."""

from shflbench.output.export.html.collect import collect
from shflbench.output.export.html.page import render

__all__ = ["collect", "render"]

"""Charts of a run: drawn by matplotlib, the same bytes for the same run."""

from shflbench.output.plot.draw import all_charts, default_charts, draw

__all__ = ["all_charts", "default_charts", "draw"]

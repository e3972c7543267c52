"""Charts of a run: drawn by matplotlib, the same bytes for the same run."""

from shflbench.plot.draw import draw

__all__ = ["draw"]

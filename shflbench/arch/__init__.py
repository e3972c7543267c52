"""Figures of each GPU architecture: what an SM holds and how fast its units are, each with its source."""

from shflbench.arch.tables import Architecture, Figure, known, load

__all__ = ["Architecture", "Figure", "known", "load"]

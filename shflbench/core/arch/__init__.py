"""Figures of each GPU architecture: what an SM holds and how fast its units are, each with its source."""

from shflbench.core.arch.tables import Architecture, Figure, list_archs, load

__all__ = ["Architecture", "Figure", "list_archs", "load"]

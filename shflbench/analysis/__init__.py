"""Analyze the results of runs: rank variants, compare runs."""

from shflbench.analysis.summary import sentences

__all__ = ["sentences"]

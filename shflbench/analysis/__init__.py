"""What the results of runs mean: who is fastest."""

from shflbench.analysis.summary import sentences

__all__ = ["sentences"]

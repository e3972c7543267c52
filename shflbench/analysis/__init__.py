"""Analyze the results of runs: rank variants, compare runs."""

from shflbench.analysis.kernel_sentences import run_sentences
from shflbench.analysis.summary import sentences

__all__ = ["run_sentences", "sentences"]

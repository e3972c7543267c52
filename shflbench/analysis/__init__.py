"""What the results of runs mean: who is fastest, and what changed between two runs."""

from shflbench.analysis.compare import THRESHOLD, Comparison, compare
from shflbench.analysis.summary import sentences
from shflbench.analysis.verdict import Outcome, Reason, Verdict

__all__ = ["THRESHOLD", "Comparison", "Outcome", "Reason", "Verdict", "compare", "sentences"]

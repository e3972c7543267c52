"""Say of each kernel whether it is right, race-free and deadlock-free under every legal schedule; needs no GPU."""

from shflbench.check.kernels import check_all, compile_all, needed
from shflbench.check.report import Finding, KernelReport, Place
from shflbench.check.targets import Filters, Subject, find
from shflbench.check.verdict import Verdict

__all__ = [
    "Filters",
    "Finding",
    "KernelReport",
    "Place",
    "Subject",
    "Verdict",
    "check_all",
    "compile_all",
    "find",
    "needed",
]

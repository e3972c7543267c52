"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU."""

from shflbench.check.kernels import check_all, compile_all, needed
from shflbench.check.report import KernelFinding, KernelReport
from shflbench.check.source_files import SourceLine
from shflbench.check.targets import Filters, KernelSubject, find
from shflbench.check.verdict import KernelVerdict

__all__ = [
    "Filters",
    "KernelFinding",
    "KernelReport",
    "KernelSubject",
    "KernelVerdict",
    "SourceLine",
    "check_all",
    "compile_all",
    "find",
    "needed",
]

"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU."""

from shflbench.checker.kernels import check_all, compile_all, needed
from shflbench.checker.report import KernelFinding, KernelReport
from shflbench.checker.source_files import SourceLine
from shflbench.checker.targets import Filters, KernelSubject, find
from shflbench.checker.verdict import KernelVerdict

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

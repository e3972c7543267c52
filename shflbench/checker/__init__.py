"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU."""

from typing import TYPE_CHECKING

from shflbench.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.checker.kernels import check_all, compile_all, needed
    from shflbench.checker.report import KernelFinding, KernelReport
    from shflbench.checker.source_files import SourceLine
    from shflbench.checker.targets import Filters, KernelSubject, find
    from shflbench.checker.verdict import KernelVerdict
else:
    # A check of a file needs no patterns and suites, which are slow to import.
    __getattr__ = on_first_use(
        __name__,
        {
            "kernels": ("check_all", "compile_all", "needed"),
            "report": ("KernelFinding", "KernelReport"),
            "source_files": ("SourceLine",),
            "targets": ("Filters", "KernelSubject", "find"),
            "verdict": ("KernelVerdict",),
        },
    )


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

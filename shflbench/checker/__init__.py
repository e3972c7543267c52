"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.checker.kernels import check_all, compile_all, needed
    from shflbench.checker.report import KernelFinding, KernelReport
    from shflbench.checker.source_files import SourceLine
    from shflbench.checker.targets import Filters, KernelSubject, find
    from shflbench.checker.verdict import KernelVerdict
else:
    # Imported on first use: a check of a file needs no patterns and suites, which are slow to import.
    _MODULES = {
        "check_all": "kernels",
        "compile_all": "kernels",
        "needed": "kernels",
        "KernelFinding": "report",
        "KernelReport": "report",
        "SourceLine": "source_files",
        "Filters": "targets",
        "KernelSubject": "targets",
        "find": "targets",
        "KernelVerdict": "verdict",
    }

    def __getattr__(name: str) -> object:
        """Import the public name."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


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

"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU."""

from typing import TYPE_CHECKING

from shflbench.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.checker.files import FileOptions, check_file, check_or_name
    from shflbench.checker.report import FileReport, Finding, KernelReport, LaunchRecord
    from shflbench.checker.source_lines import SourceLine
    from shflbench.checker.verdict import KernelVerdict, Level
else:
    # Who only names a verdict needs no emulator and no NumPy, which are slow to import.
    __getattr__ = on_first_use(
        __name__,
        {
            "report": ("Finding", "KernelReport", "FileReport", "LaunchRecord"),
            "files": ("FileOptions", "check_file", "check_or_name"),
            "source_lines": ("SourceLine",),
            "verdict": ("KernelVerdict", "Level"),
        },
    )


__all__ = [
    "FileOptions",
    "FileReport",
    "Finding",
    "KernelReport",
    "KernelVerdict",
    "LaunchRecord",
    "Level",
    "SourceLine",
    "check_file",
    "check_or_name",
]

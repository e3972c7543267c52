"""Runs on disk: write, read and resume them."""

from shflbench.store.append import RunFolder, require_unused, require_writable
from shflbench.store.columns import Row, row_columns
from shflbench.store.provenance import Host, RunInfo, RunSettings, SentinelSet, SuiteText, Versions
from shflbench.store.read import Run, find_runs, read_info, read_run
from shflbench.store.resume import ResumedRun, resume

__all__ = [
    "Host",
    "ResumedRun",
    "Row",
    "Run",
    "RunFolder",
    "RunInfo",
    "RunSettings",
    "SentinelSet",
    "SuiteText",
    "Versions",
    "find_runs",
    "read_info",
    "read_run",
    "require_unused",
    "require_writable",
    "resume",
    "row_columns",
]

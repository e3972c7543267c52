"""Read the results of other tools: a file per format, and one result for all of them."""

from shflbench.store.readers.recording import BenchmarkTool, RecordedCase, RecordedProcess, Recording
from shflbench.store.readers.runs import run_of
from shflbench.store.readers.tool_files import is_foreign, read_recording
from shflbench.store.readers.write import write_run

__all__ = [
    "BenchmarkTool",
    "RecordedCase",
    "RecordedProcess",
    "Recording",
    "is_foreign",
    "read_recording",
    "run_of",
    "write_run",
]

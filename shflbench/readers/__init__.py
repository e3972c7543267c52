"""Read the results of other tools: a file per format, and one result for all of them."""

from shflbench.readers.recording import BenchmarkTool, RecordedCase, RecordedProcess, Recording
from shflbench.readers.runs import run_of
from shflbench.readers.tool_files import is_foreign, read_recording
from shflbench.readers.write import write_run

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
